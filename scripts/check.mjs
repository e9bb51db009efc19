/**
 * All checks, the cheap ones first: one line a step, and of the first step that fails its output too. The last line is
 * `N passed, N failed`: the tests, and any other step that failed as one. Each step is the npm script of that name.
 */
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const minute = 60_000;
const root = join(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const scratch = mkdtempSync(join(tmpdir(), 'skeleton check '));
const results = join(scratch, 'tests.json');
// A step writes to a file, and CI services make some tools colour even that.
const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' };
const { NO_COLOR: _no, FORCE_COLOR: _force, ...inherited } = process.env;
const noTests = { passed: 0, failed: 0, skipped: 0 };

/** One stage after the other; in a stage side by side what stands in one row, which the tests have for themselves. */
const stages = [
  [
    [
      { script: 'format', limit: 2 * minute },
      { script: 'types', limit: 3 * minute },
      { script: 'layers', limit: 2 * minute },
      { script: 'dead-code', limit: 2 * minute },
      { script: 'build', limit: 3 * minute },
    ],
    [{ script: 'lint', limit: 4 * minute }],
  ],
  [
    [
      {
        script: 'test:only',
        args: ['--reporter=verbose', '--reporter=json', `--outputFile.json=${results}`],
        limit: 10.5 * minute,
        totals: readTotals,
      },
    ],
  ],
  [[{ script: 'package-lint', limit: 3 * minute }]],
];

const children = new Set();
let passed = 0;
let failed = 0;
let interruptedBy;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, interrupt);
try {
  process.exitCode = await check();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function check() {
  for (const rows of stages) await Promise.all(rows.map(checkRow));
  if (interruptedBy !== undefined) return 128 + constants.signals[interruptedBy];
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Until something fails, here or beside; what runs beside is ended then. */
async function checkRow(steps) {
  const isOver = () => failed > 0 || interruptedBy !== undefined;
  for (const step of steps) {
    if (isOver()) return;
    const result = await run(step);
    if (isOver()) return;
    tell(step, result);
    if (failed > 0) for (const child of children) signalGroup(child, 'SIGTERM');
  }
}

function tell({ script, totals: read }, { seconds, failure, log }) {
  const totals = read?.() ?? noTests;
  passed += totals.passed;
  // A leaked process or file fails the tests although each of them passed.
  failed += failure === undefined ? totals.failed : Math.max(totals.failed, 1);
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  console.log(`${script.padEnd(12)}${seconds.toFixed(1).padStart(7)} s${remark(totals, failure)}`);
  if (totals.skipped > 0) console.log(lines.filter((line) => /^\s*↓/.test(line)).join('\n'));
  if (failed === 0) return;
  const telling = lines.filter((line) => !/^\s*[✓↓]/.test(line)).join('\n');
  console.log(`\n${telling}\n\nThis step alone: npm run ${script}\n`);
}

function remark({ passed, skipped }, failure) {
  const parts = [];
  if (failure !== undefined) parts.push(failure);
  if (passed > 0) parts.push(`${passed} tests passed`);
  if (skipped > 0) parts.push(`${skipped} skipped:`);
  return parts.length === 0 ? '' : `   ${parts.join(', ')}`;
}

/** Output goes to a file and the step has a process group of its own, so that no stray child of it can hold us. */
async function run({ script, args = [], limit }) {
  const log = join(scratch, `${script.replace(':', '-')}.log`);
  const output = openSync(log, 'w');
  const started = performance.now();
  const child = spawn('sh', ['-c', `${scripts[script]} "$@"`, 'sh', ...args], {
    cwd: root,
    env: {
      ...inherited,
      ...colour,
      PATH: join(root, 'node_modules', '.bin') + delimiter + inherited.PATH,
    },
    stdio: ['ignore', output, output],
    detached: true,
  });
  closeSync(output);
  children.add(child);
  const failure = await ending(child, limit);
  await groupGone(child);
  children.delete(child);
  return { log, failure, seconds: (performance.now() - started) / 1000 };
}

/** Undefined for exit status 0, else how the step ended, in words. */
function ending(child, limit) {
  return new Promise((resolve) => {
    let late;
    const timer = setTimeout(() => {
      late = `FAILED: not done after ${limit / minute} min`;
      signalGroup(child, 'SIGTERM');
    }, limit);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      resolve(late ?? (code === 0 ? undefined : `FAILED: ${signal ?? `exit ${code}`}`));
    });
  });
}

/** The shell of a step ends at once when it is told to; the tests clean up first, and get 10 s for it. */
async function groupGone(child) {
  for (let waited = 0; signalGroup(child, 0); waited += 50) {
    if (waited >= 10_000) return signalGroup(child, 'SIGKILL');
    await sleep(50);
  }
}

function interrupt(signal) {
  interruptedBy = signal;
  for (const child of children) signalGroup(child, 'SIGTERM');
}

/** Tells whether there was anybody left to signal. */
function signalGroup(child, signal) {
  try {
    return process.kill(-child.pid, signal);
  } catch (error) {
    if (error.code === 'ESRCH') return false;
    throw error;
  }
}

/** From the tests' own report; all zero where they did not get so far as to write one. */
function readTotals() {
  let report;
  try {
    report = JSON.parse(readFileSync(results, 'utf8'));
  } catch {
    return noTests;
  }
  const tests = report.testResults.flatMap((file) => file.assertionResults);
  // A file that fails before its first test, on import say.
  const broken = report.testResults.filter(
    (file) =>
      file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const count = (...wanted) => tests.filter((test) => wanted.includes(test.status)).length;
  return {
    passed: count('passed'),
    failed: count('failed') + broken.length,
    skipped: count('skipped', 'pending', 'todo', 'disabled'),
  };
}
