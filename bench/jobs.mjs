// node bench/jobs.mjs [--tasks N] [--jobs N] [--files N] [--plans N]: what --jobs gains, and what it costs. First the makespan of
// plans of 60 tasks of 0.5 to 2 s over its lower bound (the longest chain of needs, or all work divided by the jobs), as the loop
// itself schedules them: in order, gates of the branch one after another, with ports in memory and time twice as fast. Then the
// time that a task's turn on the branch takes in a real repository, at the beginning of a run and at its end. Needs npm run build.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const number = { type: 'string' };
const { values } = parseArgs({
  options: { tasks: number, jobs: number, files: number, plans: number },
});
const asked = (name, otherwise) => Number(values[name] ?? otherwise);
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const load = (path) => import(join(root, 'dist/src', path));
const { runPlan } = await load('run/run-plan.js');
const { openJournal } = await load('run/journal.js');
const { openRoster } = await load('run/roster.js');
const { openPurse } = await load('run/purse.js');
const { openWaitBudget } = await load('run/wait-budget.js');
const { settingsOf } = await load('core/settings.js');
const { openSqliteLedger } = await load('ledger/sqlite-ledger.js');

const faster = 2;
/** Seconds that the gates take each time. */
const gateSeconds = 0.05;

function chanceOf(seed) {
  let state = seed * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Each task needs up to two of the thirty before it, three of four one on average. */
function planOf(seed, count) {
  const chance = chanceOf(seed);
  return Array.from({ length: count }, (_, nth) => {
    const before = Array.from({ length: Math.min(nth, 30) }, (__, back) => `t${nth - 1 - back}`);
    const needs = before.filter(() => chance() < 0.04).slice(0, 2);
    const task = { id: `t${nth}`, title: `t${nth}`, state: 'pending', needs, explicitNeeds: true };
    const rest = { line: nth + 1, text: '', goal: '', acceptance: [], files: [], config: {} };
    return { ...task, ...rest, seconds: 0.5 + chance() * 1.5 };
  });
}

function lowerBound(tasks, jobs) {
  const ends = new Map();
  for (const { id, needs, seconds } of tasks)
    ends.set(id, seconds + Math.max(0, ...needs.map((need) => ends.get(need))));
  const all = tasks.reduce((sum, { seconds }) => sum + seconds, 0);
  return Math.max(all / jobs, ...ends.values());
}

/**
 * The same plan in a model of the rule alone: whose turn it is goes before the others, who go in the order of the plan; a task
 * begins once what it needs is on the branch; the branch takes one at a time, with its gates.
 */
function inOrder(tasks, jobs) {
  const [done, ended, begun] = [new Set(), new Set(), new Set()];
  let underWay = [];
  let onBranch;
  let now = 0;
  const isReady = ({ id, needs }) => !done.has(id) && needs.every((need) => done.has(need));
  while (done.size < tasks.length) {
    const ready = tasks.filter(isReady);
    const room = () => jobs - underWay.length - (onBranch === undefined ? 0 : 1);
    if (onBranch === undefined && ended.has(ready[0]?.id) && room() > 0)
      onBranch = { id: ready[0].id, at: now + gateSeconds };
    for (const { id, seconds } of ready.filter((task) => !begun.has(task.id)))
      if (room() > 0) {
        begun.add(id);
        underWay.push({ id, at: now + seconds + gateSeconds });
      }
    now = Math.min(onBranch?.at ?? Infinity, ...underWay.map(({ at }) => at));
    if (onBranch?.at === now) {
      done.add(onBranch.id);
      onBranch = undefined;
    }
    for (const { id } of underWay.filter(({ at }) => at === now)) ended.add(id);
    underWay = underWay.filter(({ at }) => at !== now);
  }
  return now;
}

function memoryPorts(tasks) {
  const rows = [];
  const nothing = () => Promise.resolve([]);
  let ids = 0;
  const snapshot = ({ id, number }) => ({ ref: `refs/${id}/${number}`, commit: `${id}-${number}` });
  const took = new Map(tasks.map(({ id, seconds }) => [id, seconds]));
  const result = { name: 'g', command: 'g', soft: false, verdict: 'pass', ended: 'exit 0' };
  const agent = {
    ...{ name: 'sleeper', reports: {}, assertReady: nothing, key: () => Promise.resolve('') },
    run: async ({ task }) => {
      await sleep((took.get(task.id) * 1000) / faster);
      return { kind: 'finished', seconds: 1, ended: 'exit 0', log: '' };
    },
  };
  return {
    agents: { name: agent.name, of: () => [agent] },
    processes: { endByToken: nothing, outside: nothing },
    clock: {
      now: () => new Date().toISOString(),
      monotonic: () => performance.now(),
      id: () => `${++ids}`,
    },
    ledger: {
      taskHistory: (_, task) => Promise.resolve(rows.filter((row) => row.task === task)),
      append: (entry, seq) => {
        const recorded = { ...entry, at: new Date().toISOString(), seq: seq + 1 };
        rows.push(recorded);
        return Promise.resolve(recorded);
      },
      takeNumber: () => Promise.resolve(++ids),
    },
    gates: {
      find: () => Promise.resolve([{ name: 'g', command: 'g', fix: false }]),
      hash: () => Promise.resolve('h'),
      run: async ({ gates, onResult }) => {
        // Asked for the `fix:` gates, of which there are none.
        if (gates.length === 0) return { results: [], verdict: 'pass' };
        await sleep((gateSeconds * 1000) / faster);
        const one = { ...result, exit: 0, seconds: 0, digest: '', tail: '', log: '' };
        await onResult(one);
        return { results: [one], verdict: 'pass' };
      },
    },
    workspace: {
      id: 'w',
      resolve: () => Promise.resolve(undefined),
      begin: () => Promise.resolve('c'),
      inspect: () =>
        Promise.resolve({ kind: 'candidate', tree: `${++ids}`, changed: [], notices: [] }),
      settle: () => Promise.resolve(undefined),
      commitObject: () => Promise.resolve(`c${++ids}`),
      proofObject: () => Promise.resolve('p'),
      checkpoint: nothing,
      merge: nothing,
      treeOf: () => Promise.resolve('t'),
      rollBack: (id) => Promise.resolve({ snapshot: snapshot(id), notices: [] }),
    },
  };
}

async function makespan(tasks, jobs) {
  const ports = memoryPorts(tasks);
  const plan = { path: 'PLAN.md', config: {}, tasks };
  const settings = settingsOf({});
  const stop = new AbortController();
  const session = {
    ...{ ports, plan, settings, highestProof: 0, signal: stop.signal },
    journal: openJournal({
      ...{ ledger: ports.ledger, locks: [], run: 'r', plan: 'plan' },
      onEvent: () => undefined,
    }),
    waits: openWaitBudget(settings.maxWait),
    purse: openPurse(undefined),
    roster: openRoster(ports.agents, ports.clock),
    ...{ isInterrupted: () => false, onProgress: () => undefined, tick: (bytes) => bytes },
    ...{ differsInMarksOnly: () => false, logFolder: () => '' },
  };
  const slots = {
    jobs,
    open: () => ({
      prepare: (_, seat) => Promise.resolve({ ...session, isAhead: true, seat }),
      isGone: () => false,
    }),
    base: 'c',
  };
  const none = new Set();
  const began = performance.now();
  const job = { tasks, plan: new Uint8Array(), lifted: none, usedUp: none };
  const { counts } = await runPlan(job, session, slots);
  if (counts.passed !== tasks.length) throw new Error(JSON.stringify(counts));
  return ((performance.now() - began) / 1000) * faster;
}

const plans = asked('plans', 5);
for (let seed = 1; seed <= plans; seed += 1) {
  const tasks = planOf(seed, 60);
  const [bound, took] = [lowerBound(tasks, 4), await makespan(tasks, 4)];
  const words = `60 tasks on 4 jobs, plan ${seed}: ${took.toFixed(1)} s`;
  const rule = inOrder(tasks, 4);
  const over = `at least ${bound.toFixed(1)} s: ${(took / bound).toFixed(2)}`;
  console.log(
    `${words}, ${over}; the rule alone ${rule.toFixed(1)} s: ${(took / rule).toFixed(2)}`,
  );
}

const [count, jobs, files] = [asked('tasks', 200), asked('jobs', 8), asked('files', 10_000)];
const lab = mkdtempSync(join(tmpdir(), 'skeleton bench '));
try {
  const top = makeRepository(join(lab, 'a repository'));
  const agent = 'cat > /dev/null; echo x > "$SKELETON_TASK_ID.txt"';
  const args = [
    join(root, 'dist/cli/main.js'),
    'run',
    '--jobs',
    `${jobs}`,
    '--agent-command',
    agent,
  ];
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: top, env: environment() });
  if (status !== 0) throw new Error(`${stderr}`);
  const whole = (performance.now() - began) / 1000;
  const turns = await readTurns(join(top, '.git/skeleton/ledger.db'));
  const quarter = Math.max(1, Math.floor(turns.length / 4));
  const [first, last] = [median(turns.slice(0, quarter)), median(turns.slice(-quarter))];
  console.log(`${count} tasks, ${jobs} jobs, ${files} files: ${whole.toFixed(1)} s in all`);
  console.log(`a turn on the branch: ${first} ms in the first quarter, ${last} ms in the last`);
} finally {
  rmSync(lab, { recursive: true, force: true });
}

function environment() {
  const git = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  return { PATH: process.env.PATH, HOME: lab, TMPDIR: lab, LC_ALL: 'C', ...git };
}

function makeRepository(top) {
  mkdirSync(join(top, 'gates'), { recursive: true });
  for (let nth = 0; nth < files; nth += 1) {
    const folder = join(top, `d${nth % 100}`);
    if (nth < 100) mkdirSync(folder);
    writeFileSync(join(folder, `f${nth}.txt`), `${nth}\n`);
  }
  writeFileSync(join(top, 'gates/true.sh'), '#!/bin/sh\ntrue\n', { mode: 0o755 });
  const items = Array.from(
    { length: count },
    (_, nth) => `- [ ] task ${nth} {#t${nth}}\n  needs: none\n`,
  );
  writeFileSync(join(top, 'PLAN.md'), items.join(''));
  const git = (...words) => execFileSync('git', words, { cwd: top, env: environment() });
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Bench');
  git('config', 'user.email', 'bench@localhost');
  git('add', '--all');
  git('commit', '--quiet', '--message=first');
  return top;
}

/** From where a task's turn begins to its checkpoint, milliseconds, in the order of the checkpoints. */
async function readTurns(path) {
  const ledger = await openSqliteLedger(path, { readOnly: true });
  const began = new Map();
  const turns = [];
  for (const { task, at, event } of await ledger.history('plan')) {
    if (event.type === 'attempt.started' && event.judge) began.set(task, Date.parse(at));
    if (event.type === 'checkpoint.created' && began.has(task))
      turns.push(Date.parse(at) - began.get(task));
  }
  await ledger.close();
  return turns;
}

function median(all) {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
}
