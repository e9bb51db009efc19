import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openWorkspace } from '../../../src/git/workspace.ts';
import {
  allFiles,
  anAttempt,
  copyLab,
  keptBytes,
  makeFurnishedLab,
  photograph,
  someRules,
} from '../../support/git-lab.ts';
import type { Lab } from '../../support/git-lab.ts';
import { damages } from '../../../src/drill/damages.ts';

let template: Lab;
let lab: Lab | undefined;
beforeAll(() => {
  template = makeFurnishedLab();
});
afterAll(() => {
  template.remove();
});
afterEach(() => {
  lab?.remove();
});

const rules = someRules({ maxFile: 2_000_000 });

/** Files of the agent that are neither where it left them nor kept: there must be none. */
function lost(
  left: ReadonlyMap<string, string>,
  kept: ReadonlySet<string>,
  now: ReadonlyMap<string, string>,
): string[] {
  return [...left]
    .filter(([path, bytes]) => now.get(path) !== bytes && !kept.has(bytes))
    .map(([path]) => path);
}

/** What lies beside the repository is nobody's to touch. */
const listOutside =
  'find .. -path ../repo -prune -o -printf "%p %y %m\\n" -type f -exec cat {} + | sort';
const ways = ['rollBack', 'inspect, rollBack', 'a new process, rollBack'] as const;
/** Each kind in one way, another one every day; `npm run test:nightly` takes all. */
const today = Math.floor(Date.now() / 86_400_000);
const isDue = (way: (typeof ways)[number], kind: number): boolean =>
  process.env['NIGHTLY'] !== undefined || (kind + ways.indexOf(way) + today) % ways.length === 0;
/** A record that is gone can put nothing back: see "no record" elsewhere. */
const needsMemory = 'our own folder deleted';

describe.each(ways)('%s', (way) => {
  const isNew = way === 'a new process, rollBack';
  const kinds = damages.filter(
    ([name], kind) => isDue(way, kind) && (!isNew || name !== needsMemory),
  );
  test.each(kinds)('%s', async (_, script) => {
    lab = copyLab(template);
    const workspace = await openWorkspace({ cwd: lab.top });
    const before = photograph(lab);
    const base = await workspace.begin(anAttempt, rules);
    lab.sh(script);
    const left = allFiles(lab);
    const outside = lab.sh(listOutside);
    if (way === 'inspect, rollBack') await workspace.inspect(anAttempt, rules);
    const last = isNew ? await openWorkspace({ cwd: lab.top }) : workspace;
    const { snapshot } = await last.rollBack(anAttempt);
    expect(photograph(lab)).toEqual(before);
    expect(lost(left, keptBytes(lab, snapshot.ref), allFiles(lab))).toEqual([]);
    expect(lab.git('rev-parse', `${snapshot.ref}^1`).trim()).toBe(base);
    expect(lab.git('fsck', '--no-dangling', '--no-progress')).toBe('');
    expect(lab.sh(listOutside)).toBe(outside);
  });
});

test('refs that leave no room for ours are kept under names of their own', async () => {
  lab = copyLab(template);
  const workspace = await openWorkspace({ cwd: lab.top });
  await workspace.begin(anAttempt, rules);
  lab.sh('git update-ref refs/skeleton/agent HEAD; git tag skeleton HEAD; git branch foo');
  const { notices } = await workspace.rollBack(anAttempt);
  const at = lab.git('for-each-ref', '--points-at=HEAD', '--format=%(refname)', 'refs/skeleton/');
  const kept = 'refs/skeleton/agent/plan/one/1';
  expect(at.split('\n').filter((ref) => ref.startsWith(kept))).toEqual([
    `${kept}/heads/foo`,
    `${kept}/skeleton/agent`,
    `${kept}/tags/skeleton`,
  ]);
  expect(notices.join()).toContain(`refs/skeleton/agent was made during the attempt`);
  await workspace.end(anAttempt);
  await workspace.begin({ ...anAttempt, number: 2 }, rules);
});

test('a gate that makes such a ref after the last look does not stop the checkpoint', async () => {
  lab = copyLab(template);
  const workspace = await openWorkspace({ cwd: lab.top });
  const base = await workspace.begin(anAttempt, rules);
  lab.sh('echo x > new');
  const inspection = await workspace.inspect(anAttempt, rules);
  if (inspection.kind !== 'candidate') throw new Error('no candidate');
  const message = { subject: 'One', body: '', trailers: [] };
  const commit = await workspace.commitObject(inspection.tree, base, message);
  const proofObject = await workspace.proofObject(commit, 'plan/0001', 'proof');
  lab.sh('git update-ref refs/skeleton/proof HEAD; git tag skeleton/plan');
  const tag = 'refs/tags/skeleton/plan/0001-one';
  const proof = 'refs/skeleton/proof/plan/0001';
  const notices = await workspace.checkpoint(anAttempt, { commit, base, tag, proof, proofObject });
  expect(lab.git('rev-parse', tag).trim()).toBe(commit);
  expect(notices.join()).toContain('refs/skeleton/agent/plan/one/1/tags/skeleton/plan');
});

test('a protected file that git ignores and that the attempt made does not stay', async () => {
  lab = copyLab(template);
  const workspace = await openWorkspace({ cwd: lab.top });
  const guarding = someRules({ protect: ['new.log', 'node_modules/x/**'] });
  await workspace.begin(anAttempt, guarding);
  lab.sh(
    'echo x > new.log; echo y > other.log; mkdir -p node_modules/x; echo z > node_modules/x/z',
  );
  const inspection = await workspace.inspect(anAttempt, guarding);
  expect(inspection).toMatchObject({ kind: 'refused', failure: { kind: 'tampered' } });
  const { snapshot, notices } = await workspace.rollBack(anAttempt);
  expect(lab.sh('ls new.log other.log node_modules/x/z 2>&1 || true')).toMatch(
    /^[^]*\nother.log\n$/,
  );
  const kept = keptBytes(lab, snapshot.ref);
  expect([kept.has('x\n'), kept.has('z\n')]).toEqual([true, true]);
  expect(notices.join()).toMatch(/new\.log, which is protected .* set aside/);
});
