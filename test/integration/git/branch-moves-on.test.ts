import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openWorkspace } from '../../../src/git/workspace.ts';
import type { Workspace } from '../../../src/ports.ts';
import { anAttempt, makeFurnishedLab, someRules, type Lab } from '../../support/git-lab.ts';

const rules = someRules({ followsBranch: true });
const head = (): string => lab.git('rev-parse', 'HEAD').trim();

let lab: Lab;
let workspace: Workspace;
beforeEach(async () => {
  lab = makeFurnishedLab();
  workspace = await openWorkspace({ cwd: lab.top });
  await workspace.begin(anAttempt, rules);
  await workspace.end(anAttempt);
});
afterEach(() => {
  lab.remove();
});

function mine(...options: readonly string[]): void {
  lab.git('commit', '--quiet', '--allow-empty', '--message=mine', ...options);
}

function point(tree: string, ...words: readonly string[]): void {
  const made = lab.git('commit-tree', '-p', 'HEAD', '-m', 'mine', tree).trim();
  lab.git('update-ref', ...words, 'refs/heads/main', made);
}

describe("an attempt that may begin on a person's commits", () => {
  test('does so, and is rolled back to there', async () => {
    lab.write('mine.txt', 'mine\n');
    lab.git('add', 'mine.txt');
    mine();
    mine();
    const theirs = head();
    expect(await workspace.begin(anAttempt, rules)).toBe(theirs);
    lab.write('made.txt', 'made\n');
    await workspace.rollBack(anAttempt);
    expect(head()).toBe(theirs);
    expect(lab.git('status', '--porcelain')).toBe('');
  });

  test('does so after a merge of theirs', async () => {
    lab.git('merge', '--quiet', '--no-edit', '-m', 'mine', 'feature');
    expect(await workspace.begin(anAttempt, rules)).toBe(head());
  });

  test.each([
    [
      'the work tree lags behind',
      () => {
        point('feature^{tree}', '-m', 'mine');
      },
    ],
    [
      'nobody says to have made it',
      () => {
        point('HEAD^{tree}');
      },
    ],
    [
      'an agent has made it',
      () => {
        lab.sh('git commit --quiet --allow-empty -m mine');
      },
    ],
    [
      'an agent has made one of them',
      () => {
        lab.sh('git commit --quiet --allow-empty -m its');
        mine();
      },
    ],
    [
      'it stands in place of ours',
      () => {
        mine('--amend');
      },
    ],
    [
      'the plan is another',
      () => {
        lab.write('PLAN.md', '# Mine\n');
        mine('--all');
      },
    ],
  ])('refuses with 4 where %s', async (_, act) => {
    act();
    const stands = head();
    await expect(workspace.begin(anAttempt, rules)).rejects.toMatchObject({ status: 4 });
    expect(head()).toBe(stands);
  });
});
