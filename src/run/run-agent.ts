import type { Outcome } from '../core/machine.ts';
import { toldIn } from '../core/told.ts';
import { uncounted } from '../core/budget.ts';
import { sumUsage, type Usage } from '../core/usage.ts';
import { findingsIn } from '../core/stages/past.ts';
import type { Agent, AgentEnd, AgentJob, Outsider, ReviewJob, StageJob } from '../ports.ts';
import { attemptOf, feedbackOf, type Life } from './life.ts';
import { keyTrees, notReady, replayAttempt } from './replay.ts';
import { answered, ask, reviewJob } from './review.ts';
import type { Session } from './session.ts';
import { throttledBy } from './throttled-by.ts';
import { voided } from './void.ts';
import { isIntermediate } from './stages.ts';

/** The agent's step. Its exit status decides only whether the tree is worth looking at. */
export async function runAgent(life: Life, session: Session): Promise<readonly Outcome[]> {
  const { attempt, attempts, agent: name } = attemptOf(life.state);
  const step = { type: 'step', step: 'agent', name } as const;
  session.onProgress({ ...step, task: life.task.id, attempt, attempts });
  const agent = session.roster.named(life.task, name);
  const review = await reviewJob(life, session);
  const job = agentJob(life, session, review);
  const key = await agent.key(job, await keyTrees(life, session));
  const replayed = session.settings.replay ? await replayAttempt(key, life, session) : undefined;
  const outcomes = replayed ?? (await callAgent({ agent, job }, life, session));
  return outcomes.map((one) => (one.type === 'agent.finished' ? { ...one, key } : one));
}

async function callAgent(
  { agent, job }: { readonly agent: Agent; readonly job: AgentJob },
  life: Life,
  session: Session,
): Promise<readonly Outcome[]> {
  const { name } = agent;
  const { processes } = session.ports;
  // Work that was to be judged again is gone, and now the agent would have to begin anew.
  if (session.purse.refuses(life.events)) return [{ type: 'attempt.voided', why: 'over-budget' }];
  // Beside the agent's own work: its first container is slower than this look.
  const before = processes.outside(session.signal);
  const unready = session.settings.replay ? await notReady(agent) : undefined;
  const { end, answer } = unready === undefined ? await ask(agent, job) : { end: unready };
  await tellOutsiders(await before, life, session);
  if (end.usage !== undefined) session.purse.spend(end.usage, life.events);
  await tellUncounted(end, life, session);
  if (end.kind === 'throttled') return throttled(end, life, session);
  session.roster.letIn(name);
  if (end.kind === 'signed-out') session.roster.shut(`${name}: ${end.ended}; ${end.mend}`);
  const ended = outcomes(end, session);
  return answer === undefined ? ended : [...ended, ...(await answered(answer, life, session))];
}

function agentJob(life: Life, session: Session, review: ReviewJob | undefined): AgentJob {
  const { state, task } = life;
  const { attempt, attempts, base, token, model } = attemptOf(state);
  const notes = toldIn(life.events);
  return {
    ...(model !== undefined && { model }),
    ...(isSentBack(life) ? { continues: true } : goesOn(life, session)),
    ...(life.staged && { stage: stageJob(life.staged, review) }),
    plan: session.plan,
    task,
    attempt: { number: state.number, attempt, attempts },
    run: session.journal.run,
    base,
    slot: session.seat,
    token,
    gates: life.gates.map((gate) => gate.name),
    ...(isIntermediate(life) && { gatesAtEnd: (life.staged?.all ?? []).map((gate) => gate.name) }),
    protect: session.settings.protect,
    feedback: feedbackOf(state, life.events),
    ...(notes.length > 0 && { notes }),
    logFolder: session.logFolder(life.id.task, state.number),
    signal: session.signal,
    ...(session.settings.budget?.reached === 'cut' && {
      mayGoOn: (usage: Usage) => session.purse.mayGoOn(usage, life.events),
    }),
  };
}

function stageJob(
  { stage, nth, of, reviews }: NonNullable<Life['staged']>,
  review: ReviewJob | undefined,
): StageJob {
  const { name, prompt } = stage;
  return { ...{ name, prompt, nth, of }, ...(review && { reviews: reviews ?? 0, review }) };
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

/** Told to the run and not to the task, whose next prompt has no use for it. */
async function tellUncounted(
  { kind, usage = {} }: AgentEnd,
  { task, state }: Life,
  { settings, journal }: Session,
): Promise<void> {
  if (settings.budget === undefined || (kind !== 'finished' && kind !== 'failed')) return;
  const what = uncounted(settings.budget, usage);
  if (what === undefined) return;
  const message = `${task.id}#${state.number}: ${what}`;
  await journal.append('', { type: 'notice', message });
}

/** With its files, the conversation that made them goes on, where the agent can do that. */
function goesOn(
  { state, events }: Life,
  { settings }: Session,
): Pick<AgentJob, 'continues' | 'session' | 'sessionUsage'> {
  const begun = events.findLast((event) => event.type === 'attempt.started');
  if (settings.retry !== 'continue' || begun?.continues === undefined) return {};
  const number = state.lastFailure?.number;
  const from = events.findLastIndex((e) => e.type === 'attempt.started' && e.number === number);
  const [last, ...rest] = events.slice(from);
  const isSame = last?.type === 'attempt.started' && last.agent === begun.agent;
  const before = rest.find((event) => event.type === 'agent.finished');
  const session = isSame ? before?.session : undefined;
  if (session === undefined) return { continues: true };
  return { continues: true, session, sessionUsage: usageOfSession(session, events) };
}

/** What a review, or the gates after it, did not let pass is what lies there. */
function isSentBack({ state: { lastFailure }, events }: Life): boolean {
  if (lastFailure === undefined) return false;
  const begun = events.findLast((event) => event.type === 'attempt.started');
  return begun?.onto !== undefined && isSentBackBy(events, lastFailure.number);
}

function isSentBackBy(events: Life['events'], number: number): boolean {
  const last = events.findLast((e) => e.type === 'attempt.started' && e.number === number);
  if (last?.type !== 'attempt.started' || last.stage?.reviews === undefined) return false;
  return last.judge !== undefined || findingsIn(events, number).length > 0;
}

function usageOfSession(session: string, events: Life['events']): Usage | 'unknown' {
  const steps = events.flatMap((event) =>
    event.type === 'agent.finished' && event.session === session ? [event.usage ?? {}] : [],
  );
  const { unknown, steps: _steps, ...usage } = sumUsage(steps);
  return unknown.tokens > 0 ? 'unknown' : usage;
}

type Throttled = Extract<AgentEnd, { kind: 'throttled' }>;

/** Another agent goes on at once where one is free; else the first that will be is waited for. */
function throttled(end: Throttled, life: Life, session: Session): readonly Outcome[] {
  const { agent } = attemptOf(life.state);
  const away = session.roster.turnAway(agent, end);
  const next = session.roster.next(life.task);
  // Where another one is asked sooner, that is told on its own, before the next attempt.
  const isNext = 'until' in next && next.agent === agent;
  const { until } = away;
  return [
    finished(end),
    throttledBy(away, isNext ? undefined : next, life, session),
    { type: 'attempt.voided', why: 'throttled', ...(isNext && { until }) },
  ];
}

type Finished = Extract<Outcome, { type: 'agent.finished' }>;

function finished(end: Exclude<AgentEnd, { kind: 'interrupted' }>): Finished {
  const { seconds, ended, log, usage, session } = end;
  const exit = end.kind === 'finished' ? 0 : end.exit;
  return {
    ...{ type: 'agent.finished', seconds, ended, exit, log },
    ...(usage && { usage }),
    ...(session !== undefined && { session }),
  };
}

function outcomes(end: Exclude<AgentEnd, Throttled>, session: Session): readonly Outcome[] {
  switch (end.kind) {
    case 'interrupted':
      return [voided(session)];
    case 'finished':
      return [finished(end)];
    case 'failed':
      return [finished(end), { type: 'attempt.rejected', failure: end.failure }];
    case 'signed-out':
      return [finished(end), { type: 'attempt.voided', why: 'signed-out' }];
    case 'cut':
      session.purse.cut();
      return [finished(end), { type: 'attempt.voided', why: 'over-budget' }];
  }
}
