import { describe, expect, test } from 'vitest';
import type { Config } from '../../../src/core/config.ts';
import type { Plan } from '../../../src/core/plan/plan.ts';
import { settingsOf } from '../../../src/core/settings.ts';
import type { Usage } from '../../../src/core/usage.ts';
import type { AgentEnd, AgentJob } from '../../../src/ports.ts';
import { openJournal } from '../../../src/run/journal.ts';
import { openPurse } from '../../../src/run/purse.ts';
import { openRoster } from '../../../src/run/roster.ts';
import { runPlan, type RunEnd } from '../../../src/run/run-plan.ts';
import { openWaitBudget } from '../../../src/run/wait-budget.ts';
import { agentIn, aWorld, only, type World } from '../../support/memory-ports.ts';
import { aPlan, aTask } from '../../support/plans.ts';

const abc = aPlan([aTask('a'), aTask('b'), aTask('c')]);
const a = aPlan([aTask('a')]);
const reject = { gate: 'fail' } as const;
const tenth: Usage = { input: 90, output: 10, usd: 0.1 };

/** Whose agent reports the same for each step, or is turned away until a time. */
function spending(inner: World, usage: Usage, until?: string): World {
  const run = async (job: AgentJob): Promise<AgentEnd> => {
    const end = await agentIn(inner).run(job);
    const step = { seconds: 1, log: 'agent.log', usage };
    if (job.mayGoOn?.(usage) === false) return { ...step, kind: 'cut', ended: 'cut', exit: null };
    if (until === undefined) return { ...end, usage };
    return { ...step, kind: 'throttled', ended: 'exit 1', exit: 1, until };
  };
  return { ...inner, ports: { ...inner.ports, agents: only({ ...agentIn(inner), run }) } };
}

function run(world: World, plan: Plan, config: Config): Promise<RunEnd> {
  const settings = settingsOf(config);
  const onEvent = (): void => undefined;
  const { ports } = world;
  const tasks = plan.tasks.filter((task) => task.state === 'pending');
  const job = {
    tasks,
    lifted: new Set<string>(),
    plan: new Uint8Array(),
    usedUp: new Set<string>(),
  };
  return runPlan(job, {
    ports,
    journal: openJournal({ ledger: ports.ledger, locks: [], run: 'r', plan: 'plan', onEvent }),
    plan,
    settings,
    waits: openWaitBudget(settings.maxWait),
    purse: openPurse(settings.budget),
    roster: openRoster(ports.agents, ports.clock),
    highestProof: 0,
    signal: new AbortController().signal,
    isInterrupted: () => false,
    onProgress: () => undefined,
    tick: (bytes) => bytes,
    differsInMarksOnly: () => false,
    logFolder: (task, number) => `logs/${task}/${number}`,
  });
}

const lastOf = (world: World, task: string): unknown =>
  world.events.findLast((e) => e.task === task)?.event;

describe('a budget that is reached', () => {
  test('lets the attempt finish, and then nothing begins', async () => {
    const world = spending(aWorld({}), tenth);
    const end = await run(world, abc, { budget: { usd: 0.2 } });
    expect(end).toMatchObject({ why: 'limit', counts: { passed: 2, failed: 0, pending: 1 } });
    expect(world.deeds).toEqual(['checkpoint 0001-a', 'checkpoint 0002-b']);
    expect(lastOf(world, 'c')).toEqual({
      type: 'task.finished',
      state: 'stopped',
      why: "the run's budget of $0.20 is reached: $0.20 spent",
    });
    expect(await run(world, aPlan([aTask('c')]), { budget: { usd: 0.2 } })).toMatchObject({
      why: 'done',
    });
  });

  test('changes nothing where all is done', async () => {
    const world = spending(aWorld({}), tenth);
    const end = await run(world, abc, { budget: { usd: 0.3 } });
    expect(end).toMatchObject({ why: 'done', counts: { passed: 3 } });
  });

  test('stops a task with attempts left, which is no failure and goes on with the next one', async () => {
    const world = spending(aWorld({ a: [reject] }), tenth);
    expect(await run(world, a, { budget: { tokens: 100 } })).toMatchObject({
      why: 'limit',
      counts: { failed: 0, pending: 1 },
    });
    expect(world.deeds).toEqual(['rollBack a#1']);
    await run(world, a, { budget: { tokens: 1000 } });
    expect(world.jobs.map((job) => job.attempt.attempt)).toEqual([1, 2]);
  });

  test('does not make a failed task one that was stopped', async () => {
    const world = spending(aWorld({ a: [reject] }), tenth);
    const end = await run(world, a, { budget: { tokens: 100 }, attempts: 1 });
    expect(end).toMatchObject({ why: 'failed', counts: { failed: 1 } });
  });

  test('a task remembers over runs what was spent on it, until it is begun anew', async () => {
    const budget = { tokens: 200, per: 'task' } as const;
    const world = spending(aWorld({ a: [reject, reject] }), tenth);
    expect(await run(world, a, { budget })).toMatchObject({ why: 'limit' });
    expect(world.jobs).toHaveLength(2);
    expect(await run(world, a, { budget })).toMatchObject({ why: 'limit' });
    expect(world.jobs).toHaveLength(2);
    // Fails: the attempts that are left are none.
    expect(await run(world, a, { attempts: 2 })).toMatchObject({ why: 'failed' });
    expect(await run(world, a, { budget })).toMatchObject({ why: 'done' });
  });

  test.each([
    [{ tokens: 100, per: 'attempt' }, 1],
    [{ tokens: 101, per: 'attempt' }, 3],
    [{ usd: 0.2, per: 'task' }, 3],
  ] as const)('%o of three tasks: %i pass', async (budget, passed) => {
    const end = await run(spending(aWorld({}), tenth), abc, { budget });
    expect(end.counts.passed).toBe(passed);
  });

  test('nothing is waited for that could not begin then', async () => {
    const inner = aWorld({});
    const world = spending(inner, tenth, '2026-01-01T05:00:00.000Z');
    const sleep = (): Promise<never> => Promise.reject(new Error('it waits'));
    const clock = { ...inner.ports.clock, sleep };
    const ports = { ...world.ports, clock };
    const end = await run({ ...world, ports }, a, { budget: { usd: 0.1 } });
    expect(end).toMatchObject({ why: 'limit', counts: { failed: 0, pending: 1 } });
  });

  test('costs no attempt where it is cut, and all is kept', async () => {
    const world = spending(aWorld({}), tenth);
    const budget = { usd: 0.1, reached: 'cut' } as const;
    expect(await run(world, abc, { budget })).toMatchObject({
      why: 'limit',
      counts: { pending: 3 },
    });
    expect(world.deeds).toEqual(['rollBack a#1']);
    expect(world.events.map(({ event }) => event).slice(2, 6)).toEqual([
      expect.objectContaining({ type: 'agent.finished', exit: null, usage: tenth }),
      { type: 'attempt.voided', why: 'over-budget' },
      expect.objectContaining({ type: 'rollback.done' }),
      expect.objectContaining({
        state: 'stopped',
        why: expect.stringContaining('$0.10') as string,
      }),
    ]);
    await run(spending(world, {}), a, {});
    expect(world.jobs.at(-1)?.attempt).toMatchObject({ attempt: 1, number: 2 });
  });

  test.each([
    [true, 'done'],
    [false, 'limit'],
  ] as const)(
    'kept work is judged again, which costs nothing, if it is there: %s',
    async (isThere, why) => {
      const budget = { usd: 0.1, per: 'task' } as const;
      const inner = aWorld({ a: [{ gate: 'error' }] });
      const world = spending(inner, tenth);
      expect(await run(world, a, { budget })).toMatchObject({ why: 'gate-error' });
      const workspace = { ...inner.ports.workspace, reapply: () => Promise.resolve(isThere) };
      const again = { ...world, ports: { ...world.ports, workspace } };
      expect(await run(again, a, { budget })).toMatchObject({ why });
      expect(world.jobs).toHaveLength(1);
    },
  );

  test('what an agent leaves out is told, and not guessed', async () => {
    const world = spending(aWorld({}), { input: 1 });
    expect(await run(world, a, { budget: { usd: 9 } })).toMatchObject({ why: 'done' });
    expect(lastOf(world, '')).toEqual({
      type: 'notice',
      message: 'a#1: its cost was not reported, so the budget of $9.00 does not count it',
    });
    const counted = spending(aWorld({}), tenth);
    await run(counted, a, { budget: { usd: 9, tokens: 1e6 } });
    expect(lastOf(counted, '')).toBeUndefined();
  });

  test('nobody is asked whether a step may go on where it is to be finished', async () => {
    const world = spending(aWorld({}), tenth);
    await run(world, a, { budget: { usd: 9 } });
    expect(world.jobs[0]?.mayGoOn).toBeUndefined();
  });
});

test.each([
  [tenth, tenth],
  [{ ...tenth, atLeast: true as const }, 'unknown'],
])('a session that goes on knows what it took before: %o', async (usage, before) => {
  const inner = aWorld({ a: [reject] });
  const runIn = async (job: AgentJob): Promise<AgentEnd> => {
    return { ...(await agentIn(inner).run(job)), usage, session: 's' };
  };
  const agents = only({ ...agentIn(inner), run: runIn });
  await run({ ...inner, ports: { ...inner.ports, agents } }, a, { retry: 'continue' });
  expect(inner.jobs.map((job) => job.sessionUsage)).toEqual([undefined, before]);
});
