import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { nightly } from '../support/nightly.ts';
import { openPostgresServer, type PostgresServer } from '../support/postgres-lab.ts';
import { complaintsOf, published } from '../support/team-audit.ts';
import {
  branch,
  makeTeamLab,
  until,
  type TeamLab,
  type TeamMachine,
  type TeamTask,
} from '../support/team-lab.ts';

let server: PostgresServer;
let lab: TeamLab;
beforeAll(async () => {
  server = await openPostgresServer();
});
afterEach(async () => lab.remove());
afterAll(async () => server.close());

type Tasks = Readonly<Record<string, Partial<TeamTask>>>;

async function makeLab(
  tasks: Tasks,
  more?: { readonly front?: string; readonly files?: Readonly<Record<string, string>> },
): Promise<readonly [TeamMachine, TeamMachine]> {
  const all = Object.entries(tasks).map(([id, task]) => ({ id, ...task }));
  lab = makeTeamLab(await server.database(), all, more);
  return [lab.machine('one'), lab.machine('two')];
}

/** The agent of a task stays until it is let go; then it goes on with the rest. */
const stays = (rest = ':'): string =>
  `until test -e "$OUTSIDE/go-$SKELETON_TASK_ID"; do sleep 0.05; done; ${rest}`;
const letGo = (...tasks: readonly string[]): void => {
  for (const task of tasks) writeFileSync(join(lab.outside, `go-${task}`), '');
};
/** Blocks of code of docs/many-machines.md, in order. */
const shown = (kind: 'sql' | 'sh'): readonly string[] =>
  [...readFileSync('docs/many-machines.md', 'utf8').matchAll(/^```(\w+)\n(.*?)^```/gms)].flatMap(
    ([, name, text = '']) => (name === kind ? [text] : []),
  );
const callsOf = (task: string): number =>
  lab.calls().filter((line) => line.startsWith(`${task} `)).length;
const atWork = async (task: string, times = 1): Promise<void> =>
  until(`an agent for ${task}`, () => callsOf(task) >= times);

/** In a clone that is no worker's. */
function asPerson(work: (top: string) => void): void {
  const top = join(lab.folder, 'a person');
  execFileSync('git', ['clone', '-q', '-b', 'skeleton/plan', lab.bare, top]);
  work(top);
  execFileSync('git', ['-C', top, 'commit', '-qam', 'by a person']);
  execFileSync('git', ['-C', top, 'push', '-q', 'origin', 'HEAD']);
}

async function expectWhole(...machines: readonly TeamMachine[]): Promise<void> {
  expect(await complaintsOf(lab, machines)).toEqual([]);
}

async function eventsOf(task: string, type: string): Promise<readonly unknown[]> {
  const history = await lab.history();
  return history.flatMap((row) =>
    row.task === task && row.event.type === type ? [row.event] : [],
  );
}

test('what two machines change at the same place is sent back, and lands', async () => {
  const edits = stays('echo "$SKELETON_TASK_ID" > shared.txt');
  const [one, two] = await makeLab(
    { a: { edits }, b: { edits } },
    { files: { 'shared.txt': '-\n' } },
  );
  const runs = [one, two].map((machine) => machine.start());
  await atWork('a');
  await atWork('b');
  letGo('a', 'b');
  for (const { ended } of runs) expect(await ended).toMatchObject({ status: 0 });
  await expectWhole(one, two);
  const voided = [
    ...(await eventsOf('a', 'attempt.voided')),
    ...(await eventsOf('b', 'attempt.voided')),
  ];
  expect(voided.filter((event) => (event as { why: string }).why === 'sent-back')).toHaveLength(1);
  expect(lab.calls()).toHaveLength(3);
});

nightly(
  'a worker that is paused past everything loses its task, writes nothing more, and keeps what it made',
  async () => {
    const [one, two] = await makeLab({ a: { edits: stays() }, b: {} });
    const paused = one.start();
    await atWork('a');
    process.kill(paused.child.pid ?? 0, 'SIGSTOP');
    const other = two.start();
    await until('b', () => published(lab).length === 1);
    await atWork('a', 2);
    letGo('a');
    expect(await other.ended).toMatchObject({ status: 0 });
    const rows = await lab.history();
    process.kill(paused.child.pid ?? 0, 'SIGCONT');
    const { status, stderr } = await paused.ended;
    expect({ status, stderr }).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('a: another machine has it now') as string,
    });
    const later = (await lab.history()).slice(rows.length);
    expect(later.filter(({ task }) => task !== '')).toEqual([]);
    await expectWhole(one, two);
    expect(await eventsOf('a', 'attempt.rejected')).toMatchObject([
      { failure: { kind: 'crashed' } },
    ]);
    expect(published(lab).map(({ task }) => task)).toEqual(['b', 'a']);
  },
);

nightly(
  'a commit that a person pushes meanwhile stays, and the work goes on top of it',
  async () => {
    const [one] = await makeLab({ a: { edits: stays() }, b: { needs: ['a'] } });
    const run = one.start();
    await atWork('a');
    asPerson((top) => {
      writeFileSync(join(top, 'theirs.txt'), 'theirs\n');
      execFileSync('git', ['-C', top, 'add', 'theirs.txt']);
    });
    const theirs = lab.there('rev-parse', branch);
    letGo('a');
    expect(await run.ended).toMatchObject({ status: 0 });
    expect(lab.there('merge-base', theirs, branch)).toBe(theirs);
    expect(lab.there('show', `${branch}:theirs.txt`)).toBe('theirs');
    await expectWhole(one);
    expect(lab.calls()).toHaveLength(2);
  },
);

nightly(
  'a plan that a person changes on the branch meanwhile: 4, and the next run goes by the new one',
  async () => {
    const [one] = await makeLab({ a: { edits: stays() }, b: {} });
    const run = one.start();
    await atWork('a');
    asPerson((top) => {
      const path = join(top, 'PLAN.md');
      execFileSync('sed', ['-i', 's/Make b/Make b well/', path]);
    });
    letGo('a');
    const { status, stderr } = await run.ended;
    expect({ status, stderr }).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('PLAN.md was changed in skeleton/plan on origin') as string,
    });
    expect(await one.run()).toMatchObject({ status: 0 });
    await expectWhole(one);
    expect(lab.there('show', `${branch}:PLAN.md`)).toContain('- [x] Make b well');
  },
);

describe('a branch that is protected', () => {
  const refuse = `while read -r old new ref; do
    test "$ref" != ${branch} || { echo "this branch is protected" >&2; exit 1; }
  done`;
  const words = expect.stringContaining('this branch is protected') as string;

  nightly('from the beginning: 3, and no agent was called', async () => {
    const [one] = await makeLab({ a: {} });
    lab.hook('pre-receive', refuse);
    const { status, stderr } = await one.run();
    expect({ status, stderr }).toMatchObject({ status: 3, stderr: words });
    expect(lab.calls()).toEqual([]);
    lab.hook('pre-receive', 'exit 0');
    expect(await one.run()).toMatchObject({ status: 0 });
    await expectWhole(one);
  });

  test('all of a sudden: 4 with its words, and any machine publishes later what was made, without the agent', async () => {
    const [one, two] = await makeLab({ a: { edits: stays() }, b: {} });
    const run = one.start();
    await atWork('a');
    lab.hook('pre-receive', refuse);
    letGo('a');
    const { status, stderr } = await run.ended;
    expect({ status, stderr }).toMatchObject({ status: 4, stderr: words });
    expect(published(lab)).toEqual([]);
    lab.hook('pre-receive', 'exit 0');
    expect(await two.run()).toMatchObject({ status: 0 });
    expect(callsOf('a')).toBe(1);
    await expectWhole(one, two);
  });
});

nightly(
  'a lock that a killed push has left on the remote: 4 with the file and when it may go; then it is published',
  async () => {
    const [one] = await makeLab({ a: { edits: stays() } });
    const run = one.start();
    await atWork('a');
    const lock = join(lab.bare, `${branch}.lock`);
    writeFileSync(lock, '');
    letGo('a');
    const { status, stderr } = await run.ended;
    expect({ status, stderr }).toMatchObject({
      status: 4,
      stderr: expect.stringMatching(
        /no git is at work .*delete it there \(rm '.*\.lock'\)/,
      ) as string,
    });
    expect(stderr).not.toContain('Another git process');
    rmSync(lock);
    expect(await one.run()).toMatchObject({ status: 0 });
    expect(callsOf('a')).toBe(1);
    await expectWhole(one);
  },
);

test('a task that failed is a dead letter for who joins, and is begun anew by the next team', async () => {
  const [one, two] = await makeLab({
    bad: { attempts: 1, edits: 'test -e "$OUTSIDE/mended" || touch BAD' },
    slow: { edits: stays() },
    later: { needs: ['bad'] },
  });
  const first = one.start();
  await atWork('slow');
  const second = two.start();
  await until('the second to look around', () => second.said().includes('branch skeleton/plan'));
  await sleep(1500);
  letGo('slow');
  for (const { ended } of [first, second]) expect(await ended).toMatchObject({ status: 1 });
  expect(callsOf('bad')).toBe(1);
  const { stdout } = await two.ask('status', '--failed');
  expect(stdout).toContain('bad');
  writeFileSync(join(lab.outside, 'mended'), '');
  expect(await two.run()).toMatchObject({ status: 0 });
  expect(callsOf('bad')).toBe(2);
  await expectWhole(one, two);
});

test('a second worker in the same clone is refused with 3', async () => {
  const [one] = await makeLab({ a: { edits: stays() } });
  const run = one.start();
  await atWork('a');
  const { status, stderr } = await one.run();
  expect({ status, stderr }).toMatchObject({ status: 3 });
  letGo('a');
  expect(await run.ended).toMatchObject({ status: 0 });
  await expectWhole(one);
});

test.each([
  ['push_attempts: true', ['1', '2']],
  ['push_attempts: false', ['2']],
])('%s: attempts on the remote are %s', async (line, numbers) => {
  const edits = 'test -e "$OUTSIDE/once" || { touch "$OUTSIDE/once" BAD; }';
  const [one] = await makeLab({ a: { edits } }, { front: `---\n${line}\n---\n` });
  expect(await one.run()).toMatchObject({ status: 0 });
  const prefix = 'refs/skeleton/attempts/plan/a/';
  const there = lab.refs().filter((ref) => ref.startsWith(prefix));
  expect(there).toEqual(numbers.map((number) => prefix + number));
  await expectWhole(one);
});

nightly(
  'what a machine that died had begun goes on elsewhere, and what it had made stays with it',
  async () => {
    const [one, two] = await makeLab({ a: {}, b: { edits: stays() }, c: { needs: ['b'] } });
    const run = one.start();
    await atWork('b');
    run.kill('worker');
    await run.ended;
    letGo('b');
    expect(await two.run()).toMatchObject({ status: 0 });
    expect(callsOf('b')).toBe(2);
    expect(await one.run()).toMatchObject({ status: 0 });
    await expectWhole(one, two);
  },
);

nightly(
  'the roles of the documentation are enough: one that owns the schema, one with the grants',
  async () => {
    const [one, two] = await makeLab({
      a: {},
      b: { edits: 'test -e "$OUTSIDE/go" || exit 1', attempts: 1 },
    });
    const [owner = '', worker = '', ...more] = shown('sql');
    expect(more).toEqual([]);
    const administrator = new Client({ connectionString: lab.url });
    await administrator.connect();
    const as = (role: string): NodeJS.ProcessEnv => {
      const url = Object.assign(new URL(lab.url), { username: role, password: 'SECRET' });
      return { SKELETON_LEDGER: url.href };
    };
    await administrator.query(owner);
    expect(await one.start([], as('skeleton')).ended).toMatchObject({ status: 1 });
    await administrator.query(worker);
    await administrator.end();
    writeFileSync(join(lab.outside, 'go'), '');
    expect(await two.start([], as('skeleton_worker')).ended).toMatchObject({ status: 0 });
    await expectWhole(one, two);
  },
);

nightly(
  'a ledger that was lost costs no code, and what it left on the remote can be tidied up as documented',
  async () => {
    const [one] = await makeLab({ a: {}, b: {}, c: {} });
    expect(await one.run('a', 'b')).toMatchObject({ status: 0 });
    expect(published(lab).map(({ task }) => task)).toEqual(['a', 'b']);
    const anew = { SKELETON_LEDGER: await server.database() };
    expect(await one.start([], anew).ended).toMatchObject({ status: 0 });
    expect(lab.calls()).toHaveLength(3);
    const tags = lab.refs().filter((ref) => /refs\/tags\/.*[a-c]$/.test(ref));
    expect(tags).toEqual(['1-a', '2-b', '3-c'].map((name) => `refs/tags/skeleton/plan/000${name}`));
    const tidy = shown('sh').find((text) => text.includes('--delete')) ?? '';
    execFileSync('sh', ['-ec', tidy], { cwd: one.top, stdio: 'ignore' });
    expect(lab.refs().filter((ref) => /fence|attempts/.test(ref))).toEqual([]);
    one.git('fetch', '-q');
    one.git('merge', '-q', 'origin/skeleton/plan');
    expect(await one.ask('verify')).toMatchObject({ status: 0 });
  },
);
