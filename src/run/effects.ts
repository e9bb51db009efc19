import type { Snapshot } from '../core/events.ts';
import type { Outcome } from '../core/machine.ts';
import type { AttemptFacts } from '../core/snapshot-words.ts';
import { attemptOf, rulesFor, withEnd, type Life } from './life.ts';
import type { Session } from './session.ts';

/** Records where the attempt begins; the event is appended before anything runs, so that a crash still costs it. */
export async function startAttempt(life: Life, session: Session): Promise<readonly Outcome[]> {
  const { state, task } = life;
  const { workspace } = session.ports;
  const facts = attemptFacts(
    { attempt: state.charged + 1, attempts: task.config.attempts ?? session.settings.attempts },
    session,
  );
  const base = await workspace.begin({ ...life.id, facts }, rulesFor(life, session));
  const judged = await layOutKept(life, session);
  const { attempt, attempts, agent, token } = facts;
  const event: Outcome = {
    type: 'attempt.started',
    number: life.id.number,
    ...{ attempt, attempts, base, agent, token },
    worktree: workspace.id,
    ...(judged && { judge: judged }),
  };
  return [event];
}

/** What the record of an attempt holds for a ledger that is lost meanwhile. */
export function attemptFacts(
  count: Pick<AttemptFacts, 'attempt' | 'attempts'>,
  { journal, plan, ports }: Session,
): AttemptFacts {
  const { agent, clock } = ports;
  return { run: journal.run, planPath: plan.path, ...count, agent: agent.name, token: clock.id() };
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
  const { snapshot, notices, kept } = await workspace.rollBack(withEnd(life.id, life.state));
  for (const message of notices)
    await session.journal.append(life.task.id, { type: 'notice', message });
  return [{ type: 'rollback.done', snapshot, ...(kept && { kept }) }];
}

function show(life: Life, session: Session, step: 'checkpoint' | 'rollback'): void {
  const { state, task } = life;
  const { attempt, attempts } = attemptOf(state);
  session.onProgress({ type: 'step', task: task.id, attempt, attempts, step, name: '' });
}
