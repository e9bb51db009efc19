import { broughtIn } from '../core/ahead.ts';
import { findLast } from '../core/history.ts';
import { evolve, isUnderWay, replay, type Outcome, type State } from '../core/machine.ts';
import { attemptRef, shortRef, taskSlug } from '../core/refs.ts';
import type { AttemptId } from '../ports.ts';
import type { Journal } from './journal.ts';
import { withEnd } from './life.ts';
import type { Ports } from './session.ts';

export interface Recovery {
  readonly ports: Pick<Ports, 'workspace' | 'ledger' | 'processes'>;
  /** A journal for a plan: a dead run may have worked on another plan than this one does. */
  readonly journalOf: (plan: string) => Journal;
}

/**
 * Finishes or undoes what a dead run left in this work tree (architecture.md, "Order of writes, and what a crash leaves").
 * Its processes are ended before any file is touched; only a commit that the ledger recorded is ever completed.
 */
export async function recover(recovery: Recovery): Promise<void> {
  const { ledger, workspace } = recovery.ports;
  for (const { plan, task } of await ledger.underWay(workspace.id))
    await recoverTask(task, recovery.journalOf(plan), recovery);
}

/**
 * Ends, in the ledger alone, an attempt that was under way in a work tree that is gone, a moved repository's included: nothing can
 * be undone or kept there.
 */
export async function writeOff(
  task: string,
  journal: Journal,
  { processes }: Pick<Ports, 'processes'>,
): Promise<void> {
  let state = replay(await journal.open(task));
  if (isUnderWay(state)) await processes.endByToken(state.token);
  while (isUnderWay(state)) {
    const event: Outcome =
      state.phase === 'rolling-back'
        ? { type: 'rollback.done', snapshot: { ref: '', commit: state.base } }
        : { type: 'attempt.rejected', failure: { kind: 'crashed' } };
    state = evolve(state, event);
    await journal.append(task, event);
  }
  const message = `the last run died during ${task}#${state.number} in a work tree that is gone or was moved; what it had made was not kept`;
  await journal.append(task, { type: 'notice', message });
}

async function recoverTask(task: string, journal: Journal, recovery: Recovery): Promise<void> {
  let state = replay(await journal.open(task));
  if (!isUnderWay(state)) return;
  const { processes } = recovery.ports;
  const isAlive = (await processes.endByToken(state.token)).length > 0;
  const heldUntil = isAlive ? Infinity : await lastHeld(task, journal, recovery);
  const id = { plan: journal.plan, task: taskSlug(task), id: task, number: state.number };
  while (isUnderWay(state)) {
    const event = await nextStep(state, id, { ...recovery, journal, heldUntil });
    state = evolve(state, event);
    await journal.append(task, event);
    if (event.type === 'rollback.done') await tell(id, journal);
  }
}

interface Stepping extends Pick<Recovery, 'ports'> {
  readonly journal: Journal;
  /** As of Workspace.rollBack. */
  readonly heldUntil: number;
}

/** When the run that began the attempt wrote last: until then it was alive, and so the work tree was the attempt's. */
async function lastHeld(
  task: string,
  { plan }: Journal,
  { ports }: Pick<Recovery, 'ports'>,
): Promise<number> {
  const history = await ports.ledger.taskHistory(plan, task);
  const began = findLast(history, 'attempt.started');
  const last = history.findLast(({ run }) => run === began?.run);
  return Date.parse(last?.at ?? '') || 0;
}

async function nextStep(
  state: State,
  id: AttemptId,
  { ports, journal, heldUntil }: Stepping,
): Promise<Outcome> {
  const { workspace } = ports;
  if (state.phase === 'checkpointing') {
    const { commit, tag, proof, proofObject } = state.passed;
    await workspace.checkpoint(id, { commit, tag, proof, proofObject, base: state.base });
    return { type: 'checkpoint.created', tag, commit };
  }
  if (state.phase === 'rolling-back') {
    const { snapshot, notices, kept } = await workspace.rollBack(withEnd(id, state), heldUntil);
    // A person's work tree stays theirs: they have to know what was moved in it.
    if (kept === true)
      for (const message of notices) await journal.append(id.id, { type: 'notice', message });
    return { type: 'rollback.done', snapshot, ...(kept && { kept }) };
  }
  // What had passed ahead of its turn and was about to go onto the branch has cost its attempt already, and no agent was at work.
  const isBroughtIn = broughtIn(await journal.open(id.id)) !== undefined;
  return isBroughtIn
    ? { type: 'attempt.voided', why: 'interrupted' }
    : { type: 'attempt.rejected', failure: { kind: 'crashed' } };
}

async function tell(id: AttemptId, journal: Journal): Promise<void> {
  const ref = attemptRef(id.plan, id.task, id.number);
  const message = `the last run died during ${id.id}#${id.number}; what it had made is kept: git show ${shortRef(ref)}`;
  await journal.append(id.id, { type: 'notice', message });
}
