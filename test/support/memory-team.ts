import type { Config } from '../../src/core/config.ts';
import type { GateResult, Verdict } from '../../src/core/events.ts';
import type { Task } from '../../src/core/plan/plan.ts';
import { settingsOf } from '../../src/core/settings.ts';
import type { Agent, AgentEnd, AgentJob, Gate, GateJob, GateRun } from '../../src/ports.ts';
import { openJournal } from '../../src/run/journal.ts';
import { openPurse } from '../../src/run/purse.ts';
import { openRoster } from '../../src/run/roster.ts';
import { runInTeam } from '../../src/run/run-in-team.ts';
import type { RunEnd } from '../../src/run/run-plan.ts';
import type { Ports, Session } from '../../src/run/session.ts';
import type { Team } from '../../src/run/team.ts';
import { openWaitBudget } from '../../src/run/wait-budget.ts';
import {
  containsIn,
  filesIn,
  openMemoryClone,
  openMemoryOrigin,
  planBytes,
  theBranch,
  tickedBytes,
  tickedIn,
  type Files,
  type MemoryClone,
  type MemoryOrigin,
} from './memory-git.ts';
import { only } from './memory-ports.ts';
import {
  openSchedule,
  type Actor,
  type Schedule,
  type ScheduleOptions,
} from './memory-schedule.ts';
import { openMemoryServer, type MemoryServer } from './memory-server.ts';
import { aPlan } from './plans.ts';

/** What agents and gates do, wherever they are called. */
export interface Conduct {
  /** What the agent leaves in the work tree; undefined: it fails. By default a file of the task's own. */
  readonly works?: (task: string, attempt: number, files: Files) => Files | undefined;
  /** Milliseconds that it takes. */
  readonly takes?: (task: string) => number;
  readonly judges?: (task: string, files: Files) => Verdict;
  /** Milliseconds for which the provider turns the agent away. */
  readonly turnsAway?: (task: string, attempt: number) => number | undefined;
}

export interface WorkerOptions {
  /** Ids of tasks that its user named; all, in the plan's order. */
  readonly named?: readonly string[];
  readonly config?: Config;
  /** In the schedule's time, milliseconds. */
  readonly joinsAt?: number;
}

export interface MemoryWorker extends Actor {
  /** Set once it is over; a death leaves it undefined, and so does an error. */
  end: RunEnd | undefined;
  error: unknown;
  isOver: boolean;
  readonly stop: AbortController;
  /** Tasks in the order in which its agent began them. */
  readonly begun: readonly string[];
  /** What it told its user. */
  readonly said: readonly string[];
}

/** A ledger's server, a git remote and the machines that meet there, without a disk or a network. */
export interface MemoryTeam {
  readonly server: MemoryServer;
  readonly origin: MemoryOrigin;
  readonly schedule: Schedule;
  readonly workers: readonly MemoryWorker[];
  readonly join: (name: string, options?: WorkerOptions) => MemoryWorker;
  /** It stops for ever, and the server notices it at once, unless told otherwise. */
  readonly kill: (worker: Actor, isNoticed?: boolean) => void;
  /** Until every worker that lives is done. */
  readonly run: () => Promise<void>;
}

export function aTeam(
  tasks: readonly Task[],
  conduct: Conduct = {},
  options: ScheduleOptions = { pick: () => 0 },
): MemoryTeam {
  const schedule = openSchedule(options);
  const origin = openMemoryOrigin();
  const server = openMemoryServer(schedule);
  const workers: MemoryWorker[] = [];
  const place = { schedule, origin, server, tasks, conduct };
  return {
    ...{ server, origin, schedule, workers },
    join: (name, asked = {}) => {
      const worker = open(place, name, asked);
      workers.push(worker);
      return worker;
    },
    kill: (worker, isNoticed = true) => {
      worker.isDead = true;
      if (isNoticed) server.drop(worker);
    },
    run: () => schedule.run(() => workers.every((one) => one.isOver || one.isDead)),
  };
}

interface Place {
  readonly schedule: Schedule;
  readonly origin: MemoryOrigin;
  readonly server: MemoryServer;
  readonly tasks: readonly Task[];
  readonly conduct: Conduct;
}

interface Machine {
  readonly place: Place;
  readonly worker: MemoryWorker;
  readonly begun: string[];
  readonly said: string[];
  readonly clone: MemoryClone;
}

function open(place: Place, name: string, asked: WorkerOptions): MemoryWorker {
  const [begun, said]: [string[], string[]] = [[], []];
  const worker: MemoryWorker = {
    ...{ name, isDead: false, pausedUntil: asked.joinsAt ?? 0, end: undefined, error: undefined },
    ...{ isOver: false, stop: new AbortController(), begun, said },
  };
  const clone = openMemoryClone(place.origin, place.schedule, worker);
  const machine: Machine = { place, worker, begun, said, clone };
  void work(machine, asked).then(
    (end) => Object.assign(worker, { end, isOver: true }),
    (error: unknown) => Object.assign(worker, { error, isOver: true }),
  );
  return worker;
}

/** As `skeleton run` does: joins, works, tells how it ended, leaves. */
async function work(machine: Machine, { named = [], config = {} }: WorkerOptions): Promise<RunEnd> {
  const { place, worker, clone } = machine;
  const { ledger, claims } = place.server.connect(worker);
  await claims.join('plan', []);
  try {
    const { commit, ticked } = await clone.look();
    const bytes = planBytes(ticked);
    const now = place.tasks.map((task) =>
      ticked.includes(task.id) ? { ...task, state: 'done' as const } : task,
    );
    const plan = aPlan(now);
    await clone.layOut(commit);
    const settings = settingsOf(config);
    const ports = portsOf(machine, ledger);
    const session = sessionOf(machine, { ports, plan, settings });
    const tasks = plan.tasks
      .filter(({ id, state }) => state === 'pending' && (named.length === 0 || named.includes(id)))
      .slice(0, settings.limit);
    const job = { tasks, plan: bytes, lifted: new Set(named), usedUp: new Set<string>() };
    const end = await runInTeam(job, session, teamOf(machine, claims, session));
    await session.journal.append('', { type: 'run.finished', status: 0, ...end });
    return end;
  } finally {
    await claims.leave('plan');
  }
}

function teamOf(
  { place, clone, worker, said }: Machine,
  claims: Team['claims'],
  session: Session,
): Team {
  return {
    ...{ claims, remote: clone.remote, branch: theBranch, owner: worker.name },
    givesAttempts: false,
    contains: (commit, other) => Promise.resolve(containsIn(place.origin, commit, other)),
    onEarlier: () => undefined,
    look: async () => {
      const { commit, ticked } = await clone.look();
      return { commit, plan: planBytes(ticked), done: new Set(ticked) };
    },
    layOut: async (commit) => {
      await clone.layOut(commit);
      return session;
    },
    settle: async () => {
      const { commit } = await clone.look();
      await clone.layOut(commit);
      return commit;
    },
    leaveTree: clone.leave,
    say: (message) => void said.push(message),
  };
}

function sessionOf(
  { worker }: Machine,
  { ports, plan, settings }: Pick<Session, 'ports' | 'plan' | 'settings'>,
): Session {
  const { signal } = worker.stop;
  return {
    ...{ ports, plan, settings, highestProof: 0, signal },
    journal: openJournal({
      ...{ ledger: ports.ledger, locks: [], run: worker.name, plan: 'plan' },
      onEvent: () => undefined,
    }),
    waits: openWaitBudget(settings.maxWait),
    purse: openPurse(settings.budget),
    roster: openRoster(ports.agents, ports.clock),
    isInterrupted: () => signal.aborted,
    onProgress: () => undefined,
    tick: (bytes, task) => planBytes([...new Set([...tickedBytes(bytes), task])]),
    differsInMarksOnly: () => true,
    logFolder: (task, number) => `logs/${task}/${number}`,
  };
}

function portsOf(machine: Machine, ledger: Ports['ledger']): Ports {
  const { place, worker, clone } = machine;
  const { schedule } = place;
  const agent: Agent = {
    name: 'scripted',
    reports: { tokens: false, usd: false },
    assertReady: () => Promise.resolve(),
    prompt: () => Promise.resolve(''),
    key: () => Promise.resolve('sha256:0'),
    run: (job) => runAgent(machine, job),
  };
  let ids = 0;
  return {
    ledger,
    workspace: clone.workspace,
    agents: only(agent),
    gates: {
      find: () => Promise.resolve([aGate]),
      hash: () => Promise.resolve('sha256:00'),
      run: (job) => runGates(machine, job),
    },
    processes: { endByToken: () => Promise.resolve([]), outside: () => Promise.resolve([]) },
    clock: {
      now: () => new Date(schedule.now()).toISOString(),
      monotonic: schedule.now,
      sleep: (ms, signal) => schedule.until(worker, () => signal.aborted, schedule.now() + ms),
      id: () => `${worker.name}-${(ids += 1)}`,
    },
  };
}

const aGate: Gate = {
  ...{ name: 'check', command: 'gates/check.sh', timeout: 1000, only: [] },
  ...{ soft: false, fix: false, retries: 2 },
};

async function runAgent(
  { place, worker, begun, clone }: Machine,
  job: AgentJob,
): Promise<AgentEnd> {
  const { schedule, conduct } = place;
  const { works = ownFile, takes, turnsAway } = conduct;
  const { task, attempt, signal } = job;
  begun.push(task.id);
  await schedule.step(worker, `agent ${task.id}`);
  const end = schedule.now() + (takes?.(task.id) ?? 0);
  await schedule.until(worker, () => signal.aborted, end);
  const step = { seconds: 1, log: 'agent.log' };
  if (signal.aborted) return { ...step, kind: 'interrupted' };
  const away = turnsAway?.(task.id, attempt.number);
  if (away !== undefined) {
    const until = new Date(schedule.now() + away).toISOString();
    return { ...step, kind: 'throttled', ended: 'exit 1', exit: 1, until };
  }
  const made = works(task.id, attempt.number, clone.files);
  Object.assign(clone.files, made);
  if (made !== undefined) return { ...step, kind: 'finished', ended: 'exit 0' };
  const failure = { kind: 'agent-error', detail: 'exit 3' } as const;
  return { ...step, kind: 'failed', ended: 'exit 3', exit: 3, failure };
}

function ownFile(task: string, attempt: number): Files {
  return { [`src/${task}`]: `${task}#${attempt}` };
}

async function runGates({ place, worker }: Machine, job: GateJob): Promise<GateRun> {
  const { schedule, conduct } = place;
  if (job.gates.length === 0) return { results: [], verdict: 'pass' };
  await schedule.step(worker, `gates ${job.task?.id ?? ''}`);
  if (job.signal.aborted) return { results: [], verdict: 'interrupted' };
  const verdict = conduct.judges?.(job.task?.id ?? '', filesIn(job.tree)) ?? 'pass';
  const results = job.gates.map(({ name, command, soft }): GateResult => {
    const ended = verdict === 'pass' ? 'exit 0' : 'exit 1';
    const words = { name, command, soft, verdict, ended, exit: verdict === 'pass' ? 0 : 1 };
    return { ...words, seconds: 1, digest: 'sha256:0', tail: '', log: '' };
  });
  for (const result of results) await job.onResult(result);
  return { results, verdict };
}

/** Tasks that are ticked on the remote's branch. */
export function doneIn({ origin }: MemoryTeam): readonly string[] {
  const tip = origin.refs.get(theBranch) ?? '';
  return [...tickedIn(origin.commits.get(tip)?.files ?? {})].sort();
}
