import { describe, expect, test } from 'vitest';
import type { Config } from '../../../src/core/config.ts';
import { replay } from '../../../src/core/machine.ts';
import { settingsOf } from '../../../src/core/settings.ts';
import { isOfTask } from '../../../src/core/history.ts';
import { openJournal } from '../../../src/run/journal.ts';
import { runPlan, type RunEnd } from '../../../src/run/run-plan.ts';
import type { Session } from '../../../src/run/session.ts';
import { openSteering } from '../../../src/run/steering.ts';
import { takeTask } from '../../../src/run/take-task.ts';
import { openPurse } from '../../../src/run/purse.ts';
import { openRoster } from '../../../src/run/roster.ts';
import { openWaitBudget } from '../../../src/run/wait-budget.ts';
import type { Agent, AgentEnd, AgentJob } from '../../../src/ports.ts';
import { agentIn, aWorld, only, type World } from '../../support/memory-ports.ts';
import { aPlan, aTask } from '../../support/plans.ts';

const start = Date.parse('2026-01-01T00:00:00.000Z');
const minute = 60_000;
const hour = 60 * minute;
const at = (ms: number): string => new Date(start + ms).toISOString();

/** A clock that goes only while somebody sleeps; `onSleep` may do to it what laptops and people do. */
interface FakeClock {
  readonly slept: number[];
  wall: number;
  monotonic: number;
  onSleep: (ms: number) => void;
}

function aClock(): FakeClock {
  const clock: FakeClock = { slept: [], wall: 0, monotonic: 0, onSleep: () => undefined };
  return clock;
}

const turnedAway = (until: string): AgentEnd => {
  return { kind: 'throttled', seconds: 1, ended: 'exit 1', exit: 1, until, log: '' };
};

interface Setting {
  readonly world: World;
  readonly clock: FakeClock;
  readonly stop: AbortController;
}

/** The agent is turned away until each of these times, one attempt after the other; then it works. */
function aSetting(untils: readonly string[]): Setting {
  const clock = aClock();
  const inner = aWorld({});
  const left = [...untils];
  const agent = {
    ...agentIn(inner),
    run: (job: AgentJob) => {
      const until = left.shift();
      return until === undefined ? agentIn(inner).run(job) : Promise.resolve(turnedAway(until));
    },
  };
  const ports = {
    ...inner.ports,
    agents: only(agent),
    clock: {
      ...inner.ports.clock,
      now: () => at(clock.wall),
      monotonic: () => clock.monotonic,
      sleep: (ms: number) => {
        clock.slept.push(ms);
        clock.wall += ms;
        clock.monotonic += ms;
        clock.onSleep(ms);
        return Promise.resolve();
      },
    },
  };
  return { world: { ...inner, ports }, clock, stop: new AbortController() };
}

const plan = aPlan([aTask('a')]);

function sessionIn({ world, stop }: Setting, config: Config = {}): Session {
  const settings = settingsOf(config);
  const onEvent = (): void => undefined;
  const { ledger } = world.ports;
  return {
    ports: world.ports,
    journal: openJournal({ ledger, locks: [], run: 'r', plan: 'plan', onEvent }),
    plan,
    settings,
    waits: openWaitBudget(settings.maxWait),
    purse: openPurse(settings.budget),
    roster: openRoster(world.ports.agents, world.ports.clock),
    highestProof: 0,
    signal: stop.signal,
    isInterrupted: () => stop.signal.aborted,
    onProgress: () => undefined,
    tick: (bytes) => bytes,
    differsInMarksOnly: () => false,
    logFolder: (task, number) => `logs/${task}/${number}`,
  };
}

function runIn(session: Session): Promise<RunEnd> {
  const nothing = { lifted: new Set<string>(), usedUp: new Set<string>() };
  return runPlan({ ...nothing, tasks: plan.tasks, plan: new Uint8Array() }, session);
}

const run = (setting: Setting, config?: Config): Promise<RunEnd> =>
  runIn(sessionIn(setting, config));

const typesIn = ({ world }: Setting): string[] => world.events.map(({ event }) => event.type);
const lastOf = ({ world }: Setting): unknown => world.events.at(-1)?.event;
const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

describe('an agent that is turned away', () => {
  test('is called again when the time has come; that costs no attempt', async () => {
    const setting = aSetting([at(10 * minute)]);
    expect(await run(setting)).toMatchObject({ why: 'done', counts: { passed: 1 } });
    expect(sum(setting.clock.slept)).toBe(10 * minute);
    expect(Math.max(...setting.clock.slept)).toBeLessThanOrEqual(30_000);
    expect(setting.world.jobs.map((job) => job.attempt)).toEqual([
      { number: 2, attempt: 1, attempts: 5 },
    ]);
    expect(setting.world.deeds).toEqual(['rollBack a#1', 'checkpoint 0001-a']);
    expect(typesIn(setting).slice(2, 7)).toEqual([
      'agent.finished',
      'agent.throttled',
      'attempt.voided',
      'rollback.done',
      'wait.over',
    ]);
  });

  test('"until now", over and over, is not called over and over', async () => {
    const setting = aSetting([at(0), at(0), at(0), 'no time at all']);
    expect(await run(setting)).toMatchObject({ why: 'done' });
    expect(setting.clock.slept).toEqual([1000, 2000, 4000, 8000]);
  });
});

describe('a clock that jumps', () => {
  test('forward, as after the sleep of a laptop: the wait is over at once', async () => {
    const setting = aSetting([at(5 * hour)]);
    setting.clock.onSleep = () => {
      setting.clock.wall = 6 * hour;
    };
    expect(await run(setting)).toMatchObject({ why: 'done' });
    expect(setting.clock.slept).toEqual([30_000]);
  });

  test('back: the wait is no longer than it was', async () => {
    const setting = aSetting([at(minute)]);
    setting.clock.onSleep = () => {
      setting.clock.wall = -24 * hour;
    };
    expect(await run(setting)).toMatchObject({ why: 'done' });
    expect(sum(setting.clock.slept)).toBe(minute);
  });
});

describe('max_wait', () => {
  test('stops the run before a wait that would go beyond it; nothing is lost', async () => {
    const setting = aSetting([at(7 * hour)]);
    expect(await run(setting)).toMatchObject({ why: 'limit', counts: { pending: 1 } });
    expect(setting.clock.slept).toEqual([]);
    expect(lastOf(setting)).toEqual({
      type: 'task.finished',
      state: 'stopped',
      why: 'scripted is rate limited until 2026-01-01 07:00 UTC; to wait for that goes beyond max_wait (6h in all)',
    });
  });

  test('is the sum of all waits', async () => {
    const setting = aSetting([at(40 * minute), at(70 * minute)]);
    const end = await run(setting, { maxWait: hour });
    expect(end).toMatchObject({ why: 'limit' });
    expect(sum(setting.clock.slept)).toBe(40 * minute);
  });
});

test('max_time ends a wait too, and says that it did', async () => {
  const setting = aSetting([at(2 * hour)]);
  setting.clock.onSleep = () => setting.stop.abort();
  const session = { ...sessionIn(setting, { maxTime: hour }), isInterrupted: () => false };
  expect(await runIn(session)).toMatchObject({ why: 'limit' });
  expect(lastOf(setting)).toEqual({
    type: 'task.finished',
    state: 'stopped',
    why: 'the run reached max_time (1h)',
  });
});

describe('a run that was stopped in a wait', () => {
  const stopped = async (): Promise<Setting> => {
    const setting = aSetting([at(2 * hour)]);
    setting.clock.onSleep = () => setting.stop.abort();
    expect(await run(setting)).toMatchObject({ why: 'interrupted' });
    expect(setting.clock.slept).toEqual([30_000]);
    expect(lastOf(setting)).toEqual({ type: 'task.finished', state: 'stopped' });
    setting.clock.onSleep = () => undefined;
    return { ...setting, stop: new AbortController() };
  };

  test('waits for the rest when it goes on, and says so', async () => {
    const again = await stopped();
    const before = again.world.events.length;
    expect(await run(again)).toMatchObject({ why: 'done' });
    expect(sum(again.clock.slept)).toBe(2 * hour);
    expect(typesIn(again).slice(before, before + 4)).toEqual([
      'task.started',
      'task.reopened',
      'agent.throttled',
      'wait.over',
    ]);
  });

  test('goes on at once when the time has passed meanwhile', async () => {
    const again = await stopped();
    again.clock.wall = 3 * hour;
    expect(await run(again)).toMatchObject({ why: 'done' });
    expect(again.clock.slept).toEqual([30_000]);
    expect(typesIn(again).filter((type) => type === 'agent.throttled')).toHaveLength(1);
  });

  test('a person may take the task up meanwhile', async () => {
    const again = await stopped();
    const [task] = plan.tasks;
    if (task === undefined) throw new Error('no task');
    await takeTask(task, new Uint8Array(), sessionIn(again));
    const ofTask = again.world.events.filter(isOfTask).filter((one) => one.task === 'a');
    expect(replay(ofTask.map(({ event }) => event)).phase).toBe('passed');
  });
});

test('what an attempt leaves in a runtime is told, once it is new', async () => {
  const setting = aSetting([]);
  const outsider = (name: string) => {
    return { what: 'container', id: name, name, end: `docker stop ${name}` } as const;
  };
  const looks = [[outsider('db')], [outsider('db'), outsider('web')]];
  const processes = {
    ...setting.world.ports.processes,
    outside: () => Promise.resolve(looks.shift() ?? []),
  };
  const world = { ...setting.world, ports: { ...setting.world.ports, processes } };
  expect(await run({ ...setting, world })).toMatchObject({ why: 'done' });
  const notices = world.events.flatMap(({ event }) =>
    event.type === 'notice' ? [event.message] : [],
  );
  expect(notices).toEqual([
    'the attempt left a container running: web (to end it: docker stop web)',
  ]);
});

describe('with a fallback', () => {
  const two = aPlan([aTask('a'), aTask('b')]);
  const runTwo = async (
    setting: Setting,
    first: (job: AgentJob) => Promise<AgentEnd>,
  ): Promise<{ readonly end: RunEnd; readonly worked: readonly string[] }> => {
    const inner = agentIn(setting.world);
    const worked: string[] = [];
    const named = (name: string, work: Agent['run']): Agent => {
      const run: Agent['run'] = (job) => {
        worked.push(`${name} ${job.task.id}`);
        return work(job);
      };
      return { ...inner, name, run };
    };
    const second: Agent['run'] = (job) => {
      setting.clock.wall += 20 * minute;
      return inner.run(job);
    };
    const both = [named('claude', first), named('codex', second)];
    const ports = { ...setting.world.ports, agents: { name: 'claude', of: () => both } };
    const session = sessionIn({ ...setting, world: { ...setting.world, ports } });
    const nothing = { lifted: new Set<string>(), usedUp: new Set<string>() };
    const job = { ...nothing, tasks: two.tasks, plan: new Uint8Array() };
    return { end: await runPlan(job, { ...session, plan: two }), worked };
  };

  test('that one goes on at once, and the first is back when its limit is over', async () => {
    const setting = aSetting([]);
    const limits = [at(10 * minute)];
    const { end, worked } = await runTwo(setting, (job) => {
      const until = limits.shift();
      return until === undefined
        ? agentIn(setting.world).run(job)
        : Promise.resolve(turnedAway(until));
    });
    expect(end).toMatchObject({ why: 'done', counts: { passed: 2 } });
    expect(worked).toEqual(['claude a', 'codex a', 'claude b']);
    expect(setting.clock.slept).toEqual([]);
  });

  test('one that is signed out ends the run, and says how to mend it', async () => {
    const setting = aSetting([]);
    const told = { seconds: 1, log: '', exit: 1, ended: 'signed out (401)', mend: 'log in' };
    const signedOut: AgentEnd = { kind: 'signed-out', ...told };
    const { end, worked } = await runTwo(setting, () => Promise.resolve(signedOut));
    expect(end).toMatchObject({ why: 'signed-out', counts: { pending: 2 } });
    expect(worked).toEqual(['claude a']);
    expect(lastOf(setting)).toMatchObject({
      state: 'stopped',
      why: 'claude: signed out (401); log in',
    });
  });
});

describe('a limit of one agent in an earlier run', () => {
  /** Of those that are named, the first is turned away for ten hours. */
  const runWith = async (
    setting: Setting,
    names: readonly string[],
    isAway: (name: string) => boolean = () => false,
  ): Promise<{ readonly end: RunEnd; readonly worked: readonly string[] }> => {
    const worked: string[] = [];
    const inner = agentIn(setting.world);
    const all = names.map((name): Agent => {
      const work: Agent['run'] = (job) => {
        worked.push(name);
        return isAway(name) ? Promise.resolve(turnedAway(at(10 * hour))) : inner.run(job);
      };
      return { ...inner, name, run: work };
    });
    const agents = { name: names[0] ?? '', of: () => all };
    const ports = { ...setting.world.ports, agents };
    const world = { ...setting.world, ports };
    return { end: await run({ ...setting, world }), worked };
  };
  const limited = async (names = ['claude']): Promise<Setting> => {
    const setting = aSetting([]);
    const { end } = await runWith(setting, names, () => true);
    expect(end.why).toBe('limit');
    expect(setting.clock.slept).toEqual([]);
    return setting;
  };

  test.each([[['codex']], [['claude', 'codex']]])('does not hold back %o', async (names) => {
    const setting = await limited();
    const { end, worked } = await runWith(setting, names);
    expect(end.why).toBe('done');
    expect(worked).toEqual(['codex']);
    expect(setting.clock.slept).toEqual([]);
  });

  test('holds for itself: it is not called before, and the line says who and until when', async () => {
    const setting = await limited();
    const { end, worked } = await runWith(setting, ['claude']);
    expect(end.why).toBe('limit');
    expect(worked).toEqual([]);
    expect(setting.world.events.slice(-2).map(({ event }) => event)).toEqual([
      { type: 'agent.throttled', agent: 'claude', until: at(10 * hour) },
      expect.objectContaining({
        state: 'stopped',
        why: expect.stringContaining('claude is rate limited until 2026-01-01 10:00 UTC') as string,
      }),
    ]);
  });

  test('where all of them were limited, each one still is', async () => {
    const setting = await limited(['claude', 'codex']);
    expect((await runWith(setting, ['codex', 'claude'])).worked).toEqual([]);
    expect((await runWith(setting, ['codex', 'claude', 'gemini'])).worked).toEqual(['gemini']);
  });
});

test.each([
  [['claude', 'codex'], { next: 'codex' }],
  [['claude'], {}],
])('what follows a limit is in its event: %o', async (names, follows) => {
  const setting = aSetting([]);
  const inner = agentIn(setting.world);
  const until = at(7 * hour);
  const step = { seconds: 1, ended: 'exit 1', exit: 1, log: '' };
  const told: AgentEnd = { ...step, kind: 'throttled', until, why: 'overload' };
  const away: Agent['run'] = () => Promise.resolve(told);
  const all = names.map((name, nth): Agent => ({
    ...inner,
    name,
    ...(nth === 0 && { run: away }),
  }));
  const ports = { ...setting.world.ports, agents: { name: 'claude', of: () => all } };
  await run({ ...setting, world: { ...setting.world, ports } });
  const events = setting.world.events.map(({ event }) => event);
  expect(events.find(({ type }) => type === 'agent.throttled')).toEqual({
    ...{ type: 'agent.throttled', agent: 'claude', until, why: 'overload' },
    ...follows,
  });
});

describe('a pause', () => {
  test('that begins during a wait holds the attempt back once that is over, and is no waiting', async () => {
    const setting = aSetting([at(10 * minute), at(3 * hour)]);
    const { ledger } = setting.world.ports;
    const note = { id: 'n', at: at(0), kind: 'pause', task: '', text: '', by: 'a@b' } as const;
    setting.clock.onSleep = () => {
      const { wall } = setting.clock;
      if (wall === 60_000) void ledger.post('plan', note);
      if (wall === 2 * hour) void ledger.take('plan', ['n']);
    };
    const session = sessionIn(setting, { maxWait: 75 * minute });
    const watch = {
      isStill: () => Promise.resolve(true),
      read: () => Promise.reject(new Error('it was not edited')),
      markSkipped: () => Promise.reject(new Error('nothing was to be skipped')),
    };
    const steering = openSteering({ ...session, watch });
    expect(await runIn({ ...session, steering })).toMatchObject({ why: 'done' });
    const types = typesIn(setting);
    expect(types.indexOf('wait.over')).toBeLessThan(types.indexOf('run.paused'));
    expect(types.indexOf('run.resumed')).toBeLessThan(types.lastIndexOf('attempt.started'));
    expect(types.filter((type) => type === 'attempt.started')).toHaveLength(3);
    expect(setting.clock.wall).toBeGreaterThanOrEqual(3 * hour);
  });
});
