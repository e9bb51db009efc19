import { afterEach, expect, test } from 'vitest';
import { openWorkspace } from '../../../src/git/workspace.ts';
import { anAttempt, makeFurnishedLab, photograph, someRules } from '../../support/git-lab.ts';
import type { Lab } from '../../support/git-lab.ts';

let lab: Lab | undefined;
afterEach(() => lab?.remove());

test('pass', async () => {
  lab = makeFurnishedLab();
  const ws = await openWorkspace({ cwd: lab.top });
  await ws.assertReady();
  expect(await ws.dirt()).toEqual([]);
  const base = await ws.begin(anAttempt, someRules());
  lab.write('new.txt', 'new\n');
  lab.write('README.md', 'changed\n');
  const seen = await ws.inspect(anAttempt, someRules());
  expect(seen).toMatchObject({
    kind: 'candidate',
    changed: [
      { path: 'README.md', status: 'M' },
      { path: 'new.txt', status: 'A' },
    ],
    notices: [],
  });
  if (seen.kind !== 'candidate') return;
  expect(await ws.settle(anAttempt, seen.tree)).toBeUndefined();
  const commit = await ws.commitObject(seen.tree, base, {
    subject: 'One',
    body: '',
    trailers: [['Skeleton-Task', 'one']],
  });
  const proof = await ws.proofObject(commit, 'skeleton/plan/0001', '{}');
  await ws.checkpoint(anAttempt, {
    commit,
    base,
    tag: 'refs/tags/skeleton/plan/0001-one',
    proof: 'refs/skeleton/proof/plan/0001',
    proofObject: proof,
  });
  expect(lab.git('status', '--porcelain')).toBe('');
  expect(lab.git('log', '--oneline', '-1', '--format=%H')).toBe(`${commit}\n`);
  lab.git('fsck', '--strict');
});

test('roll back', async () => {
  lab = makeFurnishedLab();
  const ws = await openWorkspace({ cwd: lab.top });
  const before = photograph(lab);
  await ws.begin(anAttempt, someRules());
  lab.sh(
    'echo x > README.md; rm -r src; mkdir new; echo n > new/n; rmdir empty/inner; echo T=2 > .env; chmod 644 private.key',
  );
  const { snapshot, notices } = await ws.rollBack(anAttempt);
  console.log(notices, snapshot);
  expect(photograph(lab)).toEqual(before);
  console.log(lab.git('show', '--stat', snapshot.ref));
});
