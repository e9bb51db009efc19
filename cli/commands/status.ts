import { readFoldedHistory, readHolders } from '../../src/index.ts';
import type { FoldedHistory, Holders } from '../../src/index.ts';
import { deadLettersData, renderDeadLetters } from '../../src/report/dead-letters.ts';
import { asRecorded, summaryOf, type Summary } from '../../src/core/summary.ts';
import { renderStatus, statusData } from '../../src/report/status.ts';
import { jsonLine } from '../../src/report/json.ts';
import { chooseLook, type Style } from '../../src/report/style.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';
import { noPlan } from '../refuse-no-plan.ts';
import { tellNotice } from '../tell-notice.ts';

/** What a command that only looks is told. */
export interface LookCommand {
  /** Absolute. */
  readonly cwd: string;
  readonly plan: string | undefined;
  readonly json: boolean;
  /** Options that every command about this plan needs, with a blank before; '' for none. */
  readonly planOption: string;
}

export interface StatusCommand extends LookCommand {
  /** Only what failed for good. */
  readonly failed: boolean;
}

/** `skeleton status`: where the plan stands and what to type next. Throws Refusal(2) where there is neither a plan nor a history. */
export async function status(command: StatusCommand, io: Io): Promise<number> {
  const { json, planOption } = command;
  const { history, summary, team } = await readStanding(command, io);
  const { planPath, head, notes } = history;
  const { style } = chooseLook(io.env, io.out.isTerminal);
  if (command.failed) {
    const facts = { planPath, summary, planOption, runOption: team?.runOption ?? '' };
    tellFailed(facts, { json, style }, io);
    return 0;
  }
  const problems = history.plan?.problems.length ?? 0;
  const now = new Date().toISOString();
  const facts = { planPath, summary, problems, head, planOption, now, team, notes };
  print(io.out, json ? jsonLine(statusData(facts)) : renderStatus(facts, style));
  return 0;
}

interface Standing {
  readonly history: FoldedHistory;
  readonly summary: Summary;
  readonly team: Holders | undefined;
}

async function readStanding({ cwd, plan: planPath }: LookCommand, io: Io): Promise<Standing> {
  const place = { cwd, env: io.env };
  const history = await readFoldedHistory({
    ...place,
    ...(planPath !== undefined && { planPath }),
  });
  tellNotice(history.notice, io);
  const team = await readHolders(place, history.slug);
  const tasks = history.plan?.tasks;
  const planned = team === undefined ? tasks : tasks && asRecorded(tasks, history.past);
  const summary = summaryOf(planned, history.past);
  if (history.plan === undefined && summary.tasks.length === 0) throw noPlan(history, 'status');
  return { history, summary, team };
}

function tellFailed(
  facts: Parameters<typeof renderDeadLetters>[0],
  { json, style }: { readonly json: boolean; readonly style: Style },
  io: Io,
): void {
  if (json) for (const line of deadLettersData(facts)) print(io.out, jsonLine(line));
  else print(io.out, renderDeadLetters(facts, style));
}
