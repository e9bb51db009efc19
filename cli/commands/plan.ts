import { draftPlan, parsePlan, type Config, type DraftResult } from '../../src/index.ts';
import { oneLine, visible } from '../../src/core/text.ts';
import { draftData, draftEnd, roundEnd } from '../../src/report/draft.ts';
import { jsonLine } from '../../src/report/json.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';
import { passOn } from '../pass-on.ts';
import type { LookCommand } from './status.ts';

export interface PlanCommand extends LookCommand {
  /** DOC as it was typed. */
  readonly document: string;
  readonly flags: Config;
  /** Not to be asked. */
  readonly yes: boolean;
  readonly verbose: boolean;
}

/** What became of a draft. */
type Action = 'written' | 'same' | 'declined' | 'not-accepted' | 'unfit' | 'stopped';

const statuses: Readonly<Record<Action, number>> = {
  written: 0,
  same: 0,
  declined: 0,
  unfit: 1,
  'not-accepted': 3,
  stopped: 4,
};

/** `skeleton plan DOC`. Throws Refusal and Interrupted as `draftPlan`; nothing is written then. */
export async function plan(command: PlanCommand, io: Io): Promise<number> {
  const say = (text: string): void => print(io.err, oneLine(text));
  const result = await draft(command, io, say);
  const { drafted, touched, path } = result;
  if (touched !== '') say(`notice  the work tree changed while the agent drafted: ${touched}`);
  const shown = drafted.kind === 'ready' ? (result.diff ?? drafted.text) : '';
  if (!command.json && shown !== '') io.out.write(visible(shown));
  const action = await decide(result, command, io);
  for (const line of draftEnd({ drafted, path, action, again: command.planOption })) say(line);
  if (command.json) {
    const text = drafted.kind === 'ready' ? drafted.text : undefined;
    const read = text === undefined ? undefined : parsePlan(new TextEncoder().encode(text), path);
    print(io.out, jsonLine(draftData({ ...result, action, plan: read })));
  }
  return statuses[action];
}

async function draft(
  { cwd, plan: planPath, document, flags, verbose }: PlanCommand,
  io: Io,
  say: (text: string) => void,
): Promise<DraftResult> {
  const agent = passOn(io.err, false);
  const result = await draftPlan({
    ...{ cwd, env: io.env, document, flags, signal: io.windDown() },
    ...(planPath !== undefined && { planPath }),
    ...(verbose && { onAgentOutput: agent.take }),
    onRound: ({ number, agent: name }) => say(`round ${number}: ${name} drafts …`),
    onRoundEnd: (round) => {
      agent.flush();
      roundEnd(round).forEach(say);
    },
  });
  return result;
}

async function decide(
  { drafted, diff, path, write }: DraftResult,
  { yes }: PlanCommand,
  io: Io,
): Promise<Action> {
  if (drafted.kind !== 'ready') return drafted.kind;
  if (diff === '') return 'same';
  if (diff !== undefined && !yes) {
    const answer = await io.ask(`Change ${oneLine(path)} so? [y/N] `);
    if (answer === undefined) return 'not-accepted';
    if (!/^y(?:es)?$/i.test(answer.trim())) return 'declined';
  }
  await write();
  return 'written';
}
