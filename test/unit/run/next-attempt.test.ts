import { describe, expect, test } from 'vitest';
import type { Config } from '../../../src/core/config.ts';
import type { TaskConfig } from '../../../src/core/config/config.ts';
import type { Agent } from '../../../src/ports.ts';
import { agentIn, aWorld, only, type Luck, type World } from '../../support/memory-ports.ts';
import { aPlan, aTask } from '../../support/plans.ts';
import { runIn } from '../../support/world-run.ts';

const reject = { gate: 'fail' } as const;
const plan = (config: TaskConfig = {}) => aPlan([aTask('a', { config })]);

/** It names its conversation after the attempt. */
function talking(world: World): Agent {
  const agent = agentIn(world);
  const run: Agent['run'] = async (job) => ({
    ...(await agent.run(job)),
    session: `talk ${job.attempt.number}`,
  });
  return { ...agent, run };
}

async function retried(
  lucks: readonly Luck[],
  config: Config = { retry: 'continue' },
): Promise<World> {
  const world = aWorld({ a: lucks });
  await runIn(world, plan(), config, only(talking(world)));
  return world;
}

/** Waits pass at once. */
function inTime(world: World): World {
  let now = 0;
  const clock: World['ports']['clock'] = {
    ...world.ports.clock,
    now: () => new Date(now).toISOString(),
    monotonic: () => now,
    sleep: (ms) => {
      now += ms;
      return Promise.resolve();
    },
  };
  return { ...world, ports: { ...world.ports, clock } };
}

const begun = ({ events }: World) =>
  events.flatMap(({ event }) => (event.type === 'attempt.started' ? [event] : []));

describe('retry: continue', () => {
  test('begins with the rejected attempt’s files, in its conversation', async () => {
    const world = await retried([reject, reject]);
    expect(world.deeds).toEqual([
      'rollBack a#1',
      'reapply a#2',
      'rollBack a#2',
      'reapply a#3',
      'checkpoint 0001-a',
    ]);
    expect(begun(world).map(({ continues }) => continues?.ref.slice(-1))).toEqual([
      undefined,
      '1',
      '2',
    ]);
    expect(world.jobs.map(({ continues, session }) => [continues, session])).toEqual([
      [undefined, undefined],
      [true, 'talk 1'],
      [true, 'talk 2'],
    ]);
  });

  test('is not the default', async () => {
    const world = await retried([reject], {});
    expect(world.deeds).toEqual(['rollBack a#1', 'checkpoint 0001-a']);
    expect(world.jobs[1]).not.toHaveProperty('session');
  });

  test.each(['tampered', 'unchanged'] as const)('begins fresh after %s', async (tree) => {
    const world = await retried([{ tree }]);
    expect(world.deeds).toEqual(['rollBack a#1', 'checkpoint 0001-a']);
    expect(world.jobs[1]).not.toHaveProperty('continues');
    expect(world.jobs[1]).not.toHaveProperty('session');
  });

  test('begins fresh, and says so, where a person has changed the same files', async () => {
    const world = aWorld({ a: [reject] });
    const { workspace } = world.ports;
    const ports = {
      ...world.ports,
      workspace: { ...workspace, reapply: () => Promise.resolve(false) },
    };
    await runIn({ ...world, ports }, plan(), { retry: 'continue' });
    expect(world.jobs[1]).not.toHaveProperty('continues');
    const notices = world.events.flatMap(({ event }) =>
      event.type === 'notice' ? [event.message] : [],
    );
    expect(notices).toEqual([
      'the files kept at refs/skeleton/attempts/plan/a/1 were changed since: the attempt begins fresh',
    ]);
  });

  test('the conversation goes on after a wait', async () => {
    const world = aWorld({ a: [reject] });
    const agent = talking(world);
    const asked: unknown[] = [];
    const run: Agent['run'] = async (job) => {
      asked.push(job.session);
      if (asked.length !== 2) return agent.run(job);
      return { kind: 'throttled', ended: 'rate limit', exit: 1, seconds: 1, log: '' };
    };
    await runIn(inTime(world), plan(), { retry: 'continue' }, only({ ...agent, run }));
    expect(asked).toEqual([undefined, 'talk 1', 'talk 1']);
  });

  test('another agent begins a conversation of its own', async () => {
    const world = aWorld({ a: [reject] });
    const first = { ...talking(world), name: 'first' };
    const second = { ...talking(world), name: 'second' };
    let isAway = false;
    const run: Agent['run'] = async (job) => {
      if (isAway) return { kind: 'throttled', ended: 'rate limit', exit: 1, seconds: 1, log: '' };
      isAway = true;
      return first.run(job);
    };
    const agents = { name: 'first', of: () => [{ ...first, run }, second] };
    await runIn(world, plan(), { retry: 'continue' }, agents);
    expect(begun(world).map(({ agent }) => agent)).toEqual(['first', 'first', 'second']);
    expect(world.jobs.map(({ continues, session }) => [continues, session])).toEqual([
      [undefined, undefined],
      [true, undefined],
    ]);
  });
});

describe('models', () => {
  const models = ['small', 'large'];
  const used = ({ jobs }: World) => jobs.map(({ model }) => model);

  test('attempt N uses entry N, the last one for the rest', async () => {
    const world = aWorld({ a: [reject, reject] });
    await runIn(world, plan(), { models, model: 'other' });
    expect(used(world)).toEqual(['small', 'large', 'large']);
    expect(begun(world).map(({ model }) => model)).toEqual(used(world));
  });

  test('what costs no attempt uses no entry', async () => {
    const world = aWorld({ a: [{ agent: 'interrupted' }, reject] });
    await runIn(world, plan(), { models });
    await runIn(world, plan(), { models });
    expect(used(world)).toEqual(['small', 'small', 'large']);
  });

  test('a task’s own model wins; another agent of a task’s own has its default', async () => {
    const own = aWorld({});
    await runIn(own, plan({ model: 'mine' }), { models });
    expect(used(own)).toEqual(['mine']);
    const other = aWorld({});
    await runIn(other, plan({ agent: 'scripted' }), { models });
    expect(used(other)).toEqual([undefined]);
  });

  test('a fallback uses its own default', async () => {
    const world = aWorld({});
    const away: Agent['run'] = () =>
      Promise.resolve({ kind: 'throttled', ended: 'limit', exit: 1, seconds: 1, log: '' });
    const first = { ...agentIn(world), name: 'first', run: away };
    const agents = { name: 'first', of: () => [first, { ...agentIn(world), name: 'second' }] };
    await runIn(world, plan(), { models }, agents);
    expect(begun(world).map(({ agent, model }) => [agent, model])).toEqual([
      ['first', 'small'],
      ['second', undefined],
    ]);
  });
});
