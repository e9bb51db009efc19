import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Config } from '../../../src/core/config.ts';
import type { Task } from '../../../src/core/plan/plan.ts';
import { settingsOf } from '../../../src/core/settings.ts';
import type { Agent, AgentJob, Workspace } from '../../../src/ports.ts';
import type { Slot, Slots } from '../../../src/run/ahead.ts';
import { openJournal } from '../../../src/run/journal.ts';
import { openPurse } from '../../../src/run/purse.ts';
import { openRoster } from '../../../src/run/roster.ts';
import { runPlan, type RunEnd } from '../../../src/run/run-plan.ts';
import type { Session } from '../../../src/run/session.ts';
import { openWaitBudget } from '../../../src/run/wait-budget.ts';
import { agentIn, aWorld, only, type World } from '../../support/memory-ports.ts';
import { aPlan, aTask } from '../../support/plans.ts';

interface Setting {
  readonly world: World;
  readonly tasks: readonly Task[];
  readonly jobs: number;
  readonly config?: Config;
  /** What the agent takes for a task, milliseconds. */
  readonly takes?: (task: string) => number;
  readonly onAgent?: (task: string) => void;
  readonly workspace?: Partial<Workspace>;
  /** Throws in place of a slot. */
  readonly broken?: number;
}

interface Watched {
  readonly end: Promise<RunEnd>;
  readonly stop: AbortController;
  /** How many agents were at work at once, at most. */
  readonly most: () => number;
  /** Tasks in the order in which the agent began them. */
  readonly begun: readonly string[];
  /** Of each agent that worked: its seat. */
  readonly seats: readonly number[];
  /** Slots that were opened, by number. */
  readonly slots: readonly number[];
}

const free = (id: string, more: Partial<Task> = {}): Task =>
  aTask(id, { explicitNeeds: true, ...more });

function watch(setting: Setting): Watched {
  const { world, tasks, jobs, config = {}, takes = () => 1 } = setting;
  const plan = aPlan(tasks);
  const [begun, slots, seats]: [string[], number[], number[]] = [[], [], []];
  const active = new Set<number>();
  let most = 0;
  const agent: Agent = {
    ...agentIn(world),
    run: async (job) => {
      begun.push(job.task.id);
      const seat = job.slot ?? -1;
      if (active.has(seat)) throw new Error(`two sit on ${seat}`);
      active.add(seat);
      seats.push(seat);
      most = Math.max(most, active.size);
      setting.onAgent?.(job.task.id);
      await sleep(takes(job.task.id));
      active.delete(seat);
      const end = await agentIn(world).run(job);
      return job.signal.aborted ? { kind: 'interrupted', seconds: 1, log: '' } : end;
    },
  };
  const agents = only(agent);
  const ports = {
    ...world.ports,
    agents,
    workspace: { ...world.ports.workspace, ...setting.workspace },
  };
  const stop = new AbortController();
  const settings = settingsOf(config);
  const session: Session = {
    ...{ ports, plan, settings, highestProof: 0, signal: stop.signal },
    journal: openJournal({
      ...{ ledger: ports.ledger, locks: [], run: 'r', plan: 'plan' },
      onEvent: () => undefined,
    }),
    waits: openWaitBudget(settings.maxWait),
    purse: openPurse(settings.budget),
    roster: openRoster(agents, ports.clock),
    isInterrupted: () => stop.signal.aborted,
    onProgress: () => undefined,
    tick: (bytes) => bytes,
    differsInMarksOnly: () => false,
    logFolder: (task, number) => `logs/${task}/${number}`,
  };
  const beside: Slots = {
    jobs,
    assertReady: () => Promise.resolve(),
    open: (nth, halt) => {
      slots.push(nth);
      if (nth === setting.broken) return Promise.reject(new Error('no room for a slot'));
      const signal = AbortSignal.any([stop.signal, halt]);
      const isInterrupted = (): boolean => signal.aborted;
      const own = { ...session, isAhead: true, signal, isInterrupted };
      const prepare: Slot['prepare'] = (_, seat) => Promise.resolve({ ...own, seat });
      return Promise.resolve({ prepare, isGone: () => false });
    },
  };
  const job = {
    ...{ tasks: plan.tasks, plan: new Uint8Array() },
    ...{ lifted: new Set<string>(), usedUp: new Set<string>() },
  };
  const end = runPlan({ ...job, base: 'c0' }, session, beside);
  return { end, stop, most: () => most, begun, seats, slots };
}

const checkpoints = ({ deeds }: World): readonly string[] =>
  deeds.filter((deed) => deed.startsWith('checkpoint'));

const ends = ({ events }: World): readonly string[] =>
  events.flatMap(({ task, event }) =>
    event.type === 'task.finished' ? [`${task} ${event.state}`] : [],
  );

const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => free(id));
const inOrder = six.map(({ id }, nth) => `checkpoint 000${nth + 1}-${id}`);
const red = { gate: 'fail' } as const;

describe('with several jobs', () => {
  test.each([2, 3, 5, 8])(
    '%i: the order is that of the plan, whoever is done first',
    async (jobs) => {
      const world = aWorld({ b: [red] });
      const takes = (task: string): number => ({ a: 40, b: 5, c: 25 })[task] ?? 1;
      const watched = watch({ world, tasks: six, jobs, takes });
      expect(await watched.end).toMatchObject({ why: 'done', counts: { passed: 6, pending: 0 } });
      expect(checkpoints(world)).toEqual(inOrder);
      expect(watched.most()).toBeLessThanOrEqual(jobs);
      expect(watched.most()).toBeGreaterThan(1);
      expect(Math.max(...watched.slots)).toBeLessThanOrEqual(jobs);
      expect(Math.min(...watched.seats)).toBe(0);
      expect(Math.max(...watched.seats)).toBeLessThan(jobs);
      expect(ends(world)).toEqual(six.map(({ id }) => `${id} passed`));
    },
  );

  test('a task is begun only once what it needs is on the branch', async () => {
    const world = aWorld({});
    const tasks = [free('a'), free('b', { needs: ['a'] }), free('c')];
    const { end, begun } = watch({ world, tasks, jobs: 3 });
    await end;
    expect(begun).toEqual(['a', 'c', 'b']);
  });

  test('tasks that name the same files are not worked on at once', async () => {
    const world = aWorld({});
    const tasks = ['a', 'b', 'c'].map((id) => free(id, { files: ['src/**'] }));
    const { end, most } = watch({ world, tasks, jobs: 3, takes: () => 5 });
    await end;
    expect(most()).toBe(1);
    expect(checkpoints(world)).toHaveLength(3);
  });

  test('what is sent back goes before tasks that have not begun', async () => {
    const world = aWorld({});
    let merges = 0;
    const workspace: Partial<Workspace> = {
      merge: ({ id }) => Promise.resolve(id === 'b' && (merges += 1) === 1 ? ['b.txt'] : []),
    };
    const watched = watch({ world, tasks: six, jobs: 2, takes: () => 5, workspace });
    expect(await watched.end).toMatchObject({ why: 'done' });
    expect(checkpoints(world)).toEqual(inOrder);
    expect(watched.most()).toBe(2);
    const again = watched.begun.lastIndexOf('b');
    expect(watched.begun.indexOf('e')).toBeGreaterThan(again);
    // The first time is free.
    expect(world.events.filter(({ event }) => event.type === 'attempt.rejected')).toEqual([]);
  });

  test('what goes wrong in a slot ends the run, and what is under way beside it is ended', async () => {
    const world = aWorld({});
    const { end } = watch({ world, tasks: six, jobs: 3, broken: 1 });
    await expect(end).rejects.toThrow('no room for a slot');
    expect(checkpoints(world)).toEqual(['checkpoint 0001-a']);
  });

  test('a stop leaves each task that was begun with one end', async () => {
    const world = aWorld({});
    const watched: Watched = watch({
      ...{ world, tasks: six, jobs: 3, takes: () => 20 },
      onAgent: (task) => {
        if (task === 'c') watched.stop.abort();
      },
    });
    expect(await watched.end).toMatchObject({ why: 'interrupted', counts: { pending: 6 } });
    expect([...ends(world)].sort()).toEqual(['a stopped', 'b stopped', 'c stopped']);
    const voids = world.events.filter(({ event }) => event.type === 'attempt.voided');
    expect(voids.map(({ task }) => task).sort()).toEqual(['a', 'b', 'c']);
  });

  test('fail-fast ends what is under way beside, without charging it', async () => {
    const world = aWorld({ a: [red], b: [red] });
    const takes = (task: string): number => ({ a: 30, c: 90 })[task] ?? 1;
    const tasks = [
      free('a', { config: { attempts: 1 } }),
      free('b', { config: { attempts: 1 } }),
      free('c'),
    ];
    const { end } = watch({ world, tasks, jobs: 3, takes, config: { failFast: true } });
    const { why, counts } = await end;
    expect(why).toBe('failed');
    expect(counts).toMatchObject({ failed: 2, pending: 1 });
    expect([...ends(world)].sort()).toEqual(['a failed', 'b failed', 'c stopped']);
  });

  test('once an agent is signed out nothing more begins', async () => {
    const world = aWorld({});
    const out = { kind: 'signed-out', ended: 'signed out', mend: 'log in', exit: 1 } as const;
    const agent = agentIn(world);
    const asked: string[] = [];
    Object.assign(agent, {
      run: ({ task }: { task: Task }) => {
        asked.push(task.id);
        return Promise.resolve({ ...out, seconds: 1, log: '' });
      },
    });
    const { end } = watch({ world, tasks: six, jobs: 2 });
    expect(await end).toMatchObject({ why: 'signed-out' });
    expect(asked.length).toBeLessThanOrEqual(2);
  });

  test('once a budget is reached nothing more begins, and what was under way is not lost', async () => {
    const world = aWorld({});
    const { run } = agentIn(world);
    const usage = { usd: 0.1 };
    Object.assign(agentIn(world), {
      run: async (job: AgentJob) => ({ ...(await run(job)), usage }),
    });
    const takes = (task: string): number => ({ a: 10, b: 60, c: 70 })[task] ?? 1;
    const config = { budget: { usd: 0.2 } };
    const { end, begun } = watch({ world, tasks: six, jobs: 3, takes, config });
    expect(await end).toMatchObject({ why: 'limit', counts: { passed: 4, pending: 2 } });
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    expect(checkpoints(world)).toEqual(inOrder.slice(0, 4));
  });

  test('an agent that is turned away is asked by nobody until its time, and all wait at once', async () => {
    let wall = Date.parse('2026-01-01T00:00:00.000Z');
    const until = wall + 60_000;
    const { ports, ...rest } = aWorld({});
    const clock = {
      ...ports.clock,
      now: () => new Date(wall).toISOString(),
      monotonic: () => wall,
      sleep: async (ms: number) => {
        const end = wall + ms;
        await sleep(2);
        wall = Math.max(wall, end);
      },
    };
    const world = { ...rest, ports: { ...ports, clock } };
    const { run } = agentIn(world);
    const away = { kind: 'throttled', seconds: 1, ended: 'exit 1', exit: 1, log: '' } as const;
    const asked: number[] = [];
    Object.assign(agentIn(world), {
      run: (job: AgentJob) => {
        asked.push(wall);
        const isAway = wall < until;
        return isAway ? { ...away, until: new Date(until).toISOString() } : run(job);
      },
    });
    // Three waits of a minute would be more.
    const { end } = watch({ world, tasks: six, jobs: 3, config: { maxWait: 90_000 } });
    expect(await end).toMatchObject({ why: 'done', counts: { passed: 6 } });
    expect(checkpoints(world)).toEqual(inOrder);
    expect(asked.filter((time) => time < until)).toHaveLength(3);
    expect(asked).toHaveLength(9);
  });
});
