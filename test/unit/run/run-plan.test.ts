import { describe, expect, test } from 'vitest';
import { settingsOf } from '../../../src/core/settings.ts';
import type { Config } from '../../../src/core/config.ts';
import type { Plan } from '../../../src/core/plan/plan.ts';
import { openJournal } from '../../../src/run/journal.ts';
import { recover } from '../../../src/run/recover.ts';
import { runPlan, type RunEnd } from '../../../src/run/run-plan.ts';
import type { Session } from '../../../src/run/session.ts';
import { openPurse } from '../../../src/run/purse.ts';
import { openRoster } from '../../../src/run/roster.ts';
import { openWaitBudget } from '../../../src/run/wait-budget.ts';
import { agentIn, aWorld, only, type World } from '../../support/memory-ports.ts';
import { aPlan, aTask } from '../../support/plans.ts';

const abc = aPlan([aTask('a'), aTask('b'), aTask('c')]);
const reject = { gate: 'fail' } as const;

function journalIn(world: World): Session['journal'] {
  const onEvent = (): void => undefined;
  return openJournal({ ledger: world.ports.ledger, locks: [], run: 'r', plan: 'plan', onEvent });
}

function run(world: World, plan: Plan, config: Config = {}, stop = new AbortController()) {
  const session: Session = {
    ports: world.ports,
    journal: journalIn(world),
    plan,
    settings: settingsOf(config),
    waits: openWaitBudget(settingsOf(config).maxWait),
    purse: openPurse(settingsOf(config).budget),
    roster: openRoster(world.ports.agents, world.ports.clock),
    highestProof: 0,
    signal: stop.signal,
    isInterrupted: () => stop.signal.aborted,
    onProgress: () => undefined,
    tick: (bytes) => bytes,
    differsInMarksOnly: () => false,
    logFolder: (task, number) => `logs/${task}/${number}`,
  };
  const tasks = plan.tasks.filter((task) => task.state === 'pending');
  const job = {
    tasks,
    lifted: new Set<string>(),
    plan: new Uint8Array(),
    usedUp: new Set<string>(),
  };
  return runPlan(job, session) satisfies Promise<RunEnd>;
}

const types = (world: World, task: string): string[] =>
  world.events.filter((e) => e.task === task).map((e) => e.event.type);

describe('a run', () => {
  test('checkpoints each task once, in order', async () => {
    const world = aWorld({});
    const end = await run(world, abc);
    expect(end).toMatchObject({ why: 'done', counts: { passed: 3, pending: 0 } });
    expect(world.deeds).toEqual(['checkpoint 0001-a', 'checkpoint 0002-b', 'checkpoint 0003-c']);
    expect(types(world, 'a')).toEqual([
      'task.started',
      'attempt.started',
      'agent.finished',
      'gate.finished',
      'gates.passed',
      'checkpoint.created',
      'task.finished',
    ]);
  });

  test('rolls back a rejected attempt and tells the next one what the gate said', async () => {
    const world = aWorld({ a: [reject, { agent: 'failed' }] });
    await run(world, aPlan([aTask('a')]));
    expect(world.deeds).toEqual(['rollBack a#1', 'rollBack a#2', 'checkpoint 0001-a']);
    expect(world.jobs.map((job) => job.feedback?.failure.kind)).toEqual([
      undefined,
      'gate-failed',
      'agent-error',
    ]);
    expect(world.jobs[1]?.feedback?.gates[0]?.tail).toBe('says fail');
  });

  test('gives up after five attempts, blocks what waits, and runs what does not', async () => {
    const free = aTask('d', { explicitNeeds: true });
    const world = aWorld({ b: [reject, reject, reject, reject, reject] });
    const plan = aPlan([aTask('a'), aTask('b'), aTask('c'), free]);
    const end = await run(world, plan, { stagnation: 5 });
    expect(world.jobs.filter((job) => job.task.id === 'b')).toHaveLength(5);
    expect(end).toMatchObject({ why: 'failed', counts: { passed: 2, failed: 1, blocked: 1 } });
    expect(world.events.findLast((e) => e.task === 'c')?.event).toMatchObject({
      type: 'task.finished',
      state: 'blocked',
      why: 'waits for b',
    });
  });

  test('fail-fast starts nothing more; what it leaves is pending', async () => {
    const free = aTask('d', { explicitNeeds: true });
    const world = aWorld({ a: [reject] });
    const end = await run(world, aPlan([aTask('a'), free]), { failFast: true, attempts: 1 });
    expect(end).toMatchObject({ why: 'failed', counts: { failed: 1, pending: 1, blocked: 0 } });
  });

  test('a failed task begins anew at 1 in the next run, and its numbers go on', async () => {
    const world = aWorld({ a: [reject] });
    await run(world, aPlan([aTask('a')]), { attempts: 1 });
    expect(await run(world, aPlan([aTask('a')]), { attempts: 1 })).toMatchObject({ why: 'done' });
    expect(world.jobs.map((job) => [job.attempt.attempt, job.attempt.number])).toEqual([
      [1, 1],
      [1, 2],
    ]);
  });

  test('a gate error stops the run with the work kept, and is judged again without the agent', async () => {
    const world = aWorld({ a: [{ gate: 'error' }] });
    expect(await run(world, abc)).toMatchObject({ why: 'gate-error', counts: { pending: 3 } });
    expect(world.deeds).toEqual(['rollBack a#1']);
    expect(await run(world, abc)).toMatchObject({ why: 'done' });
    expect(world.jobs.filter((job) => job.task.id === 'a')).toHaveLength(1);
    expect(world.deeds.slice(1, 3)).toEqual(['reapply a#2', 'checkpoint 0001-a']);
  });

  test('an interrupted agent costs no attempt and the run can go on', async () => {
    const stop = new AbortController();
    const world = aWorld({ a: [{ agent: 'interrupted' }] });
    const { run: runAgent } = agentIn(world);
    const agent = {
      ...agentIn(world),
      run: (job: Parameters<typeof runAgent>[0]) => {
        stop.abort();
        return runAgent(job);
      },
    };
    const end = await run(
      { ...world, ports: { ...world.ports, agents: only(agent) } },
      abc,
      {},
      stop,
    );
    expect(end.why).toBe('interrupted');
    expect(world.deeds).toEqual(['rollBack a#1']);
    await run(world, abc);
    expect(world.jobs[1]?.attempt).toEqual({ number: 2, attempt: 1, attempts: 5 });
  });

  test('without gates a task is unjudged, never passed', async () => {
    const world = aWorld({});
    expect(await run(world, abc, { noGates: true })).toMatchObject({
      counts: { passed: 0, unjudged: 3 },
    });
  });
});

describe('recovery', () => {
  const started = {
    type: 'attempt.started',
    number: 1,
    attempt: 1,
    attempts: 5,
    base: 'c0',
    agent: 'scripted',
    token: 't',
    worktree: 'w',
  } as const;
  const passed = {
    type: 'gates.passed',
    commit: 'c1',
    tag: 'refs/tags/skeleton/plan/0001-a',
    proof: 'refs/skeleton/proof/plan/0001',
    proofObject: 'p',
    gates: [],
  } as const;
  const finished = {
    type: 'agent.finished',
    seconds: 1,
    ended: 'exit 0',
    exit: 0,
    log: '',
  } as const;
  const rejected = { type: 'attempt.rejected', failure: { kind: 'no-change' } } as const;

  test.each([
    ['while the agent ran', [started], ['rollBack a#1'], 'rollback.done'],
    ['while gates ran', [started, finished], ['rollBack a#1'], 'rollback.done'],
    ['in the rollback', [started, finished, rejected], ['rollBack a#1'], 'rollback.done'],
    ['after the verdict', [started, finished, passed], ['checkpoint 0001-a'], 'checkpoint.created'],
  ])('of a run that died %s', async (_, history, deeds, last) => {
    const world = aWorld({});
    const before = journalIn(world);
    for (const event of history) await before.append('a', event);
    await recover({ ports: world.ports, journalOf: () => journalIn(world) });
    expect(world.deeds).toEqual(deeds);
    expect(
      types(world, 'a')
        .filter((type) => type !== 'notice')
        .at(-1),
    ).toBe(last);
    await recover({ ports: world.ports, journalOf: () => journalIn(world) });
    expect(world.deeds).toEqual(deeds);
  });
});

test('a second run goes on in the history of the runs as a whole', async () => {
  const world = aWorld({});
  const finished = { type: 'notice', message: 'one' } as const;
  await journalIn(world).append('', finished);
  await journalIn(world).append('', finished);
  expect(world.events.map((e) => e.seq)).toEqual([1, 2]);
});

test('keep-going runs what only waits by position for a task that is blocked', async () => {
  const plan = aPlan([aTask('a'), aTask('b', { needs: ['a'], explicitNeeds: true }), aTask('c')]);
  const world = aWorld({ a: [reject] });
  const end = await run(world, plan, { keepGoing: true, attempts: 1 });
  expect(end.counts).toMatchObject({ passed: 1, failed: 1, blocked: 1, pending: 0 });
});

test('attempts that earlier runs have used count against a smaller limit', async () => {
  const stop = new AbortController();
  const world = aWorld({ a: [reject] });
  const append = world.ports.ledger.append;
  const ledger = {
    ...world.ports.ledger,
    append: (...args: Parameters<typeof append>) => {
      if (args[0].event.type === 'rollback.done') stop.abort();
      return append(...args);
    },
  };
  await run({ ...world, ports: { ...world.ports, ledger } }, aPlan([aTask('a')]), {}, stop);
  const end = await run(world, aPlan([aTask('a')]), { attempts: 1 });
  expect(world.jobs).toHaveLength(1);
  expect(end).toMatchObject({ why: 'failed', counts: { failed: 1 } });
  expect(await run(world, aPlan([aTask('a')]), { attempts: 1 })).toMatchObject({ why: 'done' });
});

test('a stop is written at once, so that a second signal costs no attempt', async () => {
  const stop = new AbortController();
  const world = aWorld({});
  const agent = {
    ...agentIn(world),
    run: async () => {
      stop.abort();
      await new Promise((resolve) => setImmediate(resolve));
      expect(types(world, 'a').at(-1)).toBe('attempt.voided');
      return { kind: 'finished', seconds: 1, ended: 'exit 0', log: '' } as const;
    },
  };
  await run(
    { ...world, ports: { ...world.ports, agents: only(agent) } },
    aPlan([aTask('a')]),
    {},
    stop,
  );
  expect(world.deeds).toEqual(['rollBack a#1']);
});

test('an error from outside leaves the tree rolled back', async () => {
  const world = aWorld({});
  const gates = { ...world.ports.gates, run: () => Promise.reject(new Error('disk full')) };
  const broken = { ...world, ports: { ...world.ports, gates } };
  await expect(run(broken, aPlan([aTask('a')]))).rejects.toThrow('disk full');
  expect(world.deeds).toEqual(['rollBack a#1']);
});
