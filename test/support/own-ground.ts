/**
 * The ground that the whole suite stands on: a folder of its own for TMPDIR and HOME, nothing of the user's git or
 * environment, and at the end a look whether a test left a process or a file behind, which fails the run.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A folder in memory: creating and deleting thousands of small files costs next to nothing there. */
const memory = '/dev/shm';
const roomWanted = 1024 ** 3;
/** Milliseconds that a process which is already ending gets to be gone. */
const grace = 10_000;
/** What a developer's machine or a CI service sets, and what would make a test pass here and fail there. */
const foreign = /^(?:GIT|SKELETON|XDG|GITHUB)_|^(?:CI|GITLAB_CI|TF_BUILD|NO_COLOR|FORCE_COLOR)$/;

const interruptions = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface Ground {
  readonly root: string;
  readonly temporary: string;
  /** Carried in the environment by whatever the suite starts. */
  readonly mark: string;
}

interface Stray {
  readonly pid: number;
  readonly command: string;
}

export function setup(): () => Promise<void> {
  const root = canRunIn(memory) ? makeRoot(memory) : makeRoot(tmpdir());
  const ground = { root, temporary: join(root, 'tmp'), mark: randomUUID() };
  settle(ground);
  const interrupt = (signal: NodeJS.Signals): void => abandon(ground, signal);
  for (const signal of interruptions) process.once(signal, interrupt);
  return async () => {
    for (const signal of interruptions) process.off(signal, interrupt);
    await leave(ground);
  };
}

function makeRoot(folder: string): string {
  return mkdtempSync(join(folder, 'skeleton suite '));
}

/** Containers often give little room in /dev/shm, or mount it `noexec`: no gate or agent script could run there. */
function canRunIn(folder: string): boolean {
  let root: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < roomWanted) return false;
    root = makeRoot(folder);
    const script = join(root, 'probe');
    writeFileSync(script, '#!/bin/sh\n', { mode: 0o700 });
    execFileSync(script);
    return true;
  } catch {
    return false;
  } finally {
    if (root !== undefined) rmSync(root, { recursive: true });
  }
}

function settle({ root, temporary, mark }: Ground): void {
  const home = join(root, 'home');
  const gitConfig = join(root, 'gitconfig');
  mkdirSync(temporary);
  mkdirSync(home);
  // What refuses to run as root, as PostgreSQL does, is run as somebody who owns nothing here.
  if (process.getuid?.() === 0) for (const folder of [root, temporary]) chmodSync(folder, 0o711);
  writeFileSync(gitConfig, '[user]\n\tname = Suite\n\temail = suite@example.invalid\n');
  for (const name of Object.keys(process.env)) {
    if (foreign.test(name)) Reflect.deleteProperty(process.env, name);
  }
  Object.assign(process.env, {
    TMPDIR: temporary,
    HOME: home,
    GIT_CONFIG_GLOBAL: gitConfig,
    GIT_CONFIG_NOSYSTEM: '1',
    // Newer versions of Node and tsc keep it in TMPDIR, where it would count as left behind.
    NODE_DISABLE_COMPILE_CACHE: '1',
    SKELETON_SUITE: mark,
  });
}

/** Vitest runs no teardown when it is interrupted, and its workers go on with their test. */
function abandon(ground: Ground, signal: NodeJS.Signals): void {
  for (const pid of findMembers(ground)) end(pid);
  removeRoot(ground);
  process.exit(128 + constants.signals[signal]);
}

async function leave(ground: Ground): Promise<void> {
  const strays = await lastingStrays(ground);
  for (const { pid } of strays) end(pid);
  const complaints = [
    ...strays.map(({ pid, command }) => `process ${pid.toString()} is still alive: ${command}`),
    ...readdirSync(ground.temporary).map((name) => `TMPDIR still holds ${name}`),
  ];
  removeRoot(ground);
  if (complaints.length === 0) return;
  console.error(`The suite left something behind, so it fails:\n  ${complaints.join('\n  ')}`);
  process.exitCode = 1;
}

function removeRoot({ root }: Ground): void {
  // A process that is just dying may still be writing.
  rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

async function lastingStrays(ground: Ground): Promise<readonly Stray[]> {
  const deadline = performance.now() + grace;
  let strays = findStrays(ground);
  while (strays.length > 0 && performance.now() < deadline) {
    await sleep(50);
    strays = findStrays(ground);
  }
  return strays;
}

function findStrays(ground: Ground): readonly Stray[] {
  return findMembers(ground)
    .filter((pid) => !isWorker(pid))
    .map((pid) => ({ pid, command: commandOf(pid) }));
}

function findMembers(ground: Ground): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .filter((pid) => belongs(pid, ground) || isMasterlessWatcher(pid));
}

/** By its environment, or, if it shed that, by what it was started with, the folder it is in and the files it has open. */
function belongs(pid: number, { root, mark }: Ground): boolean {
  if (readProc(pid, 'environ').split('\0').includes(`SKELETON_SUITE=${mark}`)) return true;
  if (commandOf(pid).includes(root)) return true;
  return linksOf(pid).some((place) => place === root || place.startsWith(root + sep));
}

function linksOf(pid: number): readonly string[] {
  const folder = `/proc/${pid.toString()}`;
  try {
    const open = readdirSync(`${folder}/fd`).map((fd) => `fd/${fd}`);
    return ['cwd', ...open].map((name) => readlinkSync(`${folder}/${name}`));
  } catch {
    return [];
  }
}

/** Our own watcher keeps clear of all that; it has to end itself when whoever started it is gone. */
function isMasterlessWatcher(pid: number): boolean {
  if (!commandOf(pid).endsWith(' skeleton-watcher')) return false;
  const parent = Number(/^PPid:\t(\d+)$/m.exec(readProc(pid, 'status'))?.[1]);
  return isWorker(parent) || !commandOf(parent).includes('node');
}

/** Vitest's own processes: it ends them after this. */
function isWorker(pid: number): boolean {
  const isChild = readProc(pid, 'status').includes(`\nPPid:\t${process.pid.toString()}\n`);
  return isChild && commandOf(pid).includes('/vitest/dist/workers/');
}

function commandOf(pid: number): string {
  return readProc(pid, 'cmdline').replaceAll('\0', ' ').trim();
}

/** Empty for a process that has ended meanwhile, or is not ours to read. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid.toString()}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself just now.
  }
}
