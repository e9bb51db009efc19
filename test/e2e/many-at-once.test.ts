import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { chanceOf, range } from '../support/chance.ts';
import { makeJobsLab, type JobsLab, type JobsTask } from '../support/jobs-lab.ts';

/**
 * Whatever the number of jobs and the timing, the same recorded work of the agent gives the same checkpoints. `npm run
 * test:nightly` takes more plans and every number of jobs; `SEED=7 npx vitest run many-at-once` takes one plan with all of them.
 */
const { SEED: onlySeed, NIGHTLY: nightly } = process.env;
const isLong = nightly !== undefined || onlySeed !== undefined;
const seeds = onlySeed === undefined ? range(isLong ? 25 : 1) : [Number(onlySeed)];
const counts = isLong ? [2, 3, 5, 8] : [3];

const lines = range(12)
  .map((nth) => `line ${nth}\n`)
  .join('');

/** Some write only their own file, some the same end of one file, some far-away lines of it, some what only gates see to clash. */
function planOf(seed: number): readonly JobsTask[] {
  const chance = chanceOf(seed);
  const count = isLong ? 5 + Math.floor(chance() * 5) : 6;
  const ids = range(count).map((nth) => `t${nth}`);
  const kinds = [
    (id: string) => `echo ${id} >> end.txt`,
    (id: string, nth: number) => `sed -i 's/^line ${nth}$/line ${nth} of ${id}/' lines.txt`,
    (id: string) => `mkdir -p claims; n=$(ls claims | wc -l); echo $((n + 1)) > claims/${id}`,
    (id: string) => `test ! -e moves.txt || git mv moves.txt moved-${id}.txt`,
    () => ':',
  ];
  return ids.map((id, nth) => {
    const more = kinds[Math.floor(chance() * kinds.length)]?.(id, nth + 1) ?? ':';
    const needs = ids.slice(0, nth).filter(() => chance() < 0.25);
    const isDoomed = chance() < 0.1;
    const edits = `echo ${id} > ${id}.txt; ${more}`;
    const bad = `${edits}; echo no > BAD-${id}`;
    const early = chance() < 0.3 ? [bad] : [];
    return { id, needs, attempts: 3, edits: isDoomed ? bad : edits, early };
  });
}

const labs: JobsLab[] = [];
afterAll(() => {
  for (const lab of labs) lab.remove();
  if (!isLong)
    console.log('left out here: 24 more plans, and --jobs 2, 5 and 8 (npm run test:nightly)');
});

interface End {
  readonly status: number | null;
  readonly trees: readonly string[];
  readonly plan: string;
  readonly states: readonly string[];
}

async function work(
  seed: number,
  count: number,
): Promise<{ lab: JobsLab; end: End; said: string }> {
  const tasks = planOf(seed);
  const files = { 'lines.txt': lines, 'moves.txt': lines, 'end.txt': 'end\n' };
  const lab = makeJobsLab(tasks, { files });
  labs.push(lab);
  const chance = chanceOf(seed * 1000 + count);
  for (const { id } of tasks) lab.takes(id, count === 1 ? 0 : Math.round(chance() * 40) / 100);
  const { status, stderr } = await lab.jobs(count);
  return { lab, end: await endOf(lab, status), said: stderr };
}

async function endOf(lab: JobsLab, status: number | null): Promise<End> {
  const log = lab.git('log', '--reverse', '--first-parent', '--format=%T %s');
  const states = (await lab.history()).flatMap(({ task, event }) =>
    event.type === 'task.finished' ? [`${task} ${event.state}`] : [],
  );
  return { status, trees: log.split('\n'), plan: lab.git('show', 'HEAD:PLAN.md'), states };
}

async function expectWhole(lab: JobsLab): Promise<void> {
  const gated = lab.gated();
  const tags = lab.git('tag', '--list', 'skeleton/plan/*').split('\n');
  for (const tag of tags.filter((one) => !one.endsWith('-start'))) {
    const tree = lab.git('rev-parse', `${tag}^{tree}`);
    expect(gated.some((line) => line.includes(` ${tree} pass `))).toBe(true);
  }
  for (const { event } of await lab.history())
    if (event.type === 'rollback.done')
      expect(lab.git('rev-parse', event.snapshot.ref)).toBe(event.snapshot.commit);
  expect(lab.git('status', '--porcelain')).toBe('');
  expectNoSlots(lab);
}

function expectNoSlots({ top, git }: JobsLab): void {
  expect(git('worktree', 'list').split('\n')).toHaveLength(1);
  expect(git('branch', '--list', 'skeleton-slot/*')).toBe('');
  expect(readdirSync(dirname(top)).filter((name) => name.includes('.skeleton-'))).toEqual([]);
  expect(existsSync(top)).toBe(true);
}

describe('the number of jobs and the timing change nothing of the result', () => {
  test.each(seeds)('seed %i', { timeout: 600_000 }, async (seed) => {
    const one = await work(seed, 1);
    await expectWhole(one.lab);
    for (const count of counts) {
      const many = await work(seed, count);
      expect({ count, ...many.end }, many.said).toEqual({ count, ...one.end });
      await expectWhole(many.lab);
    }
  });
});
