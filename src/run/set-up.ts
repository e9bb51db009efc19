import type { Config } from '../core/config.ts';
import type { GateResult } from '../core/events.ts';
import { judgementOf } from '../core/verdict.ts';
import { Refusal, type Gates, type Checkpoints } from '../ports.ts';
import { setupKey } from './clean-room.ts';
import type { Session } from './session.ts';

/** A work tree in which agents work, as `setup:` sees it. */
export interface SetupPlace {
  readonly config: Config;
  readonly checkpoints: Pick<Checkpoints, 'files'>;
  /** Gates of a configuration that lies in this work tree. */
  readonly gatesOf: (config: Config) => Promise<Gates>;
  /** For the log; there is one for each work tree. */
  readonly name: string;
}

/**
 * Makes a work tree ready for the agent with the setup's command, again where the files that it depends on are others. Throws
 * Refusal(4), with its log, where it fails.
 */
export function openSetup(place: SetupPlace): (commit: string, session: Session) => Promise<void> {
  let ready = '';
  return async (commit, session) => {
    const { setup } = place.config;
    if (setup === undefined) return;
    const tree = await session.ports.workspace.treeOf(commit);
    const key = await setupKey(setup, tree, place.checkpoints);
    if (key === ready) return;
    await setUp(place, { commit, tree, run: setup.run }, session);
    ready = key;
  };
}

interface Setting {
  readonly commit: string;
  readonly tree: string;
  readonly run: string;
}

async function setUp(
  { config, gatesOf, name }: SetupPlace,
  { commit, tree, run }: Setting,
  session: Session,
): Promise<void> {
  const { gateTimeout, env } = config;
  const limits = { ...(gateTimeout !== undefined && { gateTimeout }), ...(env && { env }) };
  const gates = await gatesOf({ gates: [{ name: 'setup', run }], ...limits });
  const results: GateResult[] = [];
  const logFolder = session.logFolder(name, 0);
  const end = await gates.run({
    ...{ tree, changed: [], logFolder, task: undefined, token: session.ports.clock.id() },
    ...{ run: session.journal.run, plan: session.plan.path, slot: session.seat },
    gates: await gates.find(session.plan, undefined),
    attempt: { attempt: 1, attempts: 1, base: commit },
    failFast: true,
    signal: session.signal,
    onResult: (result) => {
      results.push(result);
      return Promise.resolve();
    },
    onStart: () => undefined,
  });
  if (end.verdict === 'interrupted' || judgementOf(results).verdict === 'pass') return;
  const ended = results.at(-1)?.ended ?? 'no result';
  const words = `setup failed in ${session.ports.workspace.facts.top}: ${ended}`;
  throw new Refusal(4, words, `less '${logFolder}/gate-setup.log'`);
}
