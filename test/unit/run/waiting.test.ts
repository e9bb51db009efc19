import { describe, expect, test } from 'vitest';
import type { Config } from '../../../src/core/config.ts';
import { replay } from '../../../src/core/machine.ts';
import { settingsOf } from '../../../src/core/settings.ts';
import { isOfTask } from '../../../src/core/history.ts';
import { openJournal } from '../../../src/run/journal.ts';
import { runPlan, type RunEnd } from '../../../src/run/run-plan.ts';
import type { Session } from '../../../src/run/session.ts';
import { takeTask } from '../../../src/run/take-task.ts';
import { openWaitBudget } from '../../../src/run/wait-budget.ts';
import type { AgentEnd } from '../../../src/ports.ts';
import { aWorld, type World } from '../../support/memory-ports.ts';
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
    ...inner.ports.agent,
    run: (job: Parameters<typeof inner.ports.agent.run>[0]) => {
      const until = left.shift();
      return until === undefined ? inner.ports.agent.run(job) : Promise.resolve(turnedAway(until));
    },
  };
  const ports = {
    ...inner.ports,
    agent,
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
      why: 'the provider asks to wait until 2026-01-01 07:00 UTC, and that goes beyond max_wait (6h in all)',
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
    expect(typesIn(again).slice(before, before + 3)).toEqual([
      'task.started',
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
