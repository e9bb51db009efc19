// node bench/claims.mjs [--claims N] [--handovers N] [--large N]: what it costs to share a plan. Worker processes claim tasks from
// a PostgreSQL of this machine through the product's own adapter: how many a second, and how long one claim takes; then how long a
// task that is let go, or whose worker is killed, waits for the next one. Each with 1, 4 and 16 workers, in a plan that is as long
// as the work, and in one of 10,000 tasks. Needs npm run build.
import { fork } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const file = fileURLToPath(import.meta.url);
const root = join(dirname(file), '..');
const { openPostgres } = await import(join(root, 'dist/src/ledger/postgres/open-postgres.js'));
const now = () => performance.timeOrigin + performance.now();
const idsOf = (count) => Array.from({ length: count }, (_, nth) => `t${nth}`);

if (process.send === undefined) await main();
else await work(...process.argv.slice(2));

async function main() {
  const number = { type: 'string' };
  const { values } = parseArgs({ options: { claims: number, handovers: number, large: number } });
  const claims = Number(values.claims ?? 1000);
  const handovers = Number(values.handovers ?? 100);
  const sizes = [claims, Number(values.large ?? 10_000)];
  const ground = mkdtempSync(join(tmpdir(), 'skeleton bench '));
  const lab = await openServer(ground);
  try {
    console.log(
      'workers  tasks in the plan  claims/s   a claim: p50 / p99   let go -> claimed: p50 / p99',
    );
    for (const workers of [1, 4, 16])
      for (const size of sizes) {
        const row = { workers, size, ...(await claimAll(lab, { workers, size, claims })) };
        console.log(lineOf({ ...row, waits: await handOver(lab, { workers, size, handovers }) }));
      }
    const deaths = await killHolders(lab, { workers: 4, times: Math.ceil(handovers / 5) });
    console.log(
      `kill -9 -> claimed by one of 4 others: ${spread(deaths)}, at most ${ms(Math.max(...deaths))}`,
    );
  } finally {
    await lab.close();
    rmSync(ground, { recursive: true, force: true });
  }
}

/** The tests' own, which is TypeScript: its types are taken off first, and it lies where packages are found. */
async function openServer(ground) {
  const { default: typescript } = await import('typescript');
  const temporary = join(ground, 'tmp');
  mkdirSync(temporary);
  for (const folder of [ground, temporary]) chmodSync(folder, 0o711);
  Object.assign(process.env, { TMPDIR: temporary, SKELETON_SUITE: 'bench' });
  const source = readFileSync(join(root, 'test/support/postgres-lab.ts'), 'utf8');
  const { ModuleKind, ScriptTarget, transpileModule } = typescript;
  const compilerOptions = { module: ModuleKind.ESNext, target: ScriptTarget.ES2023 };
  const compiled = join(root, 'dist', `.bench-${process.pid}.mjs`);
  writeFileSync(compiled, transpileModule(source, { compilerOptions }).outputText);
  try {
    const { openPostgresServer } = await import(compiled);
    return await openPostgresServer({ durable: true });
  } finally {
    rmSync(compiled);
  }
}

function lineOf({ workers, size, rate, times, waits }) {
  const cells = [
    String(workers).padEnd(9),
    String(size).padEnd(19),
    String(Math.round(rate)).padEnd(11),
  ];
  return `${cells.join('')}${spread(times).padEnd(22)}${spread(waits)}`;
}

function spread(all) {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (share) => ms(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);
  return `${at(0.5)} / ${at(0.99)}`;
}

function ms(value) {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}

async function openWorkers(lab, { workers, size, role }) {
  const url = await lab.database();
  const own = await openPostgres(url, { project: 'bench', worker: workerOf('bench') });
  await own.claims.join('plan', idsOf(size));
  const children = [];
  for (let nth = 0; nth < workers; nth += 1)
    children.push(fork(file, [url, role, String(size), String(nth)]));
  await Promise.all(children.map((child) => once(child, 'message')));
  return { url, own, children };
}

async function closeWorkers({ own, children }) {
  for (const child of children) child.kill('SIGKILL');
  await own.close();
}

/** All workers at once, each the next free task, until so many were claimed. */
async function claimAll(lab, { workers, size, claims }) {
  const team = await openWorkers(lab, { workers, size, role: 'claim' });
  const share = Math.floor(claims / workers);
  const began = now();
  const ended = team.children.map(async (child) => {
    const answer = once(child, 'message');
    child.send(share);
    return (await answer)[0];
  });
  const times = (await Promise.all(ended)).flat();
  const seconds = (now() - began) / 1000;
  await closeWorkers(team);
  return { rate: times.length / seconds, times };
}

/** One task at a time is let go while all wait for it, as a run does. */
async function handOver(lab, { workers, size, handovers }) {
  const team = await openWorkers(lab, { workers, size, role: 'wait' });
  const waits = [];
  for (const id of idsOf(handovers)) {
    const claim = await team.own.claims.claim('plan', [id]);
    for (const child of team.children) child.send(id);
    // They look once, and wait for the bell.
    await new Promise((resolve) => setTimeout(resolve, 30 + Math.random() * 50));
    const won = first(team.children);
    const freed = now();
    await claim.release();
    await team.own.claims.tell('plan');
    waits.push((await won) - freed);
  }
  await closeWorkers(team);
  return waits;
}

async function killHolders(lab, { workers, times }) {
  const team = await openWorkers(lab, { workers, size: times, role: 'wait' });
  const waits = [];
  for (const id of idsOf(times)) {
    const holder = fork(file, [team.url, 'hold', String(times), '99']);
    await once(holder, 'message');
    const held = once(holder, 'message');
    holder.send(id);
    await held;
    for (const child of team.children) child.send(id);
    await new Promise((resolve) => setTimeout(resolve, 300 + Math.random() * 1000));
    const won = first(team.children);
    const freed = now();
    holder.kill('SIGKILL');
    waits.push((await won) - freed);
  }
  await closeWorkers(team);
  return waits;
}

/** What the first of them says. */
function first(children) {
  return new Promise((resolve) => {
    const hear = (said) => {
      for (const child of children) child.off('message', hear);
      resolve(said);
    };
    for (const child of children) child.on('message', hear);
  });
}

function workerOf(run) {
  return { host: 'bench', pid: process.pid, run };
}

/** A worker's process. */
async function work(url, role, size, nth) {
  const ids = idsOf(Number(size));
  const own = await openPostgres(url, { project: 'bench', worker: workerOf(`run-${nth}`) });
  await own.claims.join('plan', ids);
  const roles = { claim: claimMany, wait: waitFor, hold: holdOne };
  let last = Promise.resolve();
  process.on('message', (told) => {
    last = last
      .then(() => roles[role](own, ids, told))
      .then((said) => said !== undefined && process.send(said));
  });
  process.send('ready');
}

async function claimMany({ ledger, claims }, ids, count) {
  const times = [];
  let among = ids;
  while (times.length < count && among.length > 0) {
    const began = performance.now();
    const claim = await claims.claim('plan', among);
    times.push(performance.now() - began);
    if (claim === undefined) break;
    await finish(ledger, claim, `run-${process.pid}`);
    // Whatever stands before it was somebody's.
    among = among.slice(among.indexOf(claim.task) + 1);
  }
  return times;
}

async function finish(ledger, claim, run) {
  const event = { type: 'task.finished', state: 'failed' };
  await ledger.append({ run, plan: 'plan', task: claim.task, event }, 0);
  await claim.release();
}

/** Waits as a run does; the first one tells when. */
async function waitFor({ ledger, claims }, _, id) {
  for (;;) {
    const claim = await claims.claim('plan', [id]);
    const at = now();
    if (claim !== undefined) {
      await finish(ledger, claim, `run-${process.pid}`);
      return at;
    }
    const { settled } = await claims.survey('plan');
    if (settled.has(id)) return undefined;
    await claims.changed(1000, new AbortController().signal);
  }
}

async function holdOne({ claims }, _, id) {
  await claims.claim('plan', [id]);
  return 'held';
}
