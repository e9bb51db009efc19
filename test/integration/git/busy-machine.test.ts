import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { usePlainGit } from '../../../src/git/git.ts';

const lanes = 5;
const lastsMs = 4000;

/** simple-git by itself gives up on the output 50 ms after the exit; then about two in a hundred answers were empty here. */
test('what git said is read to the end, however busy this process is', async () => {
  const answers: string[] = [];
  const until = performance.now() + lastsMs;
  const ask = async (): Promise<void> => {
    while (performance.now() < until) {
      const place = { folder: process.cwd(), environment: process.env };
      answers.push(await usePlainGit(place, (git) => git.raw('version')));
      // Nothing of this process goes on meanwhile.
      if (answers.length % 3 === 0) execFileSync('sleep', [String(0.02 * (answers.length % 7))]);
    }
  };
  await Promise.all(Array.from({ length: lanes }, ask));
  expect(answers.length).toBeGreaterThan(lanes);
  expect([...new Set(answers.map((text) => text.startsWith('git version')))]).toEqual([true]);
});
