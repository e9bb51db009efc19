import { aheadWork, wasSentBack, type AheadWork } from '../core/ahead.ts';
import type { Snapshot, TaskEvent } from '../core/events.ts';
import type { FailureKind } from '../core/failure.ts';
import type { Outcome } from '../core/machine.ts';
import type { AttemptFacts } from '../core/snapshot-words.ts';
import { makerOf } from '../core/stages/past.ts';
import { attemptOf, rulesFor, withEnd, type Life } from './life.ts';
import type { Roster } from './roster.ts';
import type { Agent } from '../ports.ts';
import { layOutWork, stageOf } from './lay-out-work.ts';
import { changedByReviewer } from './review.ts';
import type { Session } from './session.ts';
import { capOf, isReviewing } from './stages.ts';
import { throttledBy } from './throttled-by.ts';

/** Records where the attempt begins; the event is appended before anything runs, so that a crash still costs it. */
export async function startAttempt(life: Life, session: Session): Promise<readonly Outcome[]> {
  const { state, task } = life;
  const { workspace } = session.ports;
  const agent = whoNext(life, session);
  if ('until' in agent) return [throttledBy(agent, undefined, life, session)];
  const attempt = state.charged + 1;
  const attempts = capOf(life, task.config.attempts ?? session.settings.attempts);
  const facts = attemptFacts({ attempt, attempts, agent: agent.name }, session);
  const base = await workspace.begin({ ...life.id, facts }, rulesFor(life, session));
  const { judged, ahead, conflicts, isLost } = await bringIn(life, session);
  const continued = judged === undefined ? await layOutRejected(life, session) : undefined;
  const onto = await layOutWork(life, { judged, continued }, session);
  const who = whoWorks(life, ahead, judged) ?? {
    agent: facts.agent,
    model: modelOf(agent, life, session),
  };
  const event: Outcome = {
    type: 'attempt.started',
    number: life.id.number,
    ...{ attempt, attempts, base, agent: who.agent, token: facts.token },
    worktree: workspace.id,
    ...(session.seat !== undefined && { slot: session.seat }),
    ...(judged && { judge: judged }),
    ...(continued && { continues: continued }),
    ...(who.model !== undefined && { model: who.model }),
    ...stageOf(life, onto),
  };
  return [event, ...(isLost ? lostWork : sentBackBy(conflicts, life)), ...onto.outcomes];
}

interface BroughtIn {
  /** Work that an earlier attempt has made, and that lies there now. */
  readonly judged: Snapshot | undefined;
  readonly ahead: AheadWork | undefined;
  /** Paths; then it does not lie there. */
  readonly conflicts: readonly string[];
  /** It was made on another machine, and is nowhere to be had. */
  readonly isLost: boolean;
}

const lostWork: readonly Outcome[] = [{ type: 'attempt.voided', why: 'lost' }];

async function bringIn(life: Life, session: Session): Promise<BroughtIn> {
  const { state, events, id } = life;
  const ahead = aheadWork(events, state.phase === 'pending' ? state.judge : undefined);
  const { workspace } = session.ports;
  if (ahead === undefined)
    return { judged: await layOutKept(life, session), ahead, conflicts: [], isLost: false };
  const { snapshot } = ahead;
  const work = session.onTurn === undefined ? snapshot : session.onTurn.work;
  if (work === undefined || !(await isHere(work, session)))
    return { judged: snapshot, ahead, conflicts: [], isLost: true };
  const conflicts = await workspace.merge(id, work, session.plan.path);
  return { judged: snapshot, ahead, conflicts, isLost: false };
}

/** The first time that a task is sent back is free (contract of `--jobs`). */
function sentBackBy(paths: readonly string[], { events }: Life): readonly Outcome[] {
  if (paths.length === 0) return [];
  const failure = { kind: 'conflict', paths } as const;
  return wasSentBack(events)
    ? [{ type: 'attempt.rejected', failure }]
    : [{ type: 'attempt.voided', why: 'sent-back', failure }];
}

/** Work that is only judged again needs no agent. */
function whoNext({ state, task }: Life, { roster, ports }: Session): ReturnType<Roster['next']> {
  const next = roster.next(task);
  const isJudged = state.phase === 'pending' && state.judge !== undefined;
  const [preferred] = ports.agents.of(task);
  return 'until' in next && isJudged && preferred !== undefined ? preferred : next;
}

/** A model is one of the agent for which it was named; a fallback uses its own default. */
function modelOf(agent: Agent, { state, task }: Life, session: Session): string | undefined {
  const [preferred] = session.ports.agents.of(task);
  if (agent.name !== preferred?.name) return undefined;
  if (task.config.model !== undefined) return task.config.model;
  if (task.config.agent !== undefined) return undefined;
  const { model, models = [] } = session.settings;
  return models[Math.min(state.charged, models.length - 1)] ?? model;
}

/** Work that is only judged was made by who made it. */
function whoWorks(
  { events, staged }: Life,
  ahead: AheadWork | undefined,
  judged: Snapshot | undefined,
): Pick<AheadWork, 'agent' | 'model'> | undefined {
  if (ahead !== undefined || staged === undefined || judged === undefined) return ahead;
  return makerOf(events, judged);
}

const REPAIRABLE: ReadonlySet<FailureKind> = new Set([
  ...(['agent-error', 'timed-out', 'idle', 'gate-failed', 'gate-changed-tree'] as const),
  ...(['ungated', 'crashed'] as const),
]);

/** With `retry: continue`, the rejected attempt's files are where it left them, unless what it did must not stand. */
async function layOutRejected(life: Life, session: Session): Promise<Snapshot | undefined> {
  const { lastFailure } = life.state;
  if (session.settings.retry !== 'continue' || lastFailure === undefined) return undefined;
  if (isReviewing(life)) return undefined;
  if (!REPAIRABLE.has(lastFailure.failure.kind)) return undefined;
  const kept = snapshotOf(lastFailure.number, life.events);
  if (kept === undefined || kept.ref === '') return undefined;
  if (await session.ports.workspace.reapply(life.id, kept)) return kept;
  const message = `the files kept at ${kept.ref} were changed since: the attempt begins fresh`;
  await session.journal.append(life.task.id, { type: 'notice', message });
  return undefined;
}

function snapshotOf(number: number, events: readonly TaskEvent[]): Snapshot | undefined {
  const begun = events.findLastIndex((e) => e.type === 'attempt.started' && e.number === number);
  const end = events.slice(begun).find((event) => event.type === 'rollback.done');
  return end?.snapshot;
}

/** What the record of an attempt holds for a ledger that is lost meanwhile. */
export function attemptFacts(
  own: Pick<AttemptFacts, 'attempt' | 'attempts' | 'agent'>,
  { journal, plan, ports }: Session,
): AttemptFacts {
  return { run: journal.run, planPath: plan.path, ...own, token: ports.clock.id() };
}

/** Work that a gate error kept is judged again, unless a person has changed the same files since: then the agent begins anew. */
async function layOutKept(life: Life, session: Session): Promise<Snapshot | undefined> {
  const { state, task, id } = life;
  const kept = state.phase === 'pending' ? state.judge : undefined;
  if (kept === undefined) return undefined;
  const isThere = await isHere(kept, session);
  if (isThere && (await session.ports.workspace.reapply(id, kept))) return kept;
  const why = isThere ? 'touches files that were changed since' : 'is on another machine';
  const message = `the work kept at ${kept.ref} ${why}: the agent begins anew`;
  await session.journal.append(task.id, { type: 'notice', message });
  return undefined;
}

/** Where machines share a ledger, kept work may be on another one. */
async function isHere({ commit }: Snapshot, { ports }: Session): Promise<boolean> {
  return !ports.ledger.isShared || (await ports.workspace.resolve(commit)) !== undefined;
}

/** Branch, tag and proof move to the commit that the ledger recorded as passed, and to no other. */
export async function createCheckpoint(life: Life, session: Session): Promise<readonly Outcome[]> {
  const { state } = life;
  if (state.phase !== 'checkpointing') throw new Error(`cannot checkpoint in ${state.phase}`);
  const { commit, tag, proof, proofObject } = state.passed;
  show(life, session, 'checkpoint');
  const checkpoint = { commit, tag, proof, proofObject, base: state.base };
  const why = await session.onTurn?.publish(checkpoint);
  if (why !== undefined) return [{ type: 'attempt.voided', why }];
  const notices = await session.ports.workspace.checkpoint(life.id, checkpoint);
  for (const message of notices)
    await session.journal.append(life.task.id, { type: 'notice', message });
  return [{ type: 'checkpoint.created', tag, commit }];
}

export async function rollBack(life: Life, session: Session): Promise<readonly Outcome[]> {
  const { workspace } = session.ports;
  show(life, session, 'rollback');
  const { snapshot, notices, kept } = await workspace.rollBack(withEnd(life.id, life.state));
  const told = await changedByReviewer(life, snapshot, session);
  if (told !== undefined)
    await session.journal.append(life.task.id, { type: 'notice', message: told });
  for (const message of notices)
    await session.journal.append(life.task.id, { type: 'notice', message });
  return [{ type: 'rollback.done', snapshot, ...(kept && { kept }) }];
}

function show(life: Life, session: Session, step: 'checkpoint' | 'rollback'): void {
  const { state, task } = life;
  const { attempt, attempts } = attemptOf(state);
  session.onProgress({ type: 'step', task: task.id, attempt, attempts, step, name: '' });
}
