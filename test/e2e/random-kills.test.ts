import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endStateOf, expectedAfter } from '../support/crash-end-state.ts';
import type { EndState } from '../support/crash-end-state.ts';
import { copyCrashLab, makeCrashLab, onceTold, startRun, wreckOf } from '../support/crash-lab.ts';
import type { CrashLab, StartedRun } from '../support/crash-lab.ts';

/** `SEED=7 npx vitest run random-kills` repeats one story as far as chance allows, `SEED=7,8` two. */
const { SEED: onlySeed, NIGHTLY: nightly } = process.env;
/** Each kill may cost a task one of its five attempts, and of some one is rejected in any case. A resumed run may end before its kill. */
const mostKills = 3;
const stories = nightly === undefined ? 5 : 90;
const seeds =
  onlySeed === undefined
    ? Array.from({ length: stories }, (_, index) => index + 1)
    : onlySeed.split(',').map(Number);
/** When a kill comes, as a share of what the whole run takes that is never killed. */
const earliest = 0.05;
const latest = 0.6;
const agentSeconds = 0.05;

let template: CrashLab;
let reference: CrashLab;
let never: EndState;
let wholeMs: number;
let kills = 0;

beforeAll(async () => {
  template = makeCrashLab([
    { id: 'one', attempts: 5, becomes: () => 'passed' },
    { id: 'told-two', attempts: 5, becomes: onceTold },
    { id: 'bad-three', attempts: 2, becomes: () => 'gate-failed' },
    { id: 'four', attempts: 5, needs: 'none', becomes: () => 'passed' },
    { id: 'told-five', attempts: 5, becomes: onceTold },
    { id: 'six', attempts: 5, needs: 'one', becomes: () => 'passed' },
    { id: 'seven', attempts: 5, needs: 'bad-three', becomes: () => 'passed' },
  ]);
  reference = copyCrashLab(template);
  const began = performance.now();
  const { status, output } = await (await startRun(reference, { seconds: agentSeconds })).ended;
  if (status !== 1) throw new Error(output);
  wholeMs = performance.now() - began;
  never = await endStateOf(reference);
  expect(never).toMatchObject({
    snapshots: ['bad-three/1', 'bad-three/2', 'told-five/1', 'told-two/1'],
    git: '## main\n',
    alive: [],
  });
  expect(never.checkpoints).toHaveLength(5);
});
afterAll(() => {
  console.log(`${kills} kills at random, in ${seeds.length} stories`);
  template.remove();
  reference.remove();
});

describe(`killed at random, up to ${mostKills} times, it ends like the run that was not`, () => {
  test.concurrent.each(seeds)('seed %i', async (seed) => {
    const lab = copyCrashLab(template);
    const cutOff = new Set<string>();
    const story: string[] = [];
    let isOver = false;
    try {
      for (let kill = 0; kill < mostKills && !isOver; kill += 1) {
        story.push(await killed(lab, `${seed}.${kill}`));
        const wreck = await wreckOf(lab);
        for (const attempt of wreck.cutOff) cutOff.add(attempt);
        ({ isOver } = wreck);
      }
      const last = isOver ? undefined : await (await startRun(lab)).ended;
      const found = { seed, story, status: last?.status ?? 1, ...(await endStateOf(lab)) };
      const wanted = { seed, story, status: 1, ...expectedAfter(never, lab.tasks, cutOff) };
      expect(found, last?.output ?? '').toEqual(wanted);
    } finally {
      lab.remove();
    }
  });
});

/** Whom a kill hits. What it spares, the agent or a git that is at work, goes on until the watcher or the next run ends it. */
const victims = {
  'the loop': () => [],
  'the loop and its watcher': (pid: number) =>
    childrenOf(pid).filter((child) => commandOf(child).includes('skeleton-watcher')),
  everything: (pid: number) => descendantsOf(pid),
} as const satisfies Record<string, (pid: number) => readonly number[]>;

/** Starts a run and kills it; gives whom and when, for people. */
async function killed(lab: CrashLab, id: string): Promise<string> {
  const whom = Object.entries(victims)[Math.floor(chanceOf(id, 'whom') * 3)];
  const share = earliest + chanceOf(id, 'when') * (latest - earliest);
  const run = await startRun(lab, { seconds: agentSeconds });
  await Promise.race([sleep(share * wholeMs), run.ended]);
  if (whom !== undefined) kill(run, whom[1]);
  await run.ended;
  return `${whom?.[0] ?? ''} at ${Math.round(share * 100)} %`;
}

function kill({ child }: StartedRun, others: (pid: number) => readonly number[]): void {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null) return;
  // Listed first: what a dead process leaves behind is nobody's child.
  const more = others(pid);
  kills += 1;
  child.kill('SIGKILL');
  for (const other of more) {
    try {
      process.kill(other, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((child) => child > 0 && procFile(child, 'status').includes(`\nPPid:\t${pid}\n`));
}

function descendantsOf(pid: number): readonly number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

function commandOf(pid: number): string {
  return procFile(pid, 'cmdline');
}

function procFile(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** From 0 to below 1, the same for the same words. */
function chanceOf(...words: readonly string[]): number {
  return createHash('sha256').update(words.join()).digest().readUInt32BE() / 2 ** 32;
}
