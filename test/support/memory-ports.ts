import type { Event, GateResult, Recorded, Verdict } from '../../src/core/events.ts';
import type { Note } from '../../src/core/note.ts';
import { pastOf } from '../../src/core/plan-past.ts';
import {
  StaleWrite,
  type Agent,
  type AgentEnd,
  type AgentJob,
  type Agents,
  type Gate,
  type GateJob,
  type Inspection,
  type Ledger,
  type Workspace,
} from '../../src/ports.ts';
import type { Ports } from '../../src/run/session.ts';
import { aTask } from './plans.ts';

/** What happens in one attempt, told in advance. */
export interface Luck {
  readonly agent?: 'finished' | 'failed' | 'interrupted';
  readonly gate?: Verdict | 'interrupted';
  readonly tree?: 'unchanged' | 'tampered';
}

export interface World {
  readonly ports: Ports;
  readonly events: Recorded[];
  readonly jobs: AgentJob[];
  /** Every call that changes git, in order: `checkpoint 0001-a`, `rollBack a#1`. */
  readonly deeds: string[];
}

/** Ports without a disk: each attempt of a task takes the next luck of its list; a task without any always passes. */
export function aWorld(lucks: Readonly<Record<string, readonly Luck[]>>): World {
  const events: Recorded[] = [];
  const jobs: AgentJob[] = [];
  const deeds: string[] = [];
  const luck = (task: string, number: number): Luck => lucks[task]?.[number - 1] ?? {};
  const ports: Ports = {
    ledger: aLedger(events),
    workspace: aWorkspace(luck, deeds),
    agents: only({
      name: 'scripted',
      reports: { tokens: false, usd: false },
      assertReady: () => Promise.resolve(),
      prompt: () => Promise.resolve(''),
      key: ({ task, attempt, model = '' }) =>
        Promise.resolve(`${task.id} ${attempt.attempt} ${model}`),
      run: (job) => {
        jobs.push(job);
        return Promise.resolve(agentEnd(luck(job.task.id, job.attempt.number)));
      },
    }),
    gates: {
      find: () => Promise.resolve([aGate]),
      hash: () => Promise.resolve('sha256:00'),
      run: (job) => runGates(job, (task, number) => luck(task, number), events),
    },
    processes: { endByToken: () => Promise.resolve([]), outside: () => Promise.resolve([]) },
    clock: aClock(),
  };
  return { ports, events, jobs, deeds };
}

/** One agent for all tasks. */
export function only(agent: Agent): Agents {
  return { name: agent.name, of: () => [agent] };
}

/** The only agent of a world. */
export function agentIn({ ports }: World): Agent {
  const [agent] = ports.agents.of(aTask('any'));
  if (agent === undefined) throw new Error('nobody works here');
  return agent;
}

const aGate: Gate = {
  name: 'check',
  command: 'gates/check.sh',
  timeout: 1000,
  only: [],
  soft: false,
  fix: false,
  retries: 2,
};

function agentEnd(luck: Luck): AgentEnd {
  const step = { seconds: 1, log: 'agent.log' };
  if (luck.agent === 'interrupted') return { ...step, kind: 'interrupted' };
  if (luck.agent !== 'failed') return { ...step, kind: 'finished', ended: 'exit 0' };
  const failure = { kind: 'agent-error', detail: 'exit 3' } as const;
  return { ...step, kind: 'failed', ended: 'exit 3', exit: 3, failure };
}

async function runGates(
  job: GateJob,
  luck: (task: string, number: number) => Luck,
  events: readonly Recorded[],
): Promise<{ results: GateResult[]; verdict: Verdict | 'interrupted' }> {
  const task = job.task?.id ?? '';
  const number = events.filter((e) => e.task === task && e.event.type === 'attempt.started').length;
  const verdict = luck(task, number).gate ?? 'pass';
  if (verdict === 'interrupted' || job.gates.length === 0)
    return { results: [], verdict: verdict === 'interrupted' ? verdict : 'pass' };
  const results = job.gates.map(({ name, command, soft }): GateResult => {
    const ended = verdict === 'pass' ? 'exit 0' : 'exit 1';
    const words = { name, command, soft, verdict, ended, exit: verdict === 'pass' ? 0 : 1 };
    return { ...words, seconds: 1, digest: 'sha256:0', tail: `says ${verdict}`, log: '' };
  });
  for (const result of results) await job.onResult(result);
  return { results, verdict };
}

function aWorkspace(luck: (task: string, number: number) => Luck, deeds: string[]): Workspace {
  let commits = 0;
  const facts = { top: '/t', commonDir: '/g', gitDir: '/g', branch: 'refs/heads/main', head: 'c0' };
  const inspect = (task: string, number: number): Inspection => {
    const kind = luck(task, number).tree;
    if (kind === undefined)
      return { kind: 'candidate', tree: `tree-${task}-${number}`, changed: [], notices: [] };
    const failure = { kind: kind === 'tampered' ? 'tampered' : 'no-change' } as const;
    return { kind: 'refused', failure, notices: [] };
  };
  const unused = (): Promise<never> => Promise.reject(new Error('not part of this test'));
  return {
    facts,
    id: 'w',
    assertReady: () => Promise.resolve(),
    dirt: () => Promise.resolve([]),
    treeWith: unused,
    commitTree: unused,
    tag: () => Promise.resolve(true),
    resolve: () => Promise.resolve(undefined),
    highestProof: () => Promise.resolve(0),
    activeHooks: () => Promise.resolve([]),
    readWorkFile: unused,
    holds: () => Promise.resolve(true),
    writeWorkFile: unused,
    readAt: unused,
    treeOf: () => Promise.resolve('tree-0'),
    diff: unused,
    shortDiff: unused,
    changedPaths: unused,
    begin: () => Promise.resolve(`c${commits}`),
    takeUp: () => Promise.resolve(`c${commits}`),
    inspect: ({ id, number }) => Promise.resolve(inspect(id, number)),
    reinspect: ({ id, number }) => Promise.resolve(inspect(id, number)),
    settle: () => Promise.resolve(undefined),
    commitObject: () => Promise.resolve(`c${++commits}`),
    proofObject: () => Promise.resolve('proof'),
    checkpoint: (_, { tag }) => {
      deeds.push(`checkpoint ${tag.replace('refs/tags/skeleton/plan/', '')}`);
      return Promise.resolve([]);
    },
    rollBack: ({ id, number }) => {
      deeds.push(`rollBack ${id}#${number}`);
      const snapshot = { ref: `refs/skeleton/attempts/plan/${id}/${number}`, commit: 's' };
      return Promise.resolve({ snapshot, notices: [] });
    },
    reapply: ({ id, number }) => {
      deeds.push(`reapply ${id}#${number}`);
      return Promise.resolve(true);
    },
    merge: ({ id, number }) => {
      deeds.push(`merge ${id}#${number}`);
      return Promise.resolve([]);
    },
    layOut: ({ id, number }, { tree }) => {
      deeds.push(`layOut ${tree} for ${id}#${number}`);
      return Promise.resolve(tree.startsWith('gone') ? undefined : []);
    },
    end: () => Promise.resolve(),
  };
}

function aLedger(events: Recorded[]): Ledger {
  let number = 0;
  let notes: Note[] = [];
  const ofTask = (task: string): Recorded[] => events.filter((e) => e.task === task);
  const open = new Set<string>();
  return {
    isShared: false,
    assertReadable: () => Promise.resolve(),
    history: () => Promise.resolve(events),
    past: () => Promise.resolve(pastOf(events)),
    sinceEnd: () => Promise.resolve(events),
    refsTold: () => Promise.resolve(new Set()),
    taskHistory: (_, task) => Promise.resolve(ofTask(task)),
    append: (entry, expectedSeq) => {
      const seq = ofTask(entry.task).length + 1;
      if (seq !== (expectedSeq ?? seq - 1) + 1) return Promise.reject(new StaleWrite(entry.task));
      const recorded: Recorded = { ...entry, at: `t${events.length}`, seq };
      events.push(recorded);
      track(open, entry.task, entry.event);
      return Promise.resolve(recorded);
    },
    restore: () => Promise.resolve(),
    plans: () => Promise.resolve(new Map()),
    addPlan: () => Promise.resolve(),
    runs: () => Promise.resolve([]),
    ofRun: (_, run) => Promise.resolve(events.filter((one) => one.run === run)),
    highestNumber: () => Promise.resolve(number),
    takeNumber: (_, above) => Promise.resolve((number = Math.max(number, above) + 1)),
    underWay: () => Promise.resolve([...open].map((task) => ({ plan: 'plan', task }))),
    underWayElsewhere: () => Promise.resolve([]),
    knowsCommit: () => Promise.resolve(false),
    verdict: () => Promise.resolve(undefined),
    rememberVerdict: () => Promise.resolve(),
    post: (_, note) => {
      notes.push(note);
      return Promise.resolve();
    },
    inbox: () => Promise.resolve([...notes]),
    take: (_, ids) => {
      notes = notes.filter(({ id }) => !ids.includes(id));
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}

function track(open: Set<string>, task: string, event: Event): void {
  if (event.type === 'attempt.started') open.add(task);
  if (event.type === 'rollback.done' || event.type === 'checkpoint.created') open.delete(task);
}

function aClock(): Ports['clock'] {
  let ids = 0;
  return {
    now: () => '2026-01-01T00:00:00.000Z',
    monotonic: () => 0,
    sleep: () => Promise.resolve(),
    id: () => `id${++ids}`,
  };
}
