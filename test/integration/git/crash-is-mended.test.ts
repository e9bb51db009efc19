import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openWorkspace } from '../../../src/git/workspace.ts';
import type { Checkpoint, Workspace } from '../../../src/ports.ts';
import { compileSources } from '../../support/compiled-sources.ts';
import {
  allFiles,
  anAttempt,
  copyLab,
  keptBytes,
  makeFurnishedLab,
  photograph,
  someRules,
} from '../../support/git-lab.ts';
import type { Lab, Picture } from '../../support/git-lab.ts';

let template: Lab;
let compiled: string;
beforeAll(async () => {
  template = makeFurnishedLab();
  compiled = await compileSources(['src/git/workspace.ts', 'src/git/rescue.ts']);
});
afterAll(() => {
  template.remove();
  rmSync(compiled, { recursive: true });
});

let lab: Lab;
let before: Picture;
let workspace: Workspace;
beforeEach(async () => {
  lab = copyLab(template);
  before = photograph(lab);
  workspace = await openWorkspace({ cwd: lab.top });
});
afterEach(() => {
  lab.remove();
});

const vandalism =
  'echo x > README.md; rm -r src; mkdir -p d; echo n > d/n; echo T=2 > .env; git add d';

describe('a rollback', () => {
  test('by another process needs the record alone', async () => {
    await workspace.begin(anAttempt, someRules());
    lab.sh(vandalism);
    const left = allFiles(lab);
    const other = await openWorkspace({ cwd: lab.top });
    const { snapshot } = await other.rollBack(anAttempt);
    expect(photograph(lab)).toEqual(before);
    const kept = keptBytes(lab, snapshot.ref);
    for (const [path, bytes] of left)
      if (allFiles(lab).get(path) !== bytes) expect(kept).toContain(bytes);
  });

  test('that was done is repeated without a change, and keeps its snapshot', async () => {
    await workspace.begin(anAttempt, someRules());
    lab.sh(vandalism);
    const first = await workspace.rollBack(anAttempt);
    const other = await openWorkspace({ cwd: lab.top });
    expect((await other.rollBack(anAttempt)).snapshot).toEqual(first.snapshot);
    expect((await other.rollBack(anAttempt)).snapshot).toEqual(first.snapshot);
    expect(photograph(lab)).toEqual(before);
  });

  test('that was forgotten gives its snapshot', async () => {
    await workspace.begin(anAttempt, someRules());
    lab.sh(vandalism);
    const { snapshot } = await workspace.rollBack(anAttempt);
    await workspace.end(anAttempt);
    const other = await openWorkspace({ cwd: lab.top });
    expect((await other.rollBack(anAttempt)).snapshot).toEqual(snapshot);
  });

  test('cut off in the middle of the tree switch loses nothing of either half', async () => {
    await workspace.begin(anAttempt, someRules());
    lab.sh(vandalism);
    const { snapshot } = await workspace.rollBack(anAttempt);
    // As if the power had gone when one file was back and another not, and a person had gone on since.
    lab.sh('echo x > README.md; echo late > d.txt');
    const other = await openWorkspace({ cwd: lab.top });
    const second = await other.rollBack(anAttempt);
    expect(photograph(lab)).toEqual(before);
    const show = (path: string): string => lab.git('show', `${second.snapshot.ref}:${path}`);
    expect([show('README.md'), show('d/n'), show('d.txt')]).toEqual(['x\n', 'n\n', 'late\n']);
    expect(lab.git('merge-base', '--is-ancestor', snapshot.commit, second.snapshot.commit)).toBe(
      '',
    );
  });

  test('whose record is gone puts back HEAD and keeps everything', async () => {
    await workspace.begin(anAttempt, someRules());
    lab.sh(`${vandalism}; touch .git/index.lock; rm -r .git/skeleton`);
    const other = await openWorkspace({ cwd: lab.top });
    const { snapshot, notices } = await other.rollBack(anAttempt);
    expect(notices.join()).toMatch(/the record of the attempt is gone/);
    expect(lab.git('status', '--porcelain')).toBe('');
    expect(lab.git('show', `${snapshot.ref}:d/n`)).toBe('n\n');
    expect(lab.read('.env')).toBe('T=2\n');
  });
});

/** Runs an attempt in a process that is killed at its Nth call of git, and gives whether it was. */
function runKilled(script: string, calls: number): boolean {
  const bin = join(lab.top, '..', 'bin');
  lab.sh(`mkdir -p '${bin}'; cat > '${bin}/git' <<'G'
#!/bin/bash
n=$(cat "$COUNT_FILE" 2>/dev/null || echo 0); n=$((n + 1)); echo $n > "$COUNT_FILE"
if [ $n -eq $KILL_AT ]; then kill -9 $PPID; exit 1; fi
PATH=\${PATH#*:} exec git "$@"
G
chmod +x '${bin}/git'`);
  const main = `
    const { openWorkspace } = await import('${join(compiled, 'src/git/workspace.js')}');
    const { execFileSync } = await import('node:child_process');
    const id = ${JSON.stringify(anAttempt)};
    const rules = ${JSON.stringify(someRules())};
    Object.assign(rules.plan, { before: Buffer.from(rules.plan.before.data), ticked: Buffer.from(rules.plan.ticked.data) });
    rules.plan.differsInMarksOnly = () => false;
    const ws = await openWorkspace({ cwd: process.cwd() });
    ${script}`;
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    COUNT_FILE: join(lab.top, '..', 'count'),
    KILL_AT: String(calls),
  };
  const args = ['--input-type=module', '-e', main];
  const { signal, status, stderr } = spawnSync(process.execPath, args, { cwd: lab.top, env });
  if (signal === null && status !== 0) throw new Error(stderr.toString());
  return signal === 'SIGKILL';
}

const most = 40;

describe('killed at any call of git', () => {
  test('a rollback is finished by the next process', { timeout: 240_000 }, async () => {
    const script = `const vandalism = ${JSON.stringify(vandalism)};
      await ws.begin(id, rules); execFileSync('bash', ['-c', vandalism]); await ws.inspect(id, rules); await ws.rollBack(id);`;
    let calls = 1;
    for (; calls < most; calls += 1) {
      lab.remove();
      lab = copyLab(template);
      if (!runKilled(script, calls)) break;
      const other = await openWorkspace({ cwd: lab.top });
      const left = new Map(allFiles(lab));
      const { snapshot } = await other.rollBack(anAttempt);
      expect([calls, photograph(lab)]).toEqual([calls, before]);
      const kept = keptBytes(lab, snapshot.ref);
      const now = allFiles(lab);
      // Our own tick, which is nothing of the attempt's.
      left.delete(lab.path('PLAN.md'));
      const lost = [...left].filter(([path, bytes]) => now.get(path) !== bytes && !kept.has(bytes));
      expect([calls, lost]).toEqual([calls, []]);
      if (calls > 8) expect(lab.git('show', `${snapshot.ref}:d/n`)).toBe('n\n');
    }
    expect(calls).toBeGreaterThan(12);
    expect(calls).toBeLessThan(most);
  });

  test('a checkpoint is finished by the next process, once', { timeout: 240_000 }, async () => {
    const script = `const base = await ws.begin(id, rules); execFileSync('bash', ['-c', 'echo x > README.md; echo n > new']);
      const seen = await ws.inspect(id, rules); await ws.settle(id, seen.tree);
      const commit = await ws.commitObject(seen.tree, base, { subject: 'One', body: '', trailers: [] });
      const proofObject = await ws.proofObject(commit, 'p', '{}');
      const checkpoint = { commit, base, tag: 'refs/tags/skeleton/plan/0001-one', proof: 'refs/skeleton/proof/plan/0001', proofObject };
      (await import('node:fs')).writeFileSync('../passed', JSON.stringify(checkpoint));
      await ws.checkpoint(id, checkpoint);`;
    let finished = 0;
    let calls = 1;
    for (; calls < most; calls += 1) {
      lab.remove();
      lab = copyLab(template);
      if (!runKilled(script, calls)) break;
      const recorded = lab.sh('cat ../passed 2>/dev/null || true');
      if (recorded === '') continue;
      finished += 1;
      const checkpoint = JSON.parse(recorded) as Checkpoint;
      const other = await openWorkspace({ cwd: lab.top });
      await other.checkpoint(anAttempt, checkpoint);
      await other.checkpoint(anAttempt, checkpoint);
      expectCheckpoint(checkpoint);
    }
    expect(finished).toBeGreaterThan(0);
    expect(calls).toBeLessThan(most);
  });
});

function expectCheckpoint({ commit, tag, proof, proofObject, base }: Checkpoint): void {
  expect(lab.git('rev-parse', 'main', tag, proof).trim().split('\n')).toEqual([
    commit,
    commit,
    proofObject,
  ]);
  expect(lab.git('rev-parse', 'main^').trim()).toBe(base);
  expect(lab.git('status', '--porcelain')).toBe('');
  expect(lab.git('fsck', '--no-dangling', '--no-progress')).toBe('');
}

describe('a checkpoint', () => {
  async function pass(): Promise<Checkpoint> {
    const base = await workspace.begin(anAttempt, someRules());
    lab.write('new', 'n\n');
    const seen = await workspace.inspect(anAttempt, someRules());
    if (seen.kind !== 'candidate') throw new Error(JSON.stringify(seen));
    const message = { subject: 'One', body: '', trailers: [] };
    const commit = await workspace.commitObject(seen.tree, base, message);
    const proofObject = await workspace.proofObject(commit, 'p', '{}');
    const tag = 'refs/tags/skeleton/plan/0001-one';
    return { commit, base, tag, proof: 'refs/skeleton/proof/plan/0001', proofObject };
  }

  test.each([
    ['the branch moved, the tag missing', (c: Checkpoint) => [['refs/heads/main', c.commit]]],
    ['the tag made, the branch not moved', (c: Checkpoint) => [[c.tag, c.commit]]],
    ['only the proof made', (c: Checkpoint) => [[c.proof, c.proofObject]]],
  ] as const)('half done is finished: %s', async (_, done) => {
    const checkpoint = await pass();
    for (const [ref = '', id = ''] of done(checkpoint)) lab.git('update-ref', ref, id);
    const other = await openWorkspace({ cwd: lab.top });
    await other.checkpoint(anAttempt, checkpoint);
    expectCheckpoint(checkpoint);
  });

  test('half done is finished although a person has committed on top', async () => {
    const checkpoint = await pass();
    lab.git('update-ref', 'refs/heads/main', checkpoint.commit);
    lab.write('p', 'p\n');
    lab.git('add', '-A');
    lab.git('commit', '-qm', 'mine');
    const other = await openWorkspace({ cwd: lab.top });
    await other.checkpoint(anAttempt, checkpoint);
    expect(lab.git('rev-parse', checkpoint.tag).trim()).toBe(checkpoint.commit);
    expect(lab.git('log', '-1', '--format=%s', 'main')).toBe('mine\n');
    expect(lab.git('status', '--porcelain')).toBe('');
  });

  test('leaves a foreign tag alone, and the branch with it', async () => {
    const checkpoint = await pass();
    lab.git('update-ref', checkpoint.tag, 'feature');
    const feature = lab.git('rev-parse', 'feature').trim();
    await expect(workspace.checkpoint(anAttempt, checkpoint)).rejects.toMatchObject({
      name: 'Refusal',
      status: 4,
      message: expect.stringContaining(feature) as string,
    });
    expect(lab.git('rev-parse', 'main').trim()).toBe(checkpoint.base);
    expect(lab.git('rev-parse', checkpoint.tag).trim()).toBe(feature);
  });

  test('leaves a branch alone that somebody moved', async () => {
    const checkpoint = await pass();
    lab.git('update-ref', 'refs/heads/main', 'feature');
    await expect(workspace.checkpoint(anAttempt, checkpoint)).rejects.toMatchObject({ status: 4 });
    expect(lab.git('tag', '-l', 'skeleton/*')).toBe('');
  });

  test('writes readable reflogs', async () => {
    await workspace.checkpoint(anAttempt, await pass());
    expect(lab.git('reflog', '-1', 'HEAD', '--format=%gs')).toBe('skeleton: checkpoint one#1\n');
    expect(lab.git('reflog', '-1', 'main', '--format=%gs')).toBe('skeleton: checkpoint one#1\n');
  });
});

test('a start commit is not made twice where a run died between the branch and the index', async () => {
  lab.write('gates/more.sh', 'exit 0\n');
  const message = { subject: 'skeleton: start plan', body: '', trailers: [] };
  const made = await workspace.commitTree(await workspace.treeWith(['gates/']), message);
  lab.git('read-tree', 'HEAD^');
  const tree = await workspace.treeWith(['gates/']);
  expect(await workspace.commitTree(tree, message)).toBe(made);
  expect([lab.git('rev-parse', 'HEAD'), lab.git('status', '--porcelain')]).toEqual([
    `${made}\n`,
    '',
  ]);
});

describe('commits since the crash', () => {
  const rollBack = async (): Promise<void> => {
    const other = await openWorkspace({ cwd: lab.top });
    await other.rollBack(anAttempt);
  };

  test('stay where a person made them, and the tree follows', async () => {
    await workspace.begin(anAttempt, someRules());
    lab.sh('echo a > agent; git add -A; git commit -qm agents');
    lab.write('person', 'p\n');
    lab.git('add', '-A');
    lab.git('commit', '-qm', 'persons');
    lab.write('README.md', 'later\n');
    await rollBack();
    expect(lab.git('log', '-1', '--format=%s', 'main')).toBe('persons\n');
    expect(lab.git('status', '--porcelain')).toBe('');
    expect(lab.read('README.md')).toBe('hello\n');
  });

  test('go where the attempt held the work tree when they were made, marked or not', async () => {
    await workspace.begin(anAttempt, someRules());
    lab.write('unmarked', 'u\n');
    lab.git('add', '-A');
    lab.git('commit', '-qm', 'unmarked');
    const other = await openWorkspace({ cwd: lab.top });
    await other.rollBack(anAttempt, Infinity);
    expect(photograph(lab)).toEqual(before);
  });

  test('stay where they were made after the last that is known of the attempt, or within the same second', async () => {
    await workspace.begin(anAttempt, someRules());
    lab.write('later', 'l\n');
    lab.git('add', '-A');
    lab.git('commit', '-qm', 'later');
    const made = Number(lab.git('reflog', '-1', 'main', '--date=unix', '--format=%ct')) * 1000;
    const other = await openWorkspace({ cwd: lab.top });
    await other.rollBack(anAttempt, made + 999);
    expect(lab.git('log', '-1', '--format=%s', 'main')).toBe('later\n');
    expect(lab.git('status', '--porcelain')).toBe('');
  });

  test('go where the agent made them', async () => {
    await workspace.begin(anAttempt, someRules());
    lab.sh('echo a > agent; git add -A; git commit -qm agents');
    await rollBack();
    expect(photograph(lab)).toEqual(before);
  });

  test('go where the reflog knows nothing of them', async () => {
    await workspace.begin(anAttempt, someRules());
    lab.git('update-ref', 'refs/heads/main', 'feature');
    lab.sh('rm -rf .git/logs/refs/heads/main');
    await rollBack();
    expect(photograph(lab)).toEqual(before);
  });
});
