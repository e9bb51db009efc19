import type { TaskEvent } from '../core/events.ts';
import type { Outcome } from '../core/machine.ts';
import type { AgentEnd, AgentJob, Outsider } from '../ports.ts';
import { attemptOf, feedbackOf, type Life } from './life.ts';
import type { Session } from './session.ts';
import { voided } from './void.ts';

/** The agent's step. Its exit status decides only whether the tree is worth looking at. */
export async function runAgent(life: Life, session: Session): Promise<readonly Outcome[]> {
  const { agent, processes } = session.ports;
  const { attempt, attempts } = attemptOf(life.state);
  session.onProgress({
    type: 'step',
    task: life.task.id,
    attempt,
    attempts,
    step: 'agent',
    name: agent.name,
  });
  // Beside the agent's own work: its first container is slower than this look.
  const before = processes.outside(session.signal);
  const end = await agent.run(agentJob(life, session));
  await tellOutsiders(await before, life, session);
  if (end.kind === 'throttled') return throttled(end, life, session);
  return outcomes(end, session);
}

function agentJob(life: Life, session: Session): AgentJob {
  const { state, task } = life;
  const { attempt, attempts, base, token } = attemptOf(state);
  return {
    plan: session.plan,
    task,
    attempt: { number: state.number, attempt, attempts },
    run: session.journal.run,
    base,
    token,
    gates: life.gates.map((gate) => gate.name),
    protect: session.settings.protect,
    feedback: feedbackOf(state, life.events),
    logFolder: session.logFolder(life.id.task, state.number),
    signal: session.signal,
  };
}

/** What is new since the attempt began and did not end with it is in no process tree of ours: it can only be told. */
async function tellOutsiders(
  before: readonly Outsider[],
  life: Life,
  { ports, signal, journal }: Session,
): Promise<void> {
  if (signal.aborted) return;
  const known = new Set(before.map(({ id }) => id));
  const left = (await ports.processes.outside(signal)).filter(({ id }) => !known.has(id));
  for (const { what, name, end } of left.slice(0, MOST_TOLD)) {
    const message = `the attempt left a ${what} running: ${name} (to end it: ${end})`;
    await journal.append(life.task.id, { type: 'notice', message });
  }
  if (left.length <= MOST_TOLD) return;
  const message = `and ${left.length - MOST_TOLD} more containers or units`;
  await journal.append(life.task.id, { type: 'notice', message });
}

const MOST_TOLD = 5;

type Throttled = Extract<AgentEnd, { kind: 'throttled' }>;

function throttled(end: Throttled, life: Life, session: Session): readonly Outcome[] {
  const { seconds, ended, exit, log } = end;
  const until = notBefore(end.until, life, session);
  return [
    { type: 'agent.finished', seconds, ended, exit, log },
    { type: 'agent.throttled', until },
    { type: 'attempt.voided', why: 'throttled', until },
  ];
}

/** Milliseconds. */
const LEAST_WAIT = 1000;
const MOST_BACKOFF = 300_000;

/** A provider that turns the agent away "until now", over and over, is asked again after 1, 2, 4 … seconds, up to 5 minutes. */
function notBefore(until: string, { events }: Life, { ports }: Session): string {
  const ends = events.filter(
    ({ type }) => type === 'attempt.rejected' || type === 'attempt.voided',
  );
  const inARow = ends.length - 1 - ends.findLastIndex((end) => !isThrottled(end));
  const least = Math.min(LEAST_WAIT * 2 ** inARow, MOST_BACKOFF);
  const earliest = Date.parse(ports.clock.now()) + least;
  return Date.parse(until) > earliest ? until : new Date(earliest).toISOString();
}

function isThrottled(end: TaskEvent): boolean {
  return end.type === 'attempt.voided' && end.why === 'throttled';
}

function outcomes(end: Exclude<AgentEnd, Throttled>, session: Session): readonly Outcome[] {
  if (end.kind === 'interrupted') return [voided(session)];
  const finished: Outcome = {
    type: 'agent.finished',
    seconds: end.seconds,
    ended: end.ended,
    exit: end.kind === 'finished' ? 0 : end.exit,
    log: end.log,
  };
  if (end.kind === 'finished') return [finished];
  return [finished, { type: 'attempt.rejected', failure: end.failure }];
}
