import type { KeyTrees } from '../core/attempt-key.ts';
import type { Snapshot, TaskEvent } from '../core/events.ts';
import type { Outcome } from '../core/machine.ts';
import {
  lastLeft,
  recordedResult,
  recordedReview,
  replayedAs,
  replayNotice,
} from '../core/recorded-result.ts';
import { Refusal, type Agent, type AgentEnd } from '../ports.ts';
import { attemptOf, type Life } from './life.ts';
import type { Session } from './session.ts';
import { isReviewing } from './stages.ts';

/** The trees that decide what the agent does: where it begins, and what it is told of. */
export async function keyTrees({ state, events }: Life, session: Session): Promise<KeyTrees> {
  const { workspace } = session.ports;
  const laid = laidIn(events);
  const last = state.lastFailure && lastLeft(events, state.lastFailure.number);
  return {
    base: await workspace.treeOf(attemptOf(state).base),
    ...(laid && { continues: await workspace.treeOf(laid.commit) }),
    ...(last !== undefined && { last }),
  };
}

/**
 * The recorded result of an equal attempt in the agent's place: what it had left lies in the work tree then, for the gates to
 * judge. Undefined, with a notice, where there is none; then the agent is called. What an agent did outside of the tree (ignored
 * files, commits, the network) is not repeated.
 */
export async function replayAttempt(
  key: string,
  life: Life,
  session: Session,
): Promise<readonly Outcome[] | undefined> {
  const { task, id, events } = life;
  if (isReviewing(life)) return replayReview(key, life, session);
  const recorded = recordedResult(events, key);
  if (recorded === undefined)
    return call('no attempt with the same input is recorded', life, session);
  const { number, exit, failure, tree, snapshot } = recorded;
  const { workspace } = session.ports;
  const over = laidIn(events);
  const notices =
    (await workspace.layOut(id, { tree, snapshot, over })) ??
    (snapshot && (await workspace.layOut(id, { tree: snapshot.commit, snapshot, over })));
  const from = `${task.id}#${number}`;
  if (notices === undefined)
    return call(`the recorded result of ${from} is gone, or cannot be laid out`, life, session);
  for (const message of notices) await tell(message, life, session);
  const finished: Outcome = {
    ...{ type: 'agent.finished', seconds: 0, ended: replayedAs(from), log: '' },
    exit: failure === undefined ? 0 : exit,
  };
  return failure === undefined ? [finished] : [finished, { type: 'attempt.rejected', failure }];
}

/** A review's recorded answer, which is all that comes of it. */
async function replayReview(
  key: string,
  life: Life,
  session: Session,
): Promise<readonly Outcome[] | undefined> {
  const { task, events } = life;
  const recorded = recordedReview(events, key);
  if (recorded === undefined)
    return call('no review with the same input is recorded', life, session);
  const ended = replayedAs(`${task.id}#${recorded.number}`);
  return [{ type: 'agent.finished', seconds: 0, ended, exit: 0, log: '' }, recorded.review];
}

async function call(why: string, life: Life, session: Session): Promise<undefined> {
  await tell(`${why}: the agent is called`, life, session);
}

/** Without a hint to the next attempt's agent. */
async function tell(what: string, { task }: Life, { journal }: Session): Promise<void> {
  await journal.append(task.id, { type: 'notice', message: `${replayNotice}${what}` });
}

/** Says so where gates are about to judge another tree than they were given at first. */
export async function compareReplay(life: Life, tree: string, session: Session): Promise<void> {
  const begun = life.events.findLastIndex(({ type }) => type === 'attempt.started');
  const finished = life.events
    .slice(begun)
    .find((event) => event.type === 'agent.finished' && event.ended.startsWith(replayedAs('')));
  if (finished?.type !== 'agent.finished' || finished.key === undefined) return;
  const recorded = recordedResult(life.events, finished.key);
  if (recorded?.left === undefined || recorded.left === tree) return;
  await tell(
    `the tree differs from the one that ${finished.ended.slice(replayedAs('').length)} had left`,
    life,
    session,
  );
}

/** With `--replay` an agent is asked whether it can work only when it has to. */
export async function notReady(agent: Agent): Promise<AgentEnd | undefined> {
  try {
    await agent.assertReady();
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { message: ended, mend } = error;
    return { kind: 'signed-out', seconds: 0, log: '', ended, mend, exit: null };
  }
}

type Begun = Extract<TaskEvent, { type: 'attempt.started' }>;

function begunIn(events: readonly TaskEvent[]): Begun | undefined {
  return events.findLast((event): event is Begun => event.type === 'attempt.started');
}

/** What lay in the tree when the agent was called. */
function laidIn(events: readonly TaskEvent[]): Snapshot | undefined {
  const begun = begunIn(events);
  return begun?.continues ?? begun?.onto;
}
