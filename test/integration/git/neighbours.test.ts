import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openWorkspace } from '../../../src/git/workspace.ts';
import { anAttempt, makeFurnishedLab, photograph, someRules } from '../../support/git-lab.ts';
import type { Lab } from '../../support/git-lab.ts';

let lab: Lab;
beforeEach(() => {
  lab = makeFurnishedLab();
});
afterEach(() => {
  lab.remove();
});

describe('a submodule', () => {
  beforeEach(() => {
    lab.sh(`git init -q ../lib; (cd ../lib; echo l > l; git add l; git commit -qm l; echo m > l; git commit -qam m)
      git -c protocol.file.allow=always submodule --quiet add ../lib sub; git commit -qm sub`);
  });

  test.each([
    ['dirty', 'echo x > sub/l; echo y > sub/new'],
    ['moved', 'git -C sub checkout -q HEAD~1'],
    ['moved and staged', 'git -C sub checkout -q HEAD~1; git add sub'],
  ])('that is %s is neither committed nor touched', async (_, script) => {
    const workspace = await openWorkspace({ cwd: lab.top });
    await workspace.begin(anAttempt, someRules());
    lab.sh(`${script}; echo x > new`);
    const inside = (): string =>
      lab.sh('git -C sub rev-parse HEAD; git -C sub status --porcelain; cat sub/l');
    const before = inside();
    const seen = await workspace.inspect(anAttempt, someRules());
    expect(seen).toMatchObject({ kind: 'candidate', changed: [{ path: 'new', status: 'A' }] });
    expect(seen.notices.join()).toMatch(/submodules .*: sub/);
    if (seen.kind === 'candidate')
      expect(lab.git('diff-tree', '--name-only', 'HEAD', seen.tree)).toBe('PLAN.md\nnew\n');
    expect(
      await workspace.settle(anAttempt, seen.kind === 'candidate' ? seen.tree : ''),
    ).toBeUndefined();
    await workspace.rollBack(anAttempt);
    expect(inside()).toBe(before);
    expect(lab.git('ls-files', '-s', 'sub')).toBe(
      lab.git('ls-tree', '--format=%(objectmode) %(objectname) 0%x09%(path)', 'HEAD', 'sub'),
    );
  });

  test('of which the agent changed the configuration does not run it', async () => {
    const workspace = await openWorkspace({ cwd: lab.top });
    await workspace.begin(anAttempt, someRules());
    lab.sh(`echo x > sub/l; echo "* filter=evil" > sub/.gitattributes; git -C sub config filter.evil.clean "touch '$PWD/../ran'; cat"
      git -C sub config core.fsmonitor "touch '$PWD/../ran'; false"`);
    await workspace.inspect(anAttempt, someRules());
    await workspace.rollBack(anAttempt);
    expect(lab.sh('test -e ../ran || echo no')).toBe('no\n');
  });
});

describe('another work tree of the repository', () => {
  test('keeps what is committed there meanwhile', async () => {
    lab.git('worktree', 'add', '-q', '../beside', 'other');
    const workspace = await openWorkspace({ cwd: lab.top });
    const before = photograph(lab);
    await workspace.begin(anAttempt, someRules());
    lab.sh(
      'echo x > README.md; cd ../beside; echo mine > mine; git add mine; git commit -qm mine; git tag mine',
    );
    const mine = lab.git('rev-parse', 'other').trim();
    await workspace.inspect(anAttempt, someRules());
    await workspace.rollBack(anAttempt);
    expect(lab.git('rev-parse', 'other').trim()).toBe(mine);
    expect(lab.sh('git -C ../beside status --porcelain')).toBe('');
    expect(photograph(lab)['README.md']).toBe(before['README.md']);
  });

  test('keeps what another run records there meanwhile', async () => {
    lab.git('worktree', 'add', '-q', '../beside', 'other');
    const workspace = await openWorkspace({ cwd: lab.top });
    await workspace.begin(anAttempt, someRules());
    lab.git('tag', 'skeleton/elsewhere/0001-x');
    lab.git('update-ref', 'refs/skeleton/proof/elsewhere/0001', 'v2');
    lab.git('tag', 'skeleton/plan/0001-x');
    await workspace.inspect(anAttempt, someRules());
    expect(lab.git('tag', '-l', 'skeleton/*')).toBe('skeleton/elsewhere/0001-x\n');
    expect(lab.git('for-each-ref', '--format=%(refname)', 'refs/skeleton/proof')).toBe(
      'refs/skeleton/proof/elsewhere/0001\n',
    );
    await workspace.rollBack(anAttempt);
  });

  test('is a place to work in as well', async () => {
    lab.git('worktree', 'add', '-q', '../beside', 'other');
    const workspace = await openWorkspace({ cwd: lab.path('../beside') });
    const status = lab.git('status', '--porcelain');
    await workspace.begin(anAttempt, someRules());
    lab.sh(
      'cd ../beside; echo x > README.md; echo n > new; git add -A; git commit -qm theirs; rm .git; git init -q .; git switch -q --detach 2>/dev/null || true',
    );
    const seen = await workspace.inspect(anAttempt, someRules());
    expect(seen).toMatchObject({ kind: 'candidate' });
    const { snapshot } = await workspace.rollBack(anAttempt);
    expect(lab.sh('git -C ../beside status --porcelain; cat ../beside/README.md')).toBe('hello\n');
    expect(lab.git('show', `${snapshot.ref}:new`)).toBe('n\n');
    expect(lab.git('rev-parse', 'other')).toBe(lab.git('rev-parse', 'main'));
    expect(lab.git('status', '--porcelain')).toBe(status);
  });
});

describe('the user', () => {
  test('who saves a file while it is rolled back loses nothing', async () => {
    const workspace = await openWorkspace({ cwd: lab.top });
    await workspace.begin(anAttempt, someRules());
    lab.sh('for i in $(seq 300); do echo $i > file-$i; done; echo x > README.md');
    const typing = lab.inBackground(
      'for i in $(seq 200); do echo $i > note; sleep 0.005; done; echo done > note',
    );
    const { snapshot } = await workspace.rollBack(anAttempt).catch((error: unknown) => {
      expect(error).toMatchObject({ name: 'Refusal', status: 4 });
      return { snapshot: undefined };
    });
    await typing;
    if (snapshot !== undefined) expect(lab.git('show', `${snapshot.ref}:file-300`)).toBe('300\n');
    const { snapshot: last } = await workspace.rollBack(anAttempt);
    expect(lab.git('status', '--porcelain')).toBe('');
    expect(lab.git('show', `${last.ref}:note`)).toBe('done\n');
    expect(lab.git('show', `${last.ref}:README.md`)).toBe('x\n');
  });
});
