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
import { damages } from '../../support/damages.ts';

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
/** A record that is gone can put nothing back: see "no record" elsewhere. */
const needsMemory = 'our own folder deleted';

describe.each(ways)('%s', (way) => {
  const isNew = way === 'a new process, rollBack';
  test.each(damages.filter(([name]) => !isNew || name !== needsMemory))('%s', async (_, script) => {
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
