// node bench/many-checkpoints.mjs [CHECKPOINTS] [--keep]: how long commands take that read a long history, in two repositories
// with so many checkpoints (default 10000): a plan of that many tasks, all passed, and a plan of ten tasks that were undone and
// done again. Medians of five; --keep leaves the repositories there. Needs npm run build.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const asked = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 10_000);
const isKept = process.argv.includes('--keep');
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const skeleton = join(root, 'dist/cli/main.js');
const { openSqliteLedger } = await import(join(root, 'dist/src/ledger/sqlite-ledger.js'));
const lab = mkdtempSync(join(tmpdir(), 'skeleton bench '));
const env = {
  PATH: process.env.PATH,
  HOME: lab,
  TMPDIR: lab,
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

try {
  const wide = { name: `a plan of ${asked} tasks`, tasks: asked };
  const deep = { name: `a plan of 10 tasks, ${asked} checkpoints`, tasks: 10 };
  for (const { name, tasks } of [wide, deep]) {
    const repo = await makeRepository(join(lab, name), tasks);
    console.log(name + (isKept ? `: ${repo}` : ''));
    for (const args of [
      ['status'],
      ['status', '--json'],
      ['log'],
      ['show', 't1'],
      ['check', '--json'],
      ['run', '--dry-run', '--agent-command', 'true'],
      ['run', '--agent-command', 'true'],
    ])
      console.log(`  ${String(timed(args, repo)).padStart(6)} ms  skeleton ${args.join(' ')}`);
  }
} finally {
  if (!isKept) rmSync(lab, { recursive: true, force: true });
}

/** Milliseconds, start of node included. */
function timed(args, cwd) {
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now();
    const { status, stderr } = spawnSync(process.execPath, [skeleton, ...args], {
      cwd,
      env,
      maxBuffer: 1 << 28,
    });
    if (status !== 0) throw new Error(`skeleton ${args.join(' ')}: ${status}\n${stderr}`);
    return performance.now() - start;
  });
  return Math.round(times.toSorted((a, b) => a - b)[2]);
}

async function makeRepository(repo, tasks) {
  const git = (args, input) =>
    execFileSync('git', args, { cwd: repo, env, input, stdio: 'pipe', maxBuffer: 1 << 28 })
      .toString()
      .trim();
  mkdirSync(join(repo, 'gates'), { recursive: true });
  git(['init', '-q', '-b', 'main']);
  git(['config', 'user.name', 'Bench']);
  git(['config', 'user.email', 'bench@localhost']);
  writeFileSync(join(repo, 'gates/check.sh'), '#!/bin/sh\ntest -s f.txt\n', { mode: 0o755 });
  const boxes = (state) =>
    Array.from({ length: tasks }, (_, i) => `- [${state}] Task number ${i + 1} {#t${i + 1}}\n`);
  writeFileSync(join(repo, 'PLAN.md'), boxes('x').join(''));
  git(['add', '-A']);
  git(['commit', '-qm', 'start']);
  git(['tag', 'skeleton/plan/0000-start']);
  const start = git(['rev-parse', 'HEAD']);
  git(['fast-import', '--quiet', '--date-format=raw'], importOf(start, tasks));
  moveProofs(repo, git);
  git(['reset', '-q', '--hard']);
  await record(repo, { start, tasks, marks: marksOf(git) });
  return repo;
}

function numberOf(i) {
  return String(i + 1).padStart(4, '0');
}

function taskOf(i, tasks) {
  return `t${(i % tasks) + 1}`;
}

/** Commits with their tags and proofs, as git fast-import reads them. */
function importOf(start, tasks) {
  const parts = [];
  for (let i = 0; i < asked; i += 1) {
    const task = taskOf(i, tasks);
    const who = `Bench <bench@localhost> ${1_700_000_000 + i * 10} +0000`;
    const message = `Task ${task}\n\nSkeleton-Run: ${runOf(i)}\nSkeleton-Task: ${task}\nSkeleton-Attempt: 1\nSkeleton-Agent: cat\nSkeleton-Gates: check.sh=pass 0.1s\n`;
    const from = i === 0 ? `from ${start}\n` : '';
    const file = `${i}\n`;
    parts.push(
      `commit refs/heads/main\nmark :${i + 1}\ncommitter ${who}\ndata ${message.length}\n${message}${from}M 100644 inline f.txt\ndata ${file.length}\n${file}\n`,
      `reset refs/tags/skeleton/plan/${numberOf(i)}-${task}\nfrom :${i + 1}\n\n`,
    );
    const proof = JSON.stringify({ schema: 1, run: runOf(i), plan: 'PLAN.md', task, gates: [] });
    parts.push(
      `tag bench-proof/${numberOf(i)}\nfrom :${i + 1}\ntagger ${who}\ndata ${proof.length}\n${proof}\n`,
    );
  }
  return parts.join('');
}

/** Fast-import makes tag objects only under refs/tags: their place is changed in packed-refs, which is sorted by name. */
function moveProofs(repo, git) {
  git(['pack-refs', '--all']);
  const path = join(repo, '.git/packed-refs');
  const [head, ...rest] = readFileSync(path, 'utf8').split(/\n(?!\^)/);
  const lines = rest
    .filter((line) => line !== '')
    .map((line) => line.replace('refs/tags/bench-proof/', 'refs/skeleton/proof/plan/'))
    .toSorted((a, b) => (a.slice(41) < b.slice(41) ? -1 : 1));
  writeFileSync(path, `${[head, ...lines].join('\n').trimEnd()}\n`);
}

function marksOf(git) {
  const format = '%(refname) %(objectname)';
  const lines = git(['for-each-ref', `--format=${format}`, 'refs/tags', 'refs/skeleton']);
  return new Map(lines.split('\n').map((line) => line.split(' ')));
}

/** A hundred tasks a run. */
function runOf(i) {
  return `run-${String(Math.floor(i / 100)).padStart(4, '0')}`;
}

/** What runs would have recorded, by the ledger itself. */
async function record(repo, { start, tasks, marks }) {
  const entries = [];
  let base = start;
  for (let i = 0; i < asked; i += 1) {
    const task = taskOf(i, tasks);
    const number = numberOf(i);
    const tag = `refs/tags/skeleton/plan/${number}-${task}`;
    const proof = `refs/skeleton/proof/plan/${number}`;
    const made = { tag, proof, commit: marks.get(tag), proofObject: marks.get(proof) };
    const times = Math.floor(i / tasks) + 1;
    entries.push(...eventsOf({ i, task, base, times, ...made }));
    base = made.commit;
  }
  const ledger = await openSqliteLedger(join(repo, '.git/skeleton/ledger.db'));
  await ledger.restore({ slug: 'plan', path: 'PLAN.md' }, { entries, highest: asked });
  await ledger.close();
}

function eventsOf({ i, task, base, times, tag, proof, commit, proofObject }) {
  const run = runOf(i);
  const at = (second) => new Date(1_700_000_000_000 + i * 10_000 + second * 1000).toISOString();
  const folder = `logs/${run}/${task}/${times}`;
  const ended = { ended: 'exit 0', exit: 0 };
  const gate = {
    ...{ name: 'check.sh', command: 'gates/check.sh', verdict: 'pass', ...ended, seconds: 0.1 },
    ...{ soft: false, digest: `sha256:${'e'.repeat(64)}`, log: `${folder}/gate-check.sh.log` },
    tail: 'Test Files  12 passed (12)\n     Tests  128 passed (128)\n  Duration  1.21s',
  };
  const attempt = { number: times, attempt: 1, attempts: 5, base, agent: 'cat' };
  const isFirst = i % 100 === 0;
  const isLast = i % 100 === 99 || i === asked - 1;
  const counts = { passed: 100, failed: 0, blocked: 0, skipped: 0, unjudged: 0, pending: 0 };
  const step = { seconds: 3, ...ended, log: `${folder}/agent.log`, usage: { input: 9, output: 4 } };
  const begun = { schema: 1, plan: 'PLAN.md', base, branch: 'refs/heads/main', options: {} };
  const runStart = { type: 'run.started', ...begun, start: `refs/tags/skeleton/plan/0000-start` };
  return [
    ...(isFirst ? [{ task: '', event: runStart }] : []),
    { task, event: { type: 'task.started', title: `Task number ${i + 1}`, line: i + 1 } },
    ...(times > 1 ? [{ task, event: { type: 'task.reopened', anew: true } }] : []),
    { task, event: { type: 'attempt.started', ...attempt, token: `token ${i}`, worktree: 'w' } },
    { task, event: { type: 'agent.finished', ...step } },
    { task, event: { type: 'gate.finished', ...gate } },
    { task, event: { type: 'gates.passed', commit, tag, proof, proofObject, gates: [gate] } },
    { task, event: { type: 'checkpoint.created', tag, commit } },
    { task, event: { type: 'task.finished', state: 'passed' } },
    ...(isLast ? [{ task: '', event: { type: 'run.finished', status: 0, counts } }] : []),
  ].map((one, nth) => ({ run, at: at(nth), ...one }));
}
