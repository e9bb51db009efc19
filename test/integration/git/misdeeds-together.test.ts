import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorkspace } from '../../../src/git/workspace.ts';
import { damages } from '../../../src/drill/damages.ts';
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

const isNightly = process.env['NIGHTLY'] !== undefined;
const runs = Number(process.env['MISDEEDS'] ?? (isNightly ? 500 : 40));
const rules = someRules({ maxFile: 2_000_000 });

let template: Lab;
beforeAll(() => {
  template = makeFurnishedLab();
});
afterAll(() => {
  template.remove();
});

const names = damages.map(([name]) => name);
const scripts = new Map(damages);

/** Some misdeeds one after the other, each as far as it gets; then how the attempt ends. */
const story = fc.record({
  deeds: fc.array(fc.constantFrom(...names), { minLength: 2, maxLength: 5 }),
  isInspected: fc.boolean(),
  isNewProcess: fc.boolean(),
});

test(
  `misdeeds one after the other are undone too (${runs} stories)`,
  async () => {
    await fc.assert(
      fc.asyncProperty(story, async ({ deeds, isInspected, isNewProcess }) => {
        const lab = copyLab(template);
        try {
          await tell(lab, deeds, { isInspected, isNewProcess });
        } finally {
          lab.remove();
        }
      }),
      { numRuns: runs, endOnFailure: true },
    );
  },
  runs * 10_000,
);

/**
 * What a rollback promises. Ignored folders and large ignored files are not part of it (an agent's own git may have taken them
 * away), and neither is it that new ignored files go.
 */
function promised(picture: Picture, before: Picture): Picture {
  const ignored = (of: Picture): string[] =>
    (of['status'] ?? '').split('\n').filter((line) => line.startsWith('!! '));
  const known = new Set(ignored(before));
  const added = ignored(picture).filter((line) => !known.has(line));
  const others = ['node_modules', 'big.bin', 'logs', ...added.map((line) => line.slice(3))].map(
    (name) => name.replace(/\/$/, ''),
  );
  const isOther = (name: string): boolean =>
    others.some(
      (other) => name === other || name.startsWith(`${other}/`) || other.startsWith(`${name}/`),
    ) && before[name] === undefined;
  const isLarge = (name: string): boolean => /^(?:node_modules|big\.bin|logs$)/.test(name);
  const kept = Object.entries(picture).filter(([name]) => !isOther(name) && !isLarge(name));
  const status = (picture['status'] ?? '').replace(/^!! .*\n/gm, '');
  return { ...Object.fromEntries(kept), status };
}

const listOutside = 'find .. -path ../repo -prune -o -printf "%p %y %m\\n" | sort';

async function tell(
  lab: Lab,
  deeds: readonly string[],
  { isInspected, isNewProcess }: { isInspected: boolean; isNewProcess: boolean },
): Promise<void> {
  const workspace = await openWorkspace({ cwd: lab.top });
  const before = photograph(lab);
  await workspace.begin(anAttempt, rules);
  for (const deed of deeds) lab.attempt(scripts.get(deed) ?? ':');
  const left = allFiles(lab);
  const outside = lab.sh(listOutside);
  if (isInspected) await workspace.inspect(anAttempt, rules);
  const isForgotten = deeds.includes('our own folder deleted');
  const last = isNewProcess && !isForgotten ? await openWorkspace({ cwd: lab.top }) : workspace;
  const { snapshot } = await last.rollBack(anAttempt);
  expect(promised(photograph(lab), before)).toEqual(promised(before, before));
  const kept = keptBytes(lab, snapshot.ref);
  const now = allFiles(lab);
  const lost = [...left].filter(([path, bytes]) => now.get(path) !== bytes && !kept.has(bytes));
  expect(lost).toEqual([]);
  expect(lab.sh(listOutside)).toBe(outside);
  expect(lab.git('fsck', '--no-dangling', '--no-progress', '--no-reflogs')).toBe('');
}
