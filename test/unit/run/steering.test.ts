import { expect, test } from 'vitest';
import type { Note } from '../../../src/core/note.ts';
import type { Recorded } from '../../../src/core/events.ts';
import { openJournal } from '../../../src/run/journal.ts';
import type { PlanWatch } from '../../../src/run/plan-watch.ts';
import type { Progress } from '../../../src/run/session.ts';
import { openSteering, type Steering } from '../../../src/run/steering.ts';
import { aWorld, type World } from '../../support/memory-ports.ts';

const never = new AbortController().signal;

const note = (kind: Note['kind'], task = '', text = ''): Note => {
  return {
    id: `${kind} ${task} ${text}`,
    at: '2026-01-01T00:00:00.000Z',
    kind,
    task,
    text,
    by: 'a@b',
  };
};

interface Setting {
  readonly world: World;
  readonly steering: Steering;
  readonly shown: Progress[];
}

function open(sleep: () => Promise<void> = () => Promise.resolve(), isStill = true): Setting {
  const world = aWorld({});
  const shown: Progress[] = [];
  const watch: PlanWatch = {
    isStill: () => Promise.resolve(isStill),
    read: () => Promise.reject(new Error('not part of this test')),
    markSkipped: () => Promise.reject(new Error('not part of this test')),
  };
  const steering = openSteering({
    ports: { ledger: world.ports.ledger, clock: { ...world.ports.clock, sleep } },
    journal: openJournal({
      ...{ ledger: world.ports.ledger, locks: [], run: 'r', plan: 'plan' },
      onEvent: () => undefined,
    }),
    watch,
    onProgress: (progress) => shown.push(progress),
  });
  return { world, steering, shown };
}

const types = ({ events }: World): readonly string[] =>
  events.map(({ task, event }: Recorded) => `${task} ${event.type}`.trim());

test('with nothing in the inbox nothing is written, and the inbox is read once', async () => {
  const { world, steering } = open();
  let reads = 0;
  const { inbox } = world.ports.ledger;
  Object.assign(world.ports.ledger, { inbox: (plan: string) => ((reads += 1), inbox(plan)) });
  expect(
    await steering.stand({ task: 'a', signal: never, plan: new Uint8Array() }),
  ).toBeUndefined();
  expect(types(world)).toEqual([]);
  expect(reads).toBe(1);
});

test('a note is told to its task alone, in order, and then taken out', async () => {
  const { world, steering } = open();
  const { ledger } = world.ports;
  for (const one of [note('tell', 'a', '1'), note('tell', 'b', '2'), note('tell', 'a', '3')])
    await ledger.post('plan', one);
  await steering.stand({ task: 'a', signal: never, plan: undefined });
  expect(types(world)).toEqual(['a task.told', 'a task.told']);
  expect((await ledger.inbox('plan')).map(({ text }) => text)).toEqual(['2']);
});

test('one that was told, but not taken out, is only taken out', async () => {
  const { world, steering } = open();
  const { ledger } = world.ports;
  const one = note('tell', 'a', '1');
  await ledger.post('plan', one);
  await steering.stand({ task: 'a', signal: never, plan: undefined });
  await ledger.post('plan', one);
  await steering.stand({ task: 'a', signal: never, plan: undefined });
  expect(types(world)).toEqual(['a task.told']);
  expect(await ledger.inbox('plan')).toEqual([]);
});

test('while paused, all that stand there wait; it is told once, and what is told meanwhile is heard', async () => {
  let slept = 0;
  const { world, steering, shown } = open(async () => {
    slept += 1;
    if (slept === 3) await world.ports.ledger.post('plan', note('tell', 'b', 'now'));
    if (slept === 5) await world.ports.ledger.take('plan', [note('pause').id]);
  });
  await world.ports.ledger.post('plan', note('pause'));
  await Promise.all(
    ['a', 'b'].map((task) => steering.stand({ task, signal: never, plan: undefined })),
  );
  expect(slept).toBeGreaterThanOrEqual(5);
  expect(types(world).filter((type) => type.startsWith('run.'))).toEqual([
    'run.paused',
    'run.resumed',
  ]);
  expect(types(world)).toContain('b task.told');
  expect(shown.map(({ step, task }) => `${step} ${task}`).toSorted()).toEqual([
    ...['pause a', 'pause b'],
  ]);
});

test('a stop ends the wait, and the plan stays paused', async () => {
  const stop = new AbortController();
  const { world, steering } = open(async () => stop.abort());
  await world.ports.ledger.post('plan', note('pause'));
  await steering.stand({ task: 'a', signal: stop.signal, plan: undefined });
  expect(types(world)).toEqual(['run.paused']);
  expect(await world.ports.ledger.inbox('plan')).toHaveLength(1);
});

test('an attempt does not begin where its task is to be skipped, or the plan was edited', async () => {
  const { world, steering } = open(undefined, false);
  const place = { task: 'a', signal: never, plan: new Uint8Array() };
  expect(await steering.stand(place)).toBe('edited');
  await world.ports.ledger.post('plan', note('skip', 'a'));
  expect(await steering.stand(place)).toBe('skip');
  expect(steering.whyAway('a')).toBe('skip');
  expect(await steering.stand({ ...place, task: 'b', plan: undefined })).toBeUndefined();
  expect(await world.ports.ledger.inbox('plan')).toHaveLength(1);
});

test('one that has passed ahead of its turn is not skipped', async () => {
  const { world, steering } = open();
  await world.ports.ledger.post('plan', note('skip', 'a'));
  const place = { task: 'a', signal: never, plan: undefined };
  expect(await steering.stand({ ...place, hasPassedAhead: true })).toBeUndefined();
  expect(await steering.stand(place)).toBe('skip');
});

test('beside the branch, what waited in a pause begins only if the plan was not read again meanwhile', async () => {
  let pauses = 0;
  const bytes = new Uint8Array();
  const read = {};
  const setting = open(async () => {
    pauses += 1;
    if (pauses === 2) setting.steering.heard({ bytes, read: {} }, false);
    await setting.world.ports.ledger.take('plan', [note('pause').id]);
  });
  const { world, steering } = setting;
  const stand = async (): Promise<unknown> => {
    await world.ports.ledger.post('plan', note('pause'));
    return steering.stand({ task: 'a', signal: never, plan: undefined });
  };
  steering.heard({ bytes, read }, false);
  expect(await stand()).toBeUndefined();
  expect(steering.isBehind()).toBe(true);
  steering.heard({ bytes, read }, false);
  expect(steering.isBehind()).toBe(false);
  expect(await stand()).toBe('edited');
});

test('beside the branch, what waited in a pause does not begin where the plan was edited', async () => {
  const setting = open(() => setting.world.ports.ledger.take('plan', [note('pause').id]), false);
  const { world, steering } = setting;
  const place = { task: 'a', signal: never, plan: undefined };
  steering.heard({ bytes: new Uint8Array(), read: {} }, false);
  expect(await steering.stand(place)).toBeUndefined();
  await world.ports.ledger.post('plan', note('pause'));
  expect(await steering.stand(place)).toBe('edited');
});
