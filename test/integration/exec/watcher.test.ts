import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTimeOf } from '../../../src/exec/process-table.ts';
import { compileRoom } from './compiled-room.ts';
import type { CompiledRoom } from './compiled-room.ts';
import { aliveWith, eventually, makeStepGround } from './step-ground.ts';
import type { StepGround } from './step-ground.ts';

/** Promised: one second. The rest is for a machine that has much else to do. */
const withinMs = 4000;

let room: CompiledRoom;
let ground: StepGround;
const groups: number[] = [];
beforeAll(async () => {
  room = await compileRoom();
});
afterAll(() => room.remove());
beforeEach(() => {
  ground = makeStepGround();
});
afterEach(async () => {
  const all = groups.splice(0);
  all.forEach(killGroup);
  await eventually(() => !all.some(isAlive));
  await ground.leave();
});

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

type Deed = readonly unknown[];

interface Program {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly said: () => string;
}

function startProgram(deeds: readonly Deed[], env: Readonly<Record<string, string>> = {}): Program {
  const script = join(import.meta.dirname, 'fixtures', 'watching.mjs');
  const child = spawn(process.execPath, [script, room.folder, JSON.stringify(deeds)], {
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return { child, pid: register(child), said: () => said };
}

/** A process that has nothing to do with the step, or pretends to. */
function startBystander(step: string): number {
  const child = spawn('sleep', ['60'], {
    detached: true,
    env: { ...process.env, SKELETON_STEP: step },
    stdio: 'ignore',
  });
  return register(child);
}

function register({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('It did not start.');
  groups.push(pid);
  return pid;
}

const statOf = (pid: number | string): string[] => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return ['X'];
  }
};
const isAlive = (pid: number): boolean => !/^[ZX]/.test(statOf(pid)[0] ?? 'X');

function ignoresTerm(pid: number): boolean {
  const mask = /SigIgn:\s+([0-9a-f]+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
  return (parseInt(mask.slice(-4), 16) & 0x4000) !== 0;
}

/** The shell that watches for a program: its only child with that name. */
function watcherOf(program: number): number | undefined {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && statOf(pid)[1] === String(program))
    .find((pid) => commandLineOf(pid).endsWith('\0skeleton-watcher\0'));
}

/** Empty for one that has ended meanwhile. */
function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

async function spawnedWatcher(program: number): Promise<number> {
  let found: number | undefined;
  await eventually(() => (found = watcherOf(program)) !== undefined);
  if (found === undefined) throw new Error('There is no watcher.');
  return found;
}

const stubborn = "trap '' TERM HUP INT; while :; do sleep 0.05; done";
const treeLine = `sh -c "${stubborn}" & setsid sh -c "${stubborn}" & (setsid sleep 60 &); touch ready; wait`;

function specOf(command: string): Deed {
  const env = { PATH: process.env['PATH'] };
  return ['step', { command, cwd: ground.folder, env, token: ground.token, logPath: ground.log }];
}

describe('when we die without a word', () => {
  it.each(['SIGKILL', 'SIGSEGV', 'SIGTERM'] as const)(
    'by %s, the whole step ends',
    async (signal) => {
      const program = startProgram([specOf(treeLine)]);
      expect(await eventually(() => existsSync(join(ground.folder, 'ready')))).toBe(true);
      const watcher = await spawnedWatcher(program.pid);
      await eventually(() => aliveWith(ground.token).length >= 4);
      program.child.kill(signal);
      expect(await eventually(() => aliveWith(ground.token).length === 0, withinMs)).toBe(true);
      expect(await eventually(() => !isAlive(watcher), withinMs)).toBe(true);
    },
  );

  it('a step that only its token leads to, and one behind an outer token', async () => {
    const program = startProgram([['watch', ground.token], ['say', 'ready'], ['stay']]);
    await eventually(() => program.said() !== '');
    const marked = [startBystander(ground.token), startBystander(`outer/1,${ground.token}`)];
    const like = [startBystander(`${ground.token}0`), startBystander(`x${ground.token}`)];
    program.child.kill('SIGKILL');
    expect(await eventually(() => !marked.some(isAlive), withinMs)).toBe(true);
    expect(like.every(isAlive)).toBe(true);
  });

  it('but not a group whose pid belongs to somebody else by now', async () => {
    const stranger = startBystander('none');
    const marked = startBystander(ground.token);
    const group = { pid: stranger, startTime: `${startTimeOf(stranger) ?? ''}0` };
    const program = startProgram([['watch', ground.token, group], ['say', 'ready'], ['stay']]);
    await eventually(() => program.said() !== '');
    const watcher = await spawnedWatcher(program.pid);
    program.child.kill('SIGKILL');
    expect(await eventually(() => !isAlive(marked), withinMs)).toBe(true);
    expect(await eventually(() => !isAlive(watcher), withinMs)).toBe(true);
    expect(isAlive(stranger)).toBe(true);
  });

  it('not what is no longer watched, but all that still is', async () => {
    const other = `${ground.token}-other`;
    const program = startProgram([
      ['watch', other],
      ['watch', ground.token],
      ['unwatch', other],
      ['say', 'ready'],
      ['stay'],
    ]);
    await eventually(() => program.said() !== '');
    const [mine, others] = [startBystander(ground.token), startBystander(other)];
    const watcher = await spawnedWatcher(program.pid);
    program.child.kill('SIGKILL');
    expect(await eventually(() => !isAlive(mine), withinMs)).toBe(true);
    expect(await eventually(() => !isAlive(watcher), withinMs)).toBe(true);
    expect(isAlive(others)).toBe(true);
  });

  it('even if somebody killed the watcher before the last step', async () => {
    const program = startProgram([specOf('sleep 0.5'), specOf(treeLine)]);
    process.kill(await spawnedWatcher(program.pid), 'SIGKILL');
    expect(await eventually(() => existsSync(join(ground.folder, 'ready')))).toBe(true);
    await spawnedWatcher(program.pid);
    program.child.kill('SIGKILL');
    expect(await eventually(() => aliveWith(ground.token).length === 0, withinMs)).toBe(true);
  });
});

describe('when we end in order', () => {
  it.each([
    ['after close', [['close']]],
    ['without close', []],
  ])('%s: it goes and ends nobody', async (_, last) => {
    const bystander = startBystander(ground.token);
    const go = join(ground.folder, 'go');
    const deeds = [['watch', ground.token], ['until', go], ['unwatch', ground.token], ...last];
    const program = startProgram(deeds);
    const watcher = await spawnedWatcher(program.pid);
    const ended = once(program.child, 'exit');
    writeFileSync(go, '');
    expect(await ended).toEqual([0, null]);
    expect(await eventually(() => !isAlive(watcher), withinMs)).toBe(true);
    expect(isAlive(bystander)).toBe(true);
  });

  it('close ends it though something is watched, and it ends nobody', async () => {
    const bystander = startBystander(ground.token);
    const program = startProgram([['watch', ground.token], ['close'], ['say', 'closed'], ['stay']]);
    await eventually(() => program.said() === 'closed\n');
    expect(watcherOf(program.pid)).toBeUndefined();
    await sleep(500);
    expect(isAlive(bystander)).toBe(true);
  });

  it('a run without steps starts none', async () => {
    const program = startProgram([['unwatch', 'x'], ['say', 'ready'], ['stay']]);
    await eventually(() => program.said() !== '');
    expect(watcherOf(program.pid)).toBeUndefined();
  });
});

describe('while we live', () => {
  it("it is small, marked by nothing, in nobody's folder, and ignores polite signals", async () => {
    const deeds = [['watch', ground.token], ['say', 'ready'], ['stay']];
    const program = startProgram(deeds, { SKELETON_STEP: 'outer/1', SECRET: 'x' });
    await eventually(() => program.said() !== '');
    const watcher = await spawnedWatcher(program.pid);
    const environment = readFileSync(`/proc/${watcher}/environ`, 'utf8');
    expect(
      environment
        .split('\0')
        .map((entry) => entry.split('=')[0])
        .sort(),
    ).toEqual(['', 'LC_ALL', 'PATH']);
    const kilobytes = /VmRSS:\s+(\d+) kB/.exec(
      readFileSync(`/proc/${watcher}/status`, 'utf8'),
    )?.[1];
    expect(Number(kilobytes)).toBeLessThan(6000);
    // Its shell has read the first line of the script.
    expect(await eventually(() => ignoresTerm(watcher))).toBe(true);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(watcher, signal);
    await sleep(100);
    expect(isAlive(watcher)).toBe(true);
  });

  it('no step inherits the pipe by which it would learn of our death', async () => {
    const program = startProgram([specOf('ls -l /proc/self/fd'), ['close']]);
    await once(program.child, 'exit');
    expect(program.said()).toContain('/proc/');
    expect(program.said()).not.toContain('socket:');
  });
});
