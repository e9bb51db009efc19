import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openWorkspace } from '../../../src/git/workspace.ts';
import type { Refusal, Workspace } from '../../../src/ports.ts';
import { makeFurnishedLab, makeLab } from '../../support/git-lab.ts';
import type { Lab } from '../../support/git-lab.ts';

let lab: Lab;
let workspace: Workspace;
beforeEach(async () => {
  lab = makeFurnishedLab();
  workspace = await openWorkspace({ cwd: lab.top });
});
afterEach(() => {
  lab.remove();
});

describe('assertReady', () => {
  test('says nothing where a run can begin', async () => {
    await workspace.assertReady();
  });

  test.each([
    ['a detached HEAD', 'git checkout -q --detach', /detached/, /git switch/],
    [
      'a merge',
      'git checkout -q -b m; echo 1 > README.md; git commit -qam 1; git checkout -q main; echo 2 > README.md; git commit -qam 2; git merge -q m || true',
      /merge/,
      /git merge --abort/,
    ],
    ['a bisect', 'git bisect start -q', /bisect/, /git bisect reset/],
    ['a sparse checkout', 'git sparse-checkout set src', /sparse/, /disable/],
    [
      'git-lfs wanted, but not set up',
      'echo "*.bin filter=lfs" > .gitattributes',
      /lfs/,
      /git lfs/,
    ],
  ])('refuses with 3: %s', async (_, script, words, mend) => {
    lab.sh(script);
    await expect(workspace.assertReady()).rejects.toMatchObject({
      name: 'Refusal',
      status: 3,
      message: expect.stringMatching(words) as string,
      mend: expect.stringMatching(mend) as string,
    });
  });

  test.each([
    ['tag skeleton/plan', 'git tag -d skeleton/plan'],
    ['update-ref refs/skeleton/proof HEAD', 'git update-ref -d refs/skeleton/proof'],
    ['update-ref refs/skeleton/undo HEAD', 'git update-ref -d refs/skeleton/undo'],
    ['update-ref refs/skeleton/autostash/plan HEAD', 'refs/skeleton/autostash/plan'],
    ['update-ref refs/skeleton/attempts/plan/one/1/x HEAD', 'refs/skeleton/attempts/plan/one/1/x'],
  ])('refuses with 3, and the command mends it: git %s', async (command, mend) => {
    lab.git(...command.split(' '));
    const refusal: unknown = await workspace.assertReady('plan').catch((error: unknown) => error);
    expect(refusal).toMatchObject({ status: 3, mend: expect.stringContaining(mend) as string });
    lab.sh((refusal as Refusal).mend);
    await workspace.assertReady('plan');
  });

  test('says nothing of tags that leave room', async () => {
    lab.sh('git tag skeleton/v1; git tag skeleton/plan/mine; git branch skeleton');
    await workspace.assertReady('plan');
  });

  test('refuses with 3: no identity', async () => {
    lab.git('config', 'user.useConfigOnly', 'true');
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' };
    const other = await openWorkspace({ cwd: lab.top, env });
    await expect(other.assertReady()).rejects.toMatchObject({
      status: 3,
      mend: expect.stringContaining('git config --global user.name') as string,
    });
  });

  test('refuses with 3: no commit', async () => {
    const empty = makeLab();
    try {
      empty.git('init', '-q');
      const other = await openWorkspace({ cwd: empty.top });
      expect(other.facts.head).toBeUndefined();
      await expect(other.assertReady()).rejects.toMatchObject({
        status: 3,
        mend: 'git commit --allow-empty -m "first commit"',
      });
    } finally {
      empty.remove();
    }
  });
});
