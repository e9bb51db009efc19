import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findRepository, openWorkspace } from '../../src/git/workspace.ts';
import type { AttemptRules, Checkpoint, CommitMessage, Workspace } from '../../src/ports.ts';
import {
  anAttempt,
  makeFurnishedLab,
  photograph,
  planTicked,
  someRules,
} from '../support/git-lab.ts';
import type { Lab } from '../support/git-lab.ts';

let lab: Lab;
let workspace: Workspace;
beforeEach(async () => {
  lab = makeFurnishedLab();
  workspace = await openWorkspace({ cwd: lab.top });
});
afterEach(() => {
  lab.remove();
});

const head = (): string => lab.git('rev-parse', 'HEAD').trim();
const message: CommitMessage = {
  subject: 'One',
  body: 'The goal.',
  trailers: [['Skeleton-Task', 'one']],
};

async function pass(rules: AttemptRules = someRules(), number = 1): Promise<Checkpoint> {
  const attempt = { ...anAttempt, number };
  const base = await workspace.begin(attempt, rules);
  lab.write(`new-${number}`, 'n\n');
  const seen = await workspace.inspect(attempt, rules);
  if (seen.kind !== 'candidate') throw new Error(JSON.stringify(seen));
  expect(await workspace.settle(attempt, seen.tree)).toBeUndefined();
  const commit = await workspace.commitObject(seen.tree, base, message);
  const proofObject = await workspace.proofObject(commit, `proof-${number}`, '{"ok":true}');
  const checkpoint = {
    commit,
    base,
    tag: `refs/tags/skeleton/plan/000${number}-one`,
    proof: `refs/skeleton/proof/plan/000${number}`,
    proofObject,
  };
  await workspace.checkpoint(attempt, checkpoint);
  return checkpoint;
}

describe('facts', () => {
  test('say where things are', () => {
    expect(workspace.facts).toEqual({
      top: lab.top,
      commonDir: lab.path('.git'),
      gitDir: lab.path('.git'),
      branch: 'refs/heads/main',
      head: head(),
    });
  });

  test('are found from any folder, and are the same for all of them', async () => {
    expect(await findRepository(lab.path('src/deep'))).toEqual(workspace.facts);
  });

  test('are none outside of a repository', async () => {
    expect(await findRepository(lab.path('..'))).toBeUndefined();
    await expect(openWorkspace({ cwd: lab.path('..') })).rejects.toMatchObject({ status: 3 });
  });

  test('know a linked worktree by its own name', async () => {
    lab.git('worktree', 'add', '-q', '../beside', 'other');
    const beside = await openWorkspace({ cwd: lab.path('../beside') });
    expect(beside.facts).toMatchObject({
      commonDir: lab.path('.git'),
      gitDir: lab.path('.git/worktrees/beside'),
      branch: 'refs/heads/other',
    });
    expect(beside.id).not.toBe(workspace.id);
  });

  test('are not misled by the GIT_* of a hook that started us', async () => {
    const env = {
      ...process.env,
      GIT_DIR: '/nowhere',
      GIT_INDEX_FILE: '/nowhere',
      GIT_WORK_TREE: '/',
    };
    const other = await openWorkspace({ cwd: lab.top, env });
    expect(other.facts).toEqual(workspace.facts);
    expect(await other.dirt()).toEqual([]);
  });
});

describe('dirt', () => {
  test('is what git status shows, folders of other repositories included', async () => {
    lab.sh(
      `echo x >> README.md; rm src/a.txt; echo s > staged; git add staged; echo u > 'un é'; git init -q sub; chmod +x private.key`,
    );
    expect(await workspace.dirt()).toEqual([
      { code: ' M', path: 'README.md' },
      { code: ' M', path: 'private.key' },
      { code: ' D', path: 'src/a.txt' },
      { code: 'A ', path: 'staged' },
      { code: '??', path: 'sub/' },
      { code: '??', path: 'un é' },
    ]);
  });

  test('knows files that flags hide, and leaves the index and the flags alone', async () => {
    lab.sh(
      'git update-index --skip-worktree README.md; git update-index --assume-unchanged tool.sh src/a.txt',
    );
    lab.sh('echo x > README.md; echo y > src/a.txt');
    const index = lab.git('ls-files', '-s', '-v');
    expect(await workspace.dirt()).toEqual([
      { code: ' M', path: 'README.md', flag: 'skip-worktree' },
      { code: ' M', path: 'src/a.txt', flag: 'assume-unchanged' },
    ]);
    expect(lab.git('ls-files', '-s', '-v')).toBe(index);
  });
});

describe('the start commit', () => {
  test('holds just the paths that are named', async () => {
    lab.write('PLAN.md', 'new plan\n');
    lab.write('gates/more.sh', 'exit 0\n');
    lab.write('gates/debug.log', 'ignored\n');
    lab.write('README.md', 'edited\n');
    lab.sh('rm tests/t.sh; echo s > staged; git add staged');
    const before = lab.git('status', '--porcelain');
    const tree = await workspace.treeWith([
      'PLAN.md',
      'gates/',
      '.skeleton/',
      '.skeleton.yml',
      'tests/t.sh',
    ]);
    expect(lab.git('diff-tree', '-r', '--name-status', 'HEAD', tree)).toBe(
      'M\tPLAN.md\nA\tgates/more.sh\nD\ttests/t.sh\n',
    );
    expect(lab.git('status', '--porcelain')).toBe(before);
    const commit = await workspace.commitTree(tree, {
      ...message,
      subject: 'skeleton: start plan',
    });
    expect(head()).toBe(commit);
    expect(lab.git('log', '-1', '--format=%s%n%(trailers)')).toMatch(
      /^skeleton: start plan\nSkeleton-Task: one/,
    );
    expect(lab.git('status', '--porcelain')).toBe(' M README.md\n?? staged\n');
  });

  test('is refused where a path is a FIFO', async () => {
    lab.sh('mkfifo gates/pipe');
    await expect(workspace.treeWith(['gates/'])).rejects.toMatchObject({ status: 3 });
  });

  test('may follow a baseline on the tree that it will have', async () => {
    lab.write('gates/more.sh', 'exit 0\n');
    const before = photograph(lab);
    const tree = await workspace.treeWith(['gates/']);
    const baseline = { plan: 'plan', task: 'baseline', id: '', number: 0 };
    await workspace.begin(baseline, someRules(), tree);
    lab.write('made-by-gate', 'x\n');
    expect(await workspace.settle(baseline, tree)).toBeUndefined();
    await workspace.end(baseline);
    expect(photograph(lab)).toEqual(before);
    await workspace.begin(baseline, someRules(), tree);
    lab.write('README.md', 'changed by a gate\n');
    expect(await workspace.settle(baseline, tree)).toEqual({
      kind: 'gate-changed-tree',
      paths: ['README.md'],
    });
    await workspace.rollBack(baseline);
    await workspace.end(baseline);
    expect(photograph(lab)).toEqual(before);
    const commit = await workspace.commitTree(tree, message);
    expect(await workspace.begin(anAttempt, someRules())).toBe(commit);
  });
});

describe('reads', () => {
  test('resolve what names a commit', async () => {
    const commit = head();
    expect(await workspace.resolve('HEAD')).toBe(commit);
    expect(await workspace.resolve('refs/heads/main')).toBe(commit);
    expect(await workspace.resolve('refs/tags/v2')).toBe(
      lab.git('rev-parse', 'v2^{commit}').trim(),
    );
    expect(await workspace.resolve('feature')).toBe(lab.git('rev-parse', 'feature').trim());
    for (const name of ['refs/tags/none', 'none', '--all', '-x', '@{', 'HEAD:README.md', ''])
      expect([name, await workspace.resolve(name)]).toEqual([name, undefined]);
  });

  test('read files at commits', async () => {
    expect(Buffer.from((await workspace.readAt('HEAD', 'README.md')) ?? []).toString()).toBe(
      'hello\n',
    );
    expect(Buffer.from((await workspace.readAt('HEAD', 'line\nbreak.txt')) ?? []).toString()).toBe(
      'y',
    );
    for (const path of ['none', 'src', 'link', 'src/*'])
      expect(await workspace.readAt('HEAD', path)).toBeUndefined();
  });

  test('read files on disk without falling for what stands there', async () => {
    lab.sh('mkfifo pipe');
    const read = async (path: string): Promise<unknown> => {
      const file = await workspace.readWorkFile(path);
      return file.kind === 'file' ? [Buffer.from(file.bytes).toString(), file.ignored] : file;
    };
    expect(await read('README.md')).toEqual(['hello\n', false]);
    expect(await read('.env')).toEqual(['TOKEN=1\n', true]);
    expect(await read('none')).toEqual({ kind: 'missing' });
    expect(await read('pipe')).toMatchObject({ kind: 'other', what: 'a FIFO' });
    expect(await read('link')).toMatchObject({ kind: 'other', what: 'a symbolic link' });
    expect(await read('src')).toMatchObject({ kind: 'other', what: 'a folder' });
    expect(await read('../x')).toMatchObject({ kind: 'other' });
    lab.sh('ln -s src way');
    expect(await read('way/a.txt')).toMatchObject({ kind: 'other' });
  });

  test('give the tree of a commit and the change between two', async () => {
    expect(await workspace.treeOf('HEAD')).toBe(lab.git('rev-parse', 'HEAD^{tree}').trim());
    lab.git('config', 'diff.external', 'false');
    const patch = await workspace.diff('main', 'feature');
    expect(patch).toMatch(/^diff --git a\/feature.txt b\/feature.txt\nnew file/);
  });

  test('count proofs', async () => {
    expect(await workspace.highestProof('plan')).toBe(0);
    lab.git('update-ref', 'refs/skeleton/proof/plan/0009', 'HEAD');
    lab.git('update-ref', 'refs/skeleton/proof/plan/0010', 'HEAD');
    lab.git('update-ref', 'refs/skeleton/proof/plan-b/0011', 'HEAD');
    lab.git('pack-refs', '--all');
    expect(await workspace.highestProof('plan')).toBe(10);
  });
});

describe('tag', () => {
  test('makes a lightweight tag once, and never moves one', async () => {
    const commit = head();
    const ref = 'refs/tags/skeleton/plan/0000-start';
    expect(await workspace.tag(ref, commit)).toBe(true);
    expect(await workspace.tag(ref, commit)).toBe(true);
    expect(lab.git('cat-file', '-t', ref)).toBe('commit\n');
    lab.git('update-ref', ref, 'feature');
    expect(await workspace.tag(ref, commit)).toBe(false);
    expect(lab.git('rev-parse', ref)).toBe(lab.git('rev-parse', 'feature'));
  });
});

describe('begin', () => {
  test.each([
    ['a changed file', 'echo x > README.md'],
    ['a new file', 'echo x > new'],
    ['something staged', 'echo x > new; git add new'],
    [
      'a change that a flag hides',
      'git update-index --skip-worktree README.md; echo x > README.md',
    ],
    ['another branch', 'git checkout -q other'],
    ['a lock', 'touch -d 2001-01-01 .git/index.lock'],
  ])('refuses with 4: %s', async (_, script) => {
    lab.sh(script);
    await expect(workspace.begin(anAttempt, someRules())).rejects.toMatchObject({
      name: 'Refusal',
      status: 4,
    });
  });

  test('refuses a branch that was moved since', async () => {
    await workspace.begin(anAttempt, someRules());
    await workspace.end(anAttempt);
    lab.git('commit', '-q', '--allow-empty', '-m', 'mine');
    await expect(workspace.begin(anAttempt, someRules())).rejects.toMatchObject({ status: 4 });
  });

  test('changes nothing that a person could see', async () => {
    const before = photograph(lab);
    expect(await workspace.begin(anAttempt, someRules())).toBe(head());
    expect(photograph(lab)).toEqual(before);
  });

  test('is quick to repeat', async () => {
    await workspace.begin(anAttempt, someRules());
    await workspace.end(anAttempt);
    await workspace.end(anAttempt);
    expect(await workspace.begin({ ...anAttempt, number: 2 }, someRules())).toBe(head());
  });
});

describe('settle', () => {
  const inspect = async (): Promise<string> => {
    await workspace.begin(anAttempt, someRules());
    lab.write('new', 'n\n');
    const seen = await workspace.inspect(anAttempt, someRules());
    return seen.kind === 'candidate' ? seen.tree : '';
  };

  test('sets new files of gates aside, with folders that they leave empty', async () => {
    const tree = await inspect();
    lab.sh(
      `mkdir -p report/html; echo r > report/html/index; echo c > coverage; mkfifo pipe; git init -q made; echo l > made.log; printf x > "$(printf '\\xff')"`,
    );
    expect(await workspace.settle(anAttempt, tree)).toBeUndefined();
    expect(lab.git('status', '--porcelain', '--ignored')).not.toMatch(
      /report|coverage|made\/|pipe|377/,
    );
    expect(lab.sh('test -e report || test -e pipe || echo gone')).toBe('gone\n');
    expect(lab.read('.git/skeleton/quarantine/plan/one/1/tree/report/html/index')).toBe('r\n');
    expect(lab.read('made.log')).toBe('l\n');
  });

  test.each([
    ['changed', 'echo x > README.md', ['README.md']],
    ['deleted', 'rm README.md src/a.txt', ['README.md', 'src/a.txt']],
    ['of another mode', 'chmod +x new', ['new']],
    ['the plan', 'echo x >> PLAN.md', ['PLAN.md']],
  ])('names tracked files that a gate %s', async (_, script, paths) => {
    const tree = await inspect();
    lab.sh(script);
    expect(await workspace.settle(anAttempt, tree)).toEqual({ kind: 'gate-changed-tree', paths });
  });

  test('puts back what gates did to refs and configuration', async () => {
    const tree = await inspect();
    const before = lab.git('for-each-ref') + lab.read('.git/config');
    lab.sh('git tag v9; git config core.hooksPath /tmp; git checkout -q --detach');
    expect(await workspace.settle(anAttempt, tree)).toBeUndefined();
    const refs = lab.git('for-each-ref').replace(/.*refs\/skeleton\/agent.*\n/g, '');
    expect(refs + lab.read('.git/config')).toBe(before);
    expect(lab.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main\n');
  });
});

describe('commitObject', () => {
  const commitWith = async (overrides: Partial<CommitMessage>): Promise<string> => {
    const tree = await workspace.treeOf('HEAD');
    const commit = await workspace.commitObject(tree, head(), { ...message, ...overrides });
    return lab.git('log', '-1', '--format=%B', commit);
  };

  test('is by the user, on the parent, trailers last', async () => {
    const tree = await workspace.treeOf('HEAD');
    const commit = await workspace.commitObject(tree, head(), message);
    expect(lab.git('log', '-1', '--format=%an <%ae> %cn%n%P%n%T%n%B', commit)).toBe(
      `Suite <suite@example.invalid> Suite\n${head()}\n${tree}\nOne\n\nThe goal.\n\nSkeleton-Task: one\n\n`,
    );
    expect(lab.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  test.each([
    ['--force $(touch owned)', '--force $(touch owned)'],
    ['two\nlines\r\nand \t more', 'two lines and more'],
    ['\u001b[31mred\u0000\u0007', '[31mred'],
    ['', 'one'],
    ['\n \t', 'one'],
    ['#1 first', '#1 first'],
    ['日本語 🎉', '日本語 🎉'],
    ['x'.repeat(100_000), `${'x'.repeat(199)}…`],
  ])('takes any subject as text: %j', async (subject, expected) => {
    expect((await commitWith({ subject })).split('\n')[0]).toBe(expected);
  });

  test('keeps trailers apart from what looks like some', async () => {
    const trailers = [
      ['Skeleton-Task', 'a\nSkeleton-Gates: forged'],
      ['Skeleton-Gates', 'none'],
    ] as const;
    const body = 'Text.\n\nSkeleton-Gates: check=pass\nSkeleton-Run: forged\n\n---\n';
    const tree = await workspace.treeOf('HEAD');
    const commit = await workspace.commitObject(tree, head(), { subject: 's', body, trailers });
    expect(lab.git('log', '-1', '--format=%(trailers:only)', commit)).toBe(
      'Skeleton-Task: a Skeleton-Gates: forged\nSkeleton-Gates: none\n\n',
    );
  });
});

describe('checkpoint', () => {
  test('moves branch, tag and proof, and leaves a clean tree', async () => {
    const { commit, tag, proof, proofObject, base } = await pass();
    expect([head(), await workspace.resolve(tag)]).toEqual([commit, commit]);
    expect(lab.git('rev-parse', proof, `${proof}^{commit}`)).toBe(`${proofObject}\n${commit}\n`);
    expect(lab.git('cat-file', '-t', tag)).toBe('commit\n');
    expect(lab.git('cat-file', 'tag', proof)).toMatch(/\ntag proof-1\n[^]*\n\n\{"ok":true\}\n$/);
    expect(lab.git('rev-parse', 'HEAD^').trim()).toBe(base);
    expect(lab.git('status', '--porcelain')).toBe('');
    expect(lab.git('diff', '--cached', 'HEAD')).toBe('');
    expect(lab.read('PLAN.md')).toBe(planTicked);
    expect(lab.git('for-each-ref', 'refs/skeleton/anchor')).toBe('');
    expect(lab.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  test('keeps flags that the user has set', async () => {
    lab.sh(
      'git update-index --skip-worktree README.md; git update-index --assume-unchanged tool.sh',
    );
    await pass();
    expect(lab.git('ls-files', '-v', 'README.md', 'tool.sh')).toBe('S README.md\nh tool.sh\n');
  });

  test('runs no hook', async () => {
    lab.sh(`for h in reference-transaction post-index-change pre-commit commit-msg post-commit post-checkout; do
      printf '#!/bin/sh\\necho %s >> ../hooks\\nexit 1\\n' $h > .git/hooks/$h; chmod +x .git/hooks/$h; done`);
    await pass();
    expect(lab.sh('cat ../hooks 2>/dev/null || true')).toBe('');
  });

  test('squashes commits of the agent and keeps them reachable', async () => {
    const base = await workspace.begin(anAttempt, someRules());
    lab.sh('echo x > new; git add -A; git commit -qm first; echo y > new; git commit -qam second');
    const theirs = head();
    const seen = await workspace.inspect(anAttempt, someRules());
    expect(seen).toMatchObject({ kind: 'candidate', changed: [{ path: 'new', status: 'A' }] });
    expect(head()).toBe(base);
    expect(lab.git('for-each-ref', '--contains', theirs, '--format=%(refname)')).toMatch(
      /^refs\/skeleton\/agent\/plan\/one\/1\//,
    );
  });
});

describe('rollBack', () => {
  test('keeps what was there, with where it began and commits of the agent as parents', async () => {
    const before = photograph(lab);
    const base = await workspace.begin(anAttempt, someRules());
    lab.sh(
      'echo x > new; git add -A; git commit -qm theirs; echo staged > new; git add new; echo y > new',
    );
    const theirs = head();
    await workspace.inspect(anAttempt, someRules());
    const { snapshot } = await workspace.rollBack(anAttempt);
    expect(photograph(lab)).toEqual(before);
    expect(snapshot.ref).toBe('refs/skeleton/attempts/plan/one/1');
    expect(lab.git('rev-parse', snapshot.ref).trim()).toBe(snapshot.commit);
    const parents = lab.git('log', '-1', '--format=%P', snapshot.commit).trim().split(' ');
    expect(parents.slice(0, 2)).toEqual([base, theirs]);
    expect(lab.git('show', `${snapshot.commit}:new`)).toBe('y\n');
    expect(lab.git('show', `${parents[2] ?? ''}:new`)).toBe('staged\n');
  });

  test('takes our tick out of what it keeps', async () => {
    await workspace.begin(anAttempt, someRules());
    lab.write('new', 'n\n');
    await workspace.inspect(anAttempt, someRules());
    const { snapshot } = await workspace.rollBack(anAttempt);
    expect(lab.git('show', `${snapshot.commit}:PLAN.md`)).not.toContain('[x]');
  });

  test('lets the next attempt begin, and keeps all of them', async () => {
    for (const number of [1, 2, 3]) {
      const attempt = { ...anAttempt, number };
      await workspace.begin(attempt, someRules());
      lab.write('new', `${number}\n`);
      await workspace.rollBack(attempt);
      await workspace.end(attempt);
    }
    const show = (number: number): string =>
      lab.git('show', `refs/skeleton/attempts/plan/one/${number}:new`);
    expect([show(1), show(2), show(3)]).toEqual(['1\n', '2\n', '3\n']);
  });

  test('resets nothing where the snapshot cannot be made', async () => {
    await workspace.begin(anAttempt, someRules());
    lab.sh('echo x > README.md; rm src/a.txt');
    // Where root may write everywhere, only something in the way stops it; in no folder that holds an object already.
    const content = lab.sh(
      'for i in $(seq 99); do printf "n$i" > new; id=$(git hash-object new); folder=.git/objects/${id:0:2}; [ -e "$folder" ] || break; done; echo > "$folder"; cat new',
    );
    await expect(workspace.rollBack(anAttempt)).rejects.toMatchObject({
      status: 4,
      message: expect.stringContaining('git cannot store new') as string,
    });
    expect([lab.read('README.md'), lab.read('new')]).toEqual(['x\n', content]);
    expect(lab.sh('test -e src/a.txt || echo gone')).toBe('gone\n');
  });
});

describe('reapply', () => {
  test('lays a kept attempt out for another judgement', async () => {
    await workspace.begin(anAttempt, someRules());
    lab.sh('echo x > README.md; rm src/a.txt; mkdir d; echo n > d/n; chmod +x private.key');
    const first = await workspace.inspect(anAttempt, someRules());
    const { snapshot } = await workspace.rollBack(anAttempt);
    const next = { ...anAttempt, number: 2 };
    const before = photograph(lab);
    await workspace.begin(next, someRules());
    await workspace.reapply(next, snapshot);
    expect(lab.read('README.md')).toBe('x\n');
    const again = await workspace.inspect(next, someRules());
    expect(again).toEqual(first);
    await workspace.rollBack(next);
    expect(photograph(lab)).toEqual(before);
  });
});
