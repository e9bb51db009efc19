import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endStateOf, expectedAfter } from '../support/crash-end-state.ts';
import type { EndState } from '../support/crash-end-state.ts';
import {
  copyCrashLab,
  makeCrashLab,
  onceTold,
  startRun,
  windowsOf,
  wreckOf,
} from '../support/crash-lab.ts';
import type { CrashLab, Wreck } from '../support/crash-lab.ts';

/**
 * A run with a pass, a rejection, a final failure, what that blocks and what does not wait for it is killed in each of its
 * windows (test/support/failpoint.mjs), resumed, and compared with the one that was never killed. `npm run test:nightly` takes
 * all windows; else it is each 40th, others every day. `WINDOWS=7` takes one again, `WINDOWS=7:3` then kills what
 * resumes it in its 3rd.
 */
const { WINDOWS: asked, NIGHTLY: nightly } = process.env;
const share = nightly === undefined ? 40 : 1;
const today = Math.floor(Date.now() / 86_400_000);
const lanes = Math.max(availableParallelism(), 2);

let template: CrashLab;
let reference: CrashLab;
let never: EndState;
let windows: readonly string[];
let kills = 0;

beforeAll(async () => {
  template = makeCrashLab([
    { id: 'first', attempts: 5, becomes: () => 'passed' },
    { id: 'told', attempts: 5, becomes: onceTold },
    { id: 'bad', attempts: 2, becomes: () => 'gate-failed' },
    { id: 'free', attempts: 5, needs: 'none', becomes: () => 'passed' },
    { id: 'blocked', attempts: 5, needs: 'bad', becomes: () => 'passed' },
  ]);
  reference = copyCrashLab(template);
  const { status, output } = await (await startRun(reference, { failpoint: 0 })).ended;
  if (status !== 1) throw new Error(output);
  windows = windowsOf(reference);
  never = await endStateOf(reference);
});
afterAll(() => {
  template.remove();
  reference.remove();
});

test('the run that is never killed ends as the plan was made for', () => {
  expect(never).toMatchObject({
    ends: {
      first: ['passed'],
      told: ['gate-failed', 'passed'],
      bad: ['gate-failed', 'gate-failed'],
      free: ['passed'],
    },
    snapshots: ['bad/1', 'bad/2', 'told/1'],
    states: ['first passed', 'told passed', 'bad failed', 'free passed', 'blocked blocked'],
    starts: 1,
    brokenProofs: [],
    git: '## main\n',
    ignored: 'T=1\n',
    alive: [],
  });
  expect(never.checkpoints).toHaveLength(3);
  // README.md says so.
  expect(windows.length).toBeGreaterThan(350);
});

test('killed in any window, it ends like that', { timeout: 3_600_000 }, async () => {
  const chosen = chooseKills();
  console.log(`killed in ${chosen.length} of ${windows.length} windows: ${chosen.join(' ')}`);
  const left = [...chosen];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await crash(next);
  };
  await Promise.all(Array.from({ length: lanes }, work));
  // How often a run looks for what it waits for differs by a few times: the last windows may not be there.
  expect(kills).toBeGreaterThan(chosen.length * 0.9);
});

/** As WINDOWS names them; every fourth of them kills the resumed run too, somewhere in its recovery. */
function chooseKills(): string[] {
  if (asked !== undefined) return asked.split(',');
  return windows
    .map((_, index) => index + 1)
    .filter((at) => at % share === today % share)
    .map((at, nth) => (nth % 4 === 3 ? `${at}:${10 + ((at * 7) % 60)}` : String(at)));
}

async function crash(where: string): Promise<void> {
  const lab = copyCrashLab(template);
  try {
    const { cutOff, names, isOver } = await killEach(lab, where.split(':').map(Number));
    const resumed = isOver ? undefined : await (await startRun(lab)).ended;
    const end = await endStateOf(lab);
    const wanted = expectedAfter(never, lab.tasks, cutOff);
    // Killed when all was done, nothing resumes it: what it had open the next command takes up.
    const files = isOver ? wanted.files : end.files;
    const found = { where, names, status: resumed?.status ?? 1, ...end, files };
    expect.soft(found, resumed?.output ?? '').toEqual({ where, names, status: 1, ...wanted });
  } finally {
    lab.remove();
  }
}

interface Killed {
  readonly cutOff: ReadonlySet<string>;
  readonly names: readonly string[];
  readonly isOver: boolean;
}

/** One kill after the other, as long as there is something left to do. */
async function killEach(lab: CrashLab, windows: readonly number[]): Promise<Killed> {
  const cutOff = new Set<string>();
  const names: string[] = [];
  for (const at of windows) {
    const wreck = await killAt(lab, at);
    names.push(windowsOf(lab).at(-1) ?? '');
    for (const attempt of wreck.cutOff) cutOff.add(attempt);
    if (wreck.isOver) return { cutOff, names, isOver: true };
  }
  return { cutOff, names, isOver: false };
}

async function killAt(lab: CrashLab, at: number): Promise<Wreck> {
  const { status, output } = await (await startRun(lab, { failpoint: at })).ended;
  if (status === null) kills += 1;
  else expect.soft(status, `it was to be killed at ${at}:\n${output}`).toBe(1);
  return wreckOf(lab);
}
