import type { Environment, House } from '../compose.ts';
import { replay } from '../core/machine.ts';
import { attemptRef, shortRef, taskSlug } from '../core/refs.ts';
import type { Ledger, Lock, Remote } from '../ports.ts';
import { held } from './held.ts';
import { finishBefore, journals, openedAnew, tell, type Opening } from './open-base.ts';
import type { OpenBase } from './run-base.ts';

/** What a worker of a team has open already. */
export interface TeamOpening {
  readonly house: House;
  readonly env: Environment;
  readonly planPath: string;
  readonly slug: string;
  readonly run: string;
  readonly ledger: Ledger;
  readonly remote: Remote;
  readonly onEvent: Opening['onEvent'];
}

/**
 * Does a piece of work in a worker's own work tree, with its locks held, and after what a dead run left there was kept and undone:
 * what is to be written about that is for whoever claims its task. Throws Refusal(3) where another run is going on here.
 */
export async function withTeamBase<T>(
  opening: TeamOpening,
  work: (base: OpenBase) => Promise<T>,
): Promise<T> {
  const { house, planPath, slug, ledger, run, onEvent } = opening;
  const odd = await house.setOddAside();
  const workspace = await house.workspace();
  const locks: Lock[] = [];
  const endings: (() => void)[] = [];
  try {
    const door = await house.locks();
    for (const name of [`worktree-${workspace.id}`, `plan-${slug}`])
      locks.push(held(door.acquire(name, `skeleton in ${house.facts.top}`)));
    const keeper = await house.keeper();
    const journalOf = journals({ ledger, locks, run, mask: house.mask, onEvent });
    const base = { house, workspace, keeper, ledger, run, slug, planPath, journalOf, onEvent };
    const say = (message: string): Promise<void> => tell(base, message);
    if (odd !== undefined) await say(odd);
    await keeper.clearLocks(say);
    endings.push(await keeper.holdGc(say));
    await clearTree(base, opening.remote);
    await finishBefore(base);
    return await openedAnew(base, opening.env, work);
  } finally {
    await house.close();
    for (const end of endings) end();
    for (const lock of locks) lock.release();
  }
}

/** What a run that died here left under way: its checkpoint, where the remote has it, else all that it had made is kept and undone. */
async function clearTree(base: OpenBase, remote: Remote): Promise<void> {
  const { house, workspace, ledger } = base;
  const processes = await house.processes();
  const left = await (await house.traces()).openHere();
  if (left === undefined) return;
  const history = await base.journalOf(left.plan).open(left.id);
  const state = replay(history);
  const token = left.facts?.token ?? ('token' in state ? state.token : undefined);
  if (token !== undefined) await processes.endByToken(token);
  const { plan, number } = left;
  const id = { plan, task: taskSlug(left.id), id: left.id, number };
  if (state.phase === 'checkpointing' && state.number === number) {
    const { commit, tag, proof, proofObject } = state.passed;
    if ((await remote.read(tag)) === commit) {
      await workspace.checkpoint(id, { commit, tag, proof, proofObject, base: state.base });
      return;
    }
  }
  await workspace.rollBack(id, await lastHeld(ledger, left));
  const ref = shortRef(attemptRef(plan, id.task, number));
  await tell(base, `a run died here during ${left.id}#${number}; what it had made is kept: ${ref}`);
}

async function lastHeld(
  ledger: Ledger,
  { plan, id }: { readonly plan: string; readonly id: string },
): Promise<number> {
  const history = await ledger.taskHistory(plan, id);
  const began = history.findLast(({ event }) => event.type === 'attempt.started');
  const last = history.findLast(({ run }) => run === began?.run);
  return Date.parse(last?.at ?? '') || 0;
}
