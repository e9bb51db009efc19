import type { Snapshot } from '../core/events.ts';
import type { Outcome } from '../core/machine.ts';
import { attemptOf, rulesFor, type Life } from './life.ts';
import type { Session } from './session.ts';

/** Records where the attempt begins; the event is appended before anything runs, so that a crash still costs it. */
export async function startAttempt(life: Life, session: Session): Promise<readonly Outcome[]> {
  const { state, task } = life;
  const { agent, clock, workspace } = session.ports;
  const base = await workspace.begin(life.id, rulesFor(life, session));
  const judged = await layOutKept(life, session);
  const event: Outcome = {
    type: 'attempt.started',
    number: life.id.number,
    attempt: state.charged + 1,
    attempts: task.config.attempts ?? session.settings.attempts,
    base,
    agent: agent.name,
    token: clock.id(),
    worktree: workspace.id,
    ...(judged && { judge: judged }),
  };
  return [event];
}

/** Work that a gate error kept is judged again, unless a person has changed the same files since: then the agent begins anew. */
async function layOutKept(life: Life, session: Session): Promise<Snapshot | undefined> {
  const { state, task, id } = life;
  const kept = state.phase === 'pending' ? state.judge : undefined;
  if (kept === undefined || (await session.ports.workspace.reapply(id, kept))) return kept;
  const message = `the work kept at ${kept.ref} touches files that were changed since: the agent begins anew`;
  await session.journal.append(task.id, { type: 'notice', message });
  return undefined;
}

/** Branch, tag and proof move to the commit that the ledger recorded as passed, and to no other. */
export async function createCheckpoint(life: Life, session: Session): Promise<readonly Outcome[]> {
  const { state } = life;
  if (state.phase !== 'checkpointing') throw new Error(`cannot checkpoint in ${state.phase}`);
  const { commit, tag, proof, proofObject } = state.passed;
  show(life, session, 'checkpoint');
  const notices = await session.ports.workspace.checkpoint(life.id, {
    commit,
    tag,
    proof,
    proofObject,
    base: state.base,
  });
  for (const message of notices)
    await session.journal.append(life.task.id, { type: 'notice', message });
  return [{ type: 'checkpoint.created', tag, commit }];
}

export async function rollBack(life: Life, session: Session): Promise<readonly Outcome[]> {
  const { workspace } = session.ports;
  show(life, session, 'rollback');
  const { snapshot, notices, kept } = await workspace.rollBack(life.id);
  for (const message of notices)
    await session.journal.append(life.task.id, { type: 'notice', message });
  return [{ type: 'rollback.done', snapshot, ...(kept && { kept }) }];
}

export async function wait(life: Life, session: Session): Promise<readonly Outcome[]> {
  const { state } = life;
  if (state.phase !== 'waiting') throw new Error(`nothing to wait for in ${state.phase}`);
  show(life, session, 'wait');
  const { clock } = session.ports;
  await clock.sleep(Date.parse(state.until) - Date.parse(clock.now()), session.signal);
  return [{ type: 'wait.over' }];
}

function show(life: Life, session: Session, step: 'checkpoint' | 'rollback' | 'wait'): void {
  const { state, task } = life;
  const { attempt, attempts } = state.phase === 'waiting' ? waiting : attemptOf(state);
  session.onProgress({ type: 'step', task: task.id, attempt, attempts, step, name: '' });
}

const waiting = { attempt: 0, attempts: 0 };
