import { describe, expect, test } from 'vitest';
import type { Task } from '../../../src/core/plan/plan.ts';
import { commitIn, lineOf, theBranch } from '../../support/memory-git.ts';
import { eventsOf, stateOf } from '../../support/memory-server.ts';
import { aTeam, doneIn, type Conduct, type MemoryTeam } from '../../support/memory-team.ts';
import { aTask } from '../../support/plans.ts';

const free = (id: string, more: Partial<Task> = {}): Task =>
  aTask(id, { explicitNeeds: true, ...more });
const four = ['a', 'b', 'c', 'd'].map((id) => free(id));

/** What happens once, right before a step is taken: `w1: publish`. */
type Script = Readonly<Record<string, (team: MemoryTeam) => void>>;

function staged(tasks: readonly Task[], conduct: Conduct = {}, script: Script = {}): MemoryTeam {
  const left = new Map(Object.entries(script));
  const before = ({ name }: { readonly name: string }, what: string): void => {
    const deed = left.get(`${name}: ${what}`);
    left.delete(`${name}: ${what}`);
    deed?.(team);
  };
  const team: MemoryTeam = aTeam(tasks, conduct, { pick: () => 0, before });
  return team;
}

const workerIn = ({ workers }: MemoryTeam, name: string): MemoryTeam['workers'][number] => {
  const worker = workers.find((one) => one.name === name);
  if (worker === undefined) throw new Error(`${name} is not at work`);
  return worker;
};
const kill = (name: string) => (team: MemoryTeam) => team.kill(workerIn(team, name));
const drop = (name: string) => (team: MemoryTeam) => team.server.drop(workerIn(team, name));
const stop = (name: string) => (team: MemoryTeam) => workerIn(team, name).stop.abort();

/** What became of a task's attempts, in order. */
const voids = ({ server }: MemoryTeam, task: string): readonly string[] =>
  server.ofTask(task).flatMap(({ event }) => {
    if (event.type === 'attempt.voided') return [event.why];
    return event.type === 'attempt.rejected' ? [event.failure.kind] : [];
  });
const ends = ({ server }: MemoryTeam, task: string): readonly string[] =>
  eventsOf({ events: server.ofTask(task) }, 'task.finished').map(({ event }) => event.state);

/** Everything is on the branch once, in a line, and the ledger knows it. */
function expectAll(team: MemoryTeam, ids: readonly string[]): void {
  for (const { error } of team.workers) expect(error).toBeUndefined();
  expect(doneIn(team)).toEqual(ids);
  expect(lineOf(team.origin)).toHaveLength(ids.length + 1);
  for (const id of ids) expect(stateOf(team.server, id)).toMatchObject({ phase: 'passed' });
}

const all = ['a', 'b', 'c', 'd'];

describe('work is shared', () => {
  test('one worker does all', async () => {
    const team = staged(four);
    const one = team.join('w1');
    await team.run();
    expect(one.end).toMatchObject({ why: 'done', counts: { passed: 4, pending: 0 } });
    expectAll(team, all);
  });

  test('two share it, and both know in the end what has passed', async () => {
    const team = staged(four, { takes: () => 100 });
    const [one, two] = [team.join('w1'), team.join('w2')];
    await team.run();
    for (const { end } of [one, two])
      expect(end).toMatchObject({ why: 'done', counts: { passed: 4, pending: 0 } });
    expect([...one.begun, ...two.begun].sort()).toEqual(all);
    expect(two.begun.length).toBe(2);
    expectAll(team, all);
  });

  test('a third that joins late works too', async () => {
    const team = staged(four, { takes: (task) => ({ a: 900, b: 900 })[task] ?? 500 });
    const [one, two] = [team.join('w1'), team.join('w2')];
    const late = team.join('w3', { joinsAt: 300 });
    await team.run();
    expect(late.begun).toEqual(['c', 'd']);
    expect([...one.begun, ...two.begun]).toEqual(['a', 'b']);
    expectAll(team, all);
  });

  test('what needs another is begun once that has passed on any machine', async () => {
    const team = staged([free('a'), free('b', { needs: ['a'] }), free('c', { needs: ['b'] })]);
    const workers = ['w1', 'w2', 'w3'].map((name) => team.join(name));
    await team.run();
    expect(workers.flatMap(({ begun }) => begun).sort()).toEqual(['a', 'b', 'c']);
    expectAll(team, ['a', 'b', 'c']);
  });

  test('named tasks, and a limit, are what a worker waits for and no more', async () => {
    const team = staged(four, { takes: () => 50 });
    const [named, few] = [
      team.join('w1', { named: ['c'] }),
      team.join('w2', { config: { limit: 1 } }),
    ];
    await team.run();
    expect([named.begun, few.begun]).toEqual([['c'], ['a']]);
    expect(named.end).toMatchObject({ why: 'done', counts: { passed: 1, pending: 3 } });
    expectAll(team, ['a', 'c']);
  });
});

describe('what a person took back', () => {
  /** A commit on top, without the tick: `git revert`. */
  const revert =
    (task: string) =>
    ({ origin }: MemoryTeam): void => {
      const tip = origin.refs.get(theBranch) ?? '';
      const { [`tick/${task}`]: _, ...files } = origin.commits.get(tip)?.files ?? {};
      origin.refs.set(theBranch, commitIn(origin, files, tip));
    };

  test('while the team is at work is done again', async () => {
    const team = staged([free('a'), free('b')], {}, { 'w1: agent b': revert('a') });
    const one = team.join('w1');
    await team.run();
    expect(one.begun).toEqual(['a', 'b', 'a']);
    expect(one.end).toMatchObject({ why: 'done', counts: { passed: 2 } });
    expect(doneIn(team)).toEqual(['a', 'b']);
  });

  test('and set the branch back before, is 4', async () => {
    const back = ({ origin }: MemoryTeam): void => void origin.refs.set(theBranch, 'c0');
    const team = staged([free('a'), free('b')], {}, { 'w1: agent b': back });
    const one = team.join('w1');
    await team.run();
    expect(one.error).toMatchObject({ status: 4 });
  });
});

describe('the end of a run', () => {
  test('names what failed, whoever worked on it, and its tree is where the branch is', async () => {
    const works = (task: string, attempt: number): Record<string, string> | undefined =>
      task === 'a' ? undefined : { [`src/${task}`]: `${attempt}` };
    const team = staged(four, { works, takes: () => 100 });
    const workers = [team.join('w1'), team.join('w2')];
    await team.run();
    const tree = team.origin.refs.get(theBranch);
    for (const { end } of workers)
      expect(end).toMatchObject({ why: 'failed', team: { tree, failed: ['a'] } });
  });
});

describe('a worker dies', () => {
  test.each([
    ['while its agent is at work', 'agent a', ['crashed', 'ahead']],
    ['while its gates judge', 'gates a', ['crashed', 'ahead']],
    ['while it is rolled back', 'roll back a', ['ahead', 'ahead']],
    ['when its work lies on its own disk only', 'append rollback.done a', ['ahead', 'ahead']],
    [
      'before it has given its work',
      'give refs/skeleton/attempts/plan/a/1',
      ['ahead', 'lost', 'ahead'],
    ],
    ['when its turn has come', 'merge', ['ahead']],
    ['while its work is looked at', 'inspect', ['crashed', 'ahead']],
    ['while it is judged in its turn', 'number', ['ahead', 'outpaced']],
    ['before it pushes', 'publish', ['ahead', 'outpaced']],
    ['after it has pushed', 'publish answered', ['ahead']],
    ['before the ledger has the checkpoint', 'append checkpoint.created a', ['ahead']],
    ['before it has told the end', 'append task.finished a', ['ahead']],
  ])('%s', async (_, step, expected) => {
    const team = staged(four, {}, { [`w1: ${step}`]: kill('w1') });
    team.join('w1');
    const two = team.join('w2');
    await team.run();
    expect(two.end).toMatchObject({ why: 'done', counts: { passed: 4 } });
    expectAll(team, all);
    expect(voids(team, 'a')).toEqual(expected);
  });

  test('with the push torn on the remote: the branch has moved, and its tag is brought after', async () => {
    const torn = (team: MemoryTeam): void => {
      const { refs } = team.origin;
      for (const ref of refs.keys()) if (/tags|proof/.test(ref)) refs.delete(ref);
      kill('w1')(team);
    };
    const team = staged([free('a')], {}, { 'w1: publish answered': torn });
    team.join('w1');
    team.join('w2');
    await team.run();
    expectAll(team, ['a']);
    expect(voids(team, 'a')).toEqual(['ahead']);
    const tags = [...team.origin.refs.keys()].filter((ref) => ref.includes('tags'));
    expect(tags).toEqual(['refs/tags/skeleton/plan/0001-a']);
  });

  test('while it waits for a provider', async () => {
    const turnsAway = (task: string, attempt: number): number | undefined =>
      task === 'a' && attempt === 1 ? 60_000 : undefined;
    const team = staged(four, { turnsAway });
    const one = team.join('w1');
    const two = team.join('w2', { joinsAt: 1000 });
    await team.schedule.run(() => team.schedule.now() > 500);
    team.kill(one);
    await team.run();
    expect(two.end).toMatchObject({ why: 'done', counts: { passed: 4 } });
    expectAll(team, all);
  });

  test('its work is gone on with where it was given', async () => {
    const team = staged([free('a')], {}, { 'w1: turn': kill('w1') });
    team.join('w1');
    const two = team.join('w2');
    await team.run();
    expectAll(team, ['a']);
    expect(two.begun).toEqual([]);
  });

  test('five times: five attempts are charged, and the task has failed for the team', async () => {
    const names = ['w1', 'w2', 'w3', 'w4', 'w5'];
    const deaths = names.map((name) => [`${name}: gates a`, kill(name)] as const);
    const team = staged([free('a')], {}, Object.fromEntries(deaths));
    for (const name of names) team.join(name);
    const last = team.join('w6');
    await team.run();
    expect(last.begun).toEqual([]);
    expect(last.end).toMatchObject({ why: 'failed', counts: { failed: 1 } });
    expect(stateOf(team.server, 'a')).toMatchObject({ phase: 'failed', charged: 5 });
  });
});

describe('a claim is lost', () => {
  test.each([
    ['while the agent is at work', 'agent a'],
    ['before the push', 'publish'],
    ['right after it was asked for', 'assert task a answered'],
    ['when the push is done', 'publish answered'],
  ])('%s: whoever had it writes and pushes nothing more', async (_, step) => {
    const team = staged(
      four,
      {},
      {
        [`w1: ${step}`]: (there) => {
          const one = workerIn(there, 'w1');
          there.server.drop(one);
          one.pausedUntil = there.schedule.now() + 3000;
        },
      },
    );
    team.join('w1');
    team.join('w2', { joinsAt: 5 });
    await team.run();
    expectAll(team, all);
    const tags = team.origin.published.map(({ tag }) => tag.replace(/.*-/, ''));
    expect([...tags].sort()).toEqual(all);
    expect(workerIn(team, 'w1').end).toMatchObject({ why: 'done', counts: { passed: 4 } });
  });

  test('what another has begun of the task is not gone on with', async () => {
    const script: Script = {
      'w1: append task.started a answered': (there) => {
        const one = workerIn(there, 'w1');
        there.server.drop(one);
        one.pausedUntil = there.schedule.now() + 3000;
      },
      'w2: publish': (there) => {
        workerIn(there, 'w2').pausedUntil = there.schedule.now() + 6000;
      },
    };
    const team = staged([free('a')], {}, script);
    const one = team.join('w1');
    const two = team.join('w2', { joinsAt: 5 });
    await team.run();
    expect([one.begun, two.begun]).toEqual([[], ['a']]);
    expect(one.said).toHaveLength(1);
    expectAll(team, ['a']);
  });

  test('a connection that breaks costs nothing where nobody else took the task', async () => {
    const team = staged(
      four,
      {},
      {
        'w1: agent a': drop('w1'),
        'w1: append gates.passed a answered': drop('w1'),
        'w1: append checkpoint.created a answered': drop('w1'),
      },
    );
    const one = team.join('w1');
    await team.run();
    expectAll(team, all);
    expect(one.said).toEqual([]);
    expect(voids(team, 'a')).toEqual(['ahead']);
  });

  test('a fence that was moved although the lock is held is taken again', async () => {
    const team = staged(
      [free('a')],
      {},
      {
        'w1: publish': ({ origin }) =>
          void origin.refs.set('refs/skeleton/fence/plan/a', 'another'),
      },
    );
    team.join('w1');
    await team.run();
    expectAll(team, ['a']);
    expect(voids(team, 'a')).toEqual(['ahead', 'outpaced']);
  });
});

const byHand =
  (path: string, content = 'by hand') =>
  ({ origin }: MemoryTeam): void => {
    const tip = origin.refs.get(theBranch) ?? '';
    const files = { ...origin.commits.get(tip)?.files, [path]: content };
    origin.refs.set(theBranch, commitIn(origin, files, tip));
  };

describe('the branch moves', () => {
  test('outpaced by a push, the work is judged on top of it', async () => {
    const team = staged([free('a')], {}, { 'w1: publish': byHand('notes') });
    const one = team.join('w1');
    await team.run();
    expect(one.begun).toEqual(['a']);
    expect(voids(team, 'a')).toEqual(['ahead', 'outpaced']);
    expect(lineOf(team.origin)).toHaveLength(3);
  });

  test('a person ticks the task: it is done, and what was made of it is kept', async () => {
    const team = staged([free('a'), free('b')], {}, { 'w1: agent a': byHand('tick/a') });
    const one = team.join('w1');
    await team.run();
    expect(one.end).toMatchObject({ why: 'done', counts: { passed: 2 } });
    expect(ends(team, 'a')).toEqual(['passed']);
    expect(eventsOf(team.server, 'checkpoint.created').map(({ task }) => task)).toEqual(['b']);
  });

  test('sent back once it is free, then it is charged', async () => {
    const works = (task: string, attempt: number): Record<string, string> => ({
      [`src/${task}`]: `${attempt}`,
      ...(attempt < 4 && { shared: `${task}#${attempt}` }),
    });
    let left = 2;
    const before = (_: unknown, what: string): void => {
      if (what === 'turn answered' && (left -= 1) >= 0) byHand('shared', `theirs ${left}`)(team);
    };
    const team: MemoryTeam = aTeam([free('a')], { works }, { pick: () => 0, before });
    const one = team.join('w1');
    await team.run();
    expect(voids(team, 'a')).toEqual(['ahead', 'sent-back', 'ahead', 'conflict', 'ahead']);
    expect(one.end).toMatchObject({ why: 'done' });
  });

  test('back, under work that was made on it: with that work, what was taken off would come back', async () => {
    const back = (team: MemoryTeam): void => void team.origin.refs.set(theBranch, 'c0');
    const team = staged([free('a'), free('b')], {}, { 'w2: turn': back });
    team.join('w1', { named: ['a'] });
    await team.run();
    team.join('w2', { named: ['b'] });
    await team.run();
    expect(voids(team, 'b')).toEqual(['ahead', 'lost', 'ahead']);
    expect(doneIn(team)).toEqual(['b']);
  });

  test('the ledger knows a checkpoint that the branch does not hold: refused with 4', async () => {
    const team = staged(
      [free('a'), free('b', { needs: ['a'] })],
      {},
      {
        'w1: append task.finished a': ({ origin }) => void origin.refs.set(theBranch, 'c0'),
      },
    );
    const one = team.join('w1');
    await team.run();
    expect(one.error).toMatchObject({ name: 'Refusal', status: 4 });
    expect(String(one.error)).toContain('the ledger knows the checkpoint skeleton/plan/0001-a');
  });

  test('a later team begins what was taken off the branch anew', async () => {
    const team = staged([free('a')]);
    team.join('w1');
    await team.run();
    team.origin.refs.set(theBranch, 'c0');
    const two = team.join('w2');
    await team.run();
    expect(two.begun).toEqual(['a']);
    expectAll(team, ['a']);
  });
});

describe('what does not pass', () => {
  const red: Conduct = { judges: (task) => (task === 'a' ? 'fail' : 'pass') };
  const chain = [free('a', { config: { attempts: 2 } }), free('b', { needs: ['a'] }), free('c')];

  test('has failed for the team, and what needs it is blocked, written once', async () => {
    const team = staged(chain, red);
    const [one, two] = [team.join('w1'), team.join('w2')];
    await team.run();
    expect([ends(team, 'a'), ends(team, 'b')]).toEqual([['failed'], ['blocked']]);
    for (const { end } of [one, two])
      expect(end).toMatchObject({ why: 'failed', counts: { passed: 1, failed: 1, blocked: 1 } });
  });

  test('is settled for who joins later, and begun anew by the next team', async () => {
    const team = staged(chain, { ...red, takes: (task) => (task === 'c' ? 5000 : 0) });
    team.join('w1');
    team.join('w2');
    const late = team.join('w3', { joinsAt: 3000 });
    await team.run();
    expect(late.begun).toEqual([]);
    const next = team.join('w4');
    await team.run();
    expect(next.begun).toEqual(['a', 'a']);
    expect(ends(team, 'a')).toEqual(['failed', 'failed']);
  });

  test('ends a run with fail-fast on every machine', async () => {
    const team = staged([...chain, free('d', { needs: ['c'] })], {
      ...red,
      takes: (task) => (task === 'c' ? 900 : 10),
    });
    const config = { failFast: true };
    const [one, two] = [team.join('w1', { config }), team.join('w2', { config })];
    await team.run();
    for (const { end } of [one, two]) expect(end).toMatchObject({ why: 'failed' });
    expect(doneIn(team)).toEqual(['c']);
  });

  test('holds nobody up with keep-going', async () => {
    const team = staged([free('a', { config: { attempts: 1 } }), aTask('b')], red);
    const one = team.join('w1', { config: { keepGoing: true } });
    await team.run();
    expect(one.end).toMatchObject({ why: 'failed', counts: { passed: 1, failed: 1 } });
  });

  test('what the remote refuses is stopped, and judged again later', async () => {
    const team = staged([free('a')]);
    team.origin.refuses = () => 'protected branch';
    const one = team.join('w1');
    await team.run();
    expect(one.end?.why).toBe('unpushed');
    expect([voids(team, 'a'), ends(team, 'a')]).toEqual([['ahead', 'unpushed'], ['stopped']]);
    team.origin.refuses = () => undefined;
    const two = team.join('w2');
    await team.run();
    expect(two.begun).toEqual([]);
    expectAll(team, ['a']);
  });

  test('attempts that an earlier run has used up end it, work that waits for its turn too', async () => {
    const judges: Conduct['judges'] = (_, files) => (files['src/a'] === 'a#3' ? 'pass' : 'fail');
    const team = staged([free('a')], { judges });
    team.origin.refuses = () => 'protected branch';
    team.join('w1');
    await team.run();
    const two = team.join('w2', { config: { attempts: 2 } });
    await team.run();
    expect(two.end).toMatchObject({ why: 'failed', counts: { failed: 1 } });
  });
});

describe('a stop', () => {
  test.each([
    ['before anything', 'claim', []],
    ['while the agent is at work', 'agent a', ['interrupted']],
    ['while what the agent did is written', 'append agent.finished a', ['interrupted']],
    ['while the gates judge', 'gates a', ['interrupted']],
    ['while it is rolled back', 'roll back a', ['ahead']],
    ['before its turn', 'turn', ['ahead']],
    ['while it is pushed', 'publish', ['ahead']],
  ])('%s: one end, nothing is charged, and another machine goes on', async (_, step, expected) => {
    const team = staged([free('a')], {}, { [`w1: ${step}`]: stop('w1') });
    const one = team.join('w1');
    await team.run();
    expect(one.error).toBeUndefined();
    expect(one.end?.why).toBe('interrupted');
    expect(voids(team, 'a')).toEqual(expected);
    expect(ends(team, 'a')).toHaveLength(1);
    const two = team.join('w2');
    await team.run();
    expectAll(team, ['a']);
    expect(two.error).toBeUndefined();
  });
});
