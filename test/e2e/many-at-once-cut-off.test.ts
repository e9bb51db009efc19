import { existsSync, lstatSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { makeJobsLab, type JobsLab } from '../support/jobs-lab.ts';
import { killedIn } from '../support/user-repository.ts';

let lab: JobsLab;
afterEach(() => lab.remove());

function expectTidy(): void {
  expect(lab.git('worktree', 'list').split('\n')).toHaveLength(1);
  expect(readdirSync(dirname(lab.top)).filter((name) => name.includes('.skeleton-'))).toEqual([]);
  expect(lab.git('status', '--porcelain')).toBe('');
}

const tags = (): readonly string[] =>
  lab.git('tag', '--list', 'skeleton/plan/*').split('\n').slice(1);
const callsOf = (task: string): number =>
  lab.calls().filter((line) => line.startsWith(`${task} `)).length;

/** The agent is at `a` until `b` has passed ahead, and is kept. */
function makeTwo(): void {
  const isKept = 'git rev-parse --quiet --verify refs/skeleton/attempts/plan/b/1 > /dev/null';
  lab = makeJobsLab([
    { id: 'a', edits: `until ${isKept}; do sleep 0.05; done; echo a > a.txt` },
    { id: 'b', edits: 'echo b > b.txt' },
  ]);
}

async function isKilled(...windows: readonly string[]): Promise<void> {
  const env = { ...lab.env, ...killedIn(...windows) };
  const { status, stderr } = await lab.start(lab.args(2), env).ended;
  expect(status, stderr).toBe(null);
}

// The gate is run before the first task, in the slot, and where `a` is at its turn.
const inSlot = ['after check.sh', 'after check.sh'];
const atTurn = [...inSlot, 'after check.sh'];

test.each([
  ['in a slot, before what passed is kept', [...inSlot, 'before git update-ref -m']],
  ['in a slot, where what passed is rolled back', [...inSlot, 'after git read-tree -m']],
  ['at a checkpoint, after it', [...atTurn, 'after git update-ref -m']],
])('killed %s', async (_, windows) => {
  makeTwo();
  await isKilled(...windows);
  const { status, stderr } = await lab.jobs(2);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(tags()).toEqual(['skeleton/plan/0001-a', 'skeleton/plan/0002-b']);
  expect(callsOf('b')).toBe(1);
  expect((await lab.run('verify')).status).toBe(0);
  expectTidy();
});

test('the ledger is lost while work waits for its turn: that is kept, and the next run, with a limit, goes on', async () => {
  makeTwo();
  await isKilled(...inSlot, 'after git read-tree -m', 'after a commit of the ledger or a lock');
  const kept = lab.git('rev-parse', 'refs/skeleton/attempts/plan/b/1');
  for (const end of ['', '-wal', '-shm'])
    rmSync(join(lab.top, `.git/skeleton/ledger.db${end}`), { force: true });
  const { status, stderr } = await lab.jobs(2, '--limit', '1');
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(tags()).toEqual(['skeleton/plan/0001-a']);
  expect((await lab.jobs(2)).status).toBe(0);
  expect(tags()).toEqual(['skeleton/plan/0001-a', 'skeleton/plan/0002-b']);
  expect(lab.git('rev-parse', 'refs/skeleton/attempts/plan/b/1')).toBe(kept);
  expectTidy();
});

test('what is shared by a link is a link in a slot, unless git would take that for work, and outlives the slot', async () => {
  const edits = (id: string): string =>
    `for f in linked folder; do test ! -L $f || echo $f; done > ${id}.txt; test -e linked/x && test -e folder/x && sleep 1`;
  const front = '---\nshare: [{path: linked/, how: symlink}, {path: folder, how: symlink}]\n---\n';
  const files = { '.gitignore': 'linked\nfolder/\n' };
  lab = makeJobsLab(
    ['a', 'b'].map((id) => ({ id, edits: edits(id) })),
    { front, files },
  );
  for (const name of ['linked', 'folder']) lab.write(`${name}/x`, 'mine');
  const { status, stderr } = await lab.jobs(2);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(stderr).toContain('folder is copied');
  expect(lab.git('show', 'HEAD~1:a.txt')).toBe('');
  expect(lab.git('show', 'HEAD:b.txt')).toBe('linked');
  expect(readFileSync(join(lab.top, 'linked/x'), 'utf8')).toBe('mine');
  expect(lstatSync(join(lab.top, 'linked')).isDirectory()).toBe(true);
  expect(existsSync(join(lab.top, 'folder/x'))).toBe(true);
  expectTidy();
});
