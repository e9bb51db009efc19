import { describe, expect, test } from 'vitest';
import type { TaskEvent } from '../../../src/core/events.ts';
import { Refusal } from '../../../src/ports.ts';
import { agentIn, aWorld, only, type World } from '../../support/memory-ports.ts';
import { aPlan, aTask } from '../../support/plans.ts';
import { runIn } from '../../support/world-run.ts';

const plan = aPlan([aTask('a')]);
const reject = { gate: 'fail' } as const;

type EventOf<T extends TaskEvent['type']> = Extract<TaskEvent, { type: T }>;

function all<T extends TaskEvent['type']>({ events }: World, type: T): readonly EventOf<T>[] {
  return events.map(({ event }) => event).filter((event) => event.type === type) as EventOf<T>[];
}

const notices = (world: World): readonly string[] =>
  all(world, 'notice').map(({ message }) => message);

describe('an attempt', () => {
  test('is recorded with its key, and with the tree that the gates were given', async () => {
    const world = aWorld({ a: [reject] });
    await runIn(world, plan);
    expect(all(world, 'agent.finished').map(({ key }) => key)).toEqual(['a 1 ', 'a 2 ']);
    expect(all(world, 'attempt.rejected').map(({ left }) => left)).toEqual(['tree-a-1']);
    expect(all(world, 'gates.passed').map(({ left }) => left)).toEqual(['tree-a-2']);
  });
});

describe('with replay', () => {
  const lucks = { a: [reject, { agent: 'failed' }, {}, reject] } as const;

  test('equal attempts are laid out, and the agent is not called', async () => {
    const world = aWorld(lucks);
    await runIn(world, plan);
    const agent = { ...agentIn(world), assertReady: () => Promise.reject(new Error('asked')) };
    await runIn(world, plan, { replay: true, attempts: 3 }, only(agent));
    expect(world.jobs).toHaveLength(3);
    expect(world.deeds.filter((deed) => deed.startsWith('layOut'))).toEqual([
      'layOut tree-a-1 for a#4',
      'layOut s for a#5',
      'layOut tree-a-3 for a#6',
    ]);
    const ends = all(world, 'agent.finished').slice(3);
    expect(ends.map(({ ended, exit, seconds }) => [ended, exit, seconds])).toEqual([
      ['replayed a#1', 0, 0],
      ['replayed a#2', 3, 0],
      ['replayed a#3', 0, 0],
    ]);
    expect(ends.map((end) => end.usage)).toEqual([undefined, undefined, undefined]);
    expect(all(world, 'attempt.rejected')[3]?.failure).toEqual({
      kind: 'agent-error',
      detail: 'exit 3',
    });
  });

  test('it is told where the gates are given another tree than at first', async () => {
    const world = aWorld({});
    await runIn(world, plan);
    await runIn(world, plan, { replay: true });
    expect(notices(world)).toEqual(['replay: the tree differs from the one that a#1 had left']);
  });

  test('without an equal attempt the agent is called, and is not told of it', async () => {
    const world = aWorld({ a: [{}, reject, {}] });
    await runIn(world, plan);
    await runIn(world, plan, { replay: true, model: 'other' });
    const miss = 'replay: no attempt with the same input is recorded: the agent is called';
    expect(notices(world)).toEqual([miss, miss]);
    expect(world.jobs).toHaveLength(3);
    expect(world.jobs[2]?.feedback?.notices).toEqual([]);
  });

  test('an agent that cannot be called then stops the run, and costs no attempt', async () => {
    const world = aWorld({});
    const assertReady = (): Promise<never> =>
      Promise.reject(new Refusal(3, 'x is not there', 'install x'));
    const agent = { ...agentIn(world), assertReady };
    const end = await runIn(world, plan, { replay: true }, only(agent));
    expect(end.why).toBe('signed-out');
    expect(all(world, 'agent.finished').map(({ ended }) => ended)).toEqual(['x is not there']);
    expect(all(world, 'attempt.voided').map(({ why }) => why)).toEqual(['signed-out']);
    expect(world.jobs).toEqual([]);
  });
});
