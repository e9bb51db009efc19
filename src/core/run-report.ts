import { attemptsIn, type AttemptSummary } from './attempt-summary.ts';
import type { Recorded, TaskEvent } from './events.ts';
import { groupBy, isOfTask, secondsBetween, type OfTask } from './history.ts';
import { evolve, initial } from './machine.ts';
import { toldTo } from './plan-past.ts';
import type { RunSummary } from './run-summary.ts';
import { summarise, type PlannedTask, type TaskSummary } from './summary.ts';
import { sumUsage, type UsageSum } from './usage.ts';

/** One run, as every report of it shows it, or those of a team. */
export interface RunReport {
  /** Of a team: from its first start to its last event, with the id and the end of the run that is the last to end. */
  readonly run: RunSummary;
  /** Of a team of more than one, in the order in which they began. */
  readonly runs?: readonly RunSummary[];
  /** Those that the run, or any of the team, said anything about, in the order in which it did. */
  readonly tasks: readonly ReportedTask[];
}

/** A task as the run left it; attempts, times and costs are the run's own. */
export interface ReportedTask extends Omit<TaskSummary, 'line' | 'needs' | 'waits'> {
  readonly waits: readonly Wait[];
}

/** A time in which the run could only wait for an agent's provider. */
export interface Wait {
  /** ISO 8601, UTC. */
  readonly from: string;
  /** Undefined while it goes on, or where the run ended in it. */
  readonly to: string | undefined;
  /** ISO 8601, UTC: until when it was to last. */
  readonly until: string;
  readonly agent: string | undefined;
}

/** What one attempt was asked, did and was told; texts as they were kept, undefined where nothing was. */
export interface AttemptDetail {
  readonly attempt: AttemptSummary;
  readonly title: string;
  readonly prompt: string | undefined;
  /** Against the commit it began from. */
  readonly diff: string | undefined;
  /** Full output of each gate that ran, by name. */
  readonly outputs: ReadonlyMap<string, string>;
  /** Absolute path of the agent's log; undefined where it did not run. */
  readonly agentLog: string | undefined;
  /** The machine that keeps prompt, logs and outputs, where it is in another clone of those that share the ledger. */
  readonly keptOn?: string;
  /** What of it `gc` took, if it is not there. */
  readonly pruned?: { readonly logs: boolean; readonly snapshot: boolean };
}

/** The details of attempts, by `TASK#N`. */
export type AttemptDetails = ReadonlyMap<string, AttemptDetail>;

/** `TASK#N`, as people type it. */
export function attemptName({ task, number }: Pick<AttemptSummary, 'task' | 'number'>): string {
  return `${task}#${number}`;
}

/**
 * The report of a run, the last one unless its id is given, from a plan's history in order of writing; undefined where there
 * is no such run. An attempt that a dead run began and this one finished is in the reports of both. Titles of tasks that
 * were never started come from the plan.
 */
export function reportOf(
  events: readonly Recorded[],
  planned: readonly PlannedTask[] = [],
  id?: string,
): RunReport | undefined {
  const run = id ?? events.findLast(({ event }) => event.type === 'run.started')?.run;
  return run === undefined ? undefined : reportOfAll(events, planned, [run]);
}

/**
 * The same of runs that worked together (core/team-runs.ts), told as one: its end is that of the last of `runs`. Undefined where that
 * one never began.
 */
export function reportOfAll(
  events: readonly Recorded[],
  planned: readonly PlannedTask[],
  runs: readonly string[],
): RunReport | undefined {
  const members: ReadonlySet<string> = new Set(runs);
  const end = events.findLastIndex((recorded) => members.has(recorded.run));
  const past = events.slice(0, end + 1);
  const summary = summarise(undefined, past);
  const own = summary.runs.filter((one) => members.has(one.run));
  const last = own.find((one) => one.run === runs.at(-1));
  if (last === undefined) return undefined;
  const titles = new Map(planned.map((task) => [task.id, task.title]));
  const histories = groupBy(past.filter(isOfTask), (recorded) => recorded.task);
  const byId = new Map(summary.tasks.map((task) => [task.id, task]));
  const touched = new Set(
    past.filter(isOfTask).flatMap((one) => (members.has(one.run) ? one.task : [])),
  );
  const tasks = [...touched].flatMap((task) => {
    const known = byId.get(task);
    if (known === undefined) return [];
    const title = known.title === task ? (titles.get(task) ?? task) : known.title;
    return [reported({ ...known, title }, histories.get(task) ?? [], members)];
  });
  if (own.length === 1) return { run: last, tasks };
  return { run: asOne(own, last, { usage: usageOf(tasks), until: past.at(-1) }), runs: own, tasks };
}

function asOne(
  runs: readonly RunSummary[],
  last: RunSummary,
  { usage, until }: { readonly usage: UsageSum; readonly until: Recorded | undefined },
): RunSummary {
  const { startedAt, base } = runs[0] ?? last;
  const notices = [...new Set(runs.flatMap((run) => run.notices))];
  const seconds = secondsBetween({ at: startedAt }, until);
  return { ...last, startedAt, base, seconds, usage, notices };
}

type Runs = ReadonlySet<string>;

function reported(task: TaskSummary, history: readonly OfTask[], runs: Runs): ReportedTask {
  const numbers = numbersOf(history, runs);
  const attempts = attemptsIn(task.id, history).filter(({ number }) => numbers.has(number));
  const { id, title, state, checkpoint, why } = task;
  const told = toldTo(history.filter((one) => runs.has(one.run)));
  return {
    id,
    title,
    state,
    checkpoint,
    why,
    attempts,
    seconds: attempts.reduce((sum, attempt) => sum + attempt.seconds, 0),
    usage: usageOf([{ attempts }]),
    ...(told.length > 0 && { told }),
    waits: waitsIn(history, runs),
  };
}

function usageOf(tasks: readonly Pick<ReportedTask, 'attempts'>[]): UsageSum {
  return sumUsage(tasks.flatMap(({ attempts }) => attempts.flatMap(({ usage }) => usage ?? [])));
}

/** Later words about an attempt that are no part of it. */
const aside: ReadonlySet<TaskEvent['type']> = new Set([
  ...(['checkpoint.verified', 'notice', 'task.finished'] as const),
  ...(['task.reopened', 'task.started', 'task.told', 'wait.over', 'agent.throttled'] as const),
]);

/** Numbers of the attempts that the runs began or went on with. */
function numbersOf(history: readonly OfTask[], runs: Runs): ReadonlySet<number> {
  const numbers = new Set<number>();
  let current: number | undefined;
  for (const { event, run: writer } of history) {
    if (event.type === 'attempt.started') current = event.number;
    if (current !== undefined && runs.has(writer) && !aside.has(event.type)) numbers.add(current);
  }
  return numbers;
}

/** The times that a machine spent waiting, of those that the runs began. */
function waitsIn(history: readonly OfTask[], runs: Runs): readonly Wait[] {
  const waits: (Wait & { readonly run: string })[] = [];
  let state = initial;
  let agent: string | undefined;
  for (const { event, at, run: writer } of history) {
    const before = state.phase;
    state = evolve(state, event);
    if (event.type === 'agent.throttled') agent = event.agent;
    const last = before === 'waiting' ? waits.pop() : undefined;
    const open = last ?? { from: at, run: writer, agent, until: '' };
    if (state.phase === 'waiting')
      waits.push({ ...open, agent, to: undefined, until: state.until });
    // Put off to a later run: nobody waited until then.
    else if (last !== undefined) waits.push({ ...last, to: writer === last.run ? at : undefined });
  }
  return waits
    .filter((wait) => runs.has(wait.run))
    .map(({ from, to, until, agent: who }) => ({ from, to, until, agent: who }));
}
