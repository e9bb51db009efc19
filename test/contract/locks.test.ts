import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openLocks } from '../../src/ledger/locks.ts';
import { Refusal, type Lock, type LockHolder, type Locks } from '../../src/ports.ts';
import { compileSources } from '../support/compiled-sources.ts';

const fixtures = join(import.meta.dirname, 'fixtures');

describe('locks as open transactions', () => {
  let compiled: string;
  let top: string;
  let folder: string;
  let locks: Locks;
  const taken: Lock[] = [];
  const children: ChildProcess[] = [];
  const orphans: number[] = [];

  beforeAll(async () => {
    compiled = await compileSources(['src/ledger/locks.ts']);
  });

  afterAll(() => rmSync(compiled, { recursive: true }));

  beforeEach(async () => {
    top = mkdtempSync(join(tmpdir(), 'locks contract '));
    folder = join(top, 'skeleton', 'locks');
    locks = await openLocks(folder, () => '2026-01-01T00:00:00.000Z');
  });

  afterEach(async () => {
    for (const lock of taken.splice(0)) lock.release();
    for (const child of children.splice(0)) await kill(child);
    for (const pid of orphans.splice(0)) process.kill(pid, 'SIGKILL');
    rmSync(top, { recursive: true });
  });

  function take(name: string, by: Locks = locks): Lock {
    const lock = by.acquire(name, 'a test');
    if ('heldBy' in lock) throw new Error(`${name} is held: ${JSON.stringify(lock)}`);
    taken.push(lock);
    return lock;
  }

  function holderOf(name: string): LockHolder | undefined {
    const lock = locks.acquire(name, 'a second one');
    if ('heldBy' in lock) return lock.heldBy;
    taken.push(lock);
    throw new Error(`${name} was free`);
  }

  function start(fixture: string, ...args: string[]): ChildProcess {
    const child = spawn(process.execPath, [join(fixtures, fixture), compiled, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    return child;
  }

  async function holdElsewhere(name: string, ...more: string[]): Promise<Holding> {
    const child = start('hold-lock.mjs', folder, name, ...more);
    const answer = JSON.parse(await firstLine(child)) as Answer;
    if (answer.child !== undefined) orphans.push(answer.child);
    return { child, answer };
  }

  it('lets one hold a name, and the next one know who', () => {
    const lock = take('work tree');
    const holder = { pid: process.pid, host: hostname(), since: '2026-01-01T00:00:00.000Z' };
    expect(holderOf('work tree')).toEqual({ ...holder, what: 'a test' });
    lock.assertHeld();
    lock.release();
    lock.release();
    expect(() => lock.assertHeld()).toThrow(/released/);
    take('work tree');
  });

  it('keeps what is being done as it was said', () => {
    const what = `it's a "run"; drop table holder; -- \n${'x'.repeat(5000)} 🌊`;
    const lock = locks.acquire('a', what);
    expect(holderOf('a')?.what).toBe(what);
    if (!('heldBy' in lock)) lock.release();
  });

  it('takes any text as a name, and holds names that differ in anything apart', () => {
    const long = 'x'.repeat(5000);
    const names = ['a', 'A', 'a ', '', '..', '../a', 'a/b', 'a\\b', 'ä', '日本', long, `${long}y`];
    for (const name of names) take(name);
    expect(readdirSync(folder).filter((file) => file.endsWith('.db'))).toHaveLength(names.length);
    expect(readdirSync(top)).toEqual(['skeleton']);
    for (const name of names) expect(holderOf(name)?.pid).toBe(process.pid);
  });

  it('keeps its files to the user', () => {
    take('a');
    const modeOf = (path: string): number => statSync(path).mode & 0o777;
    expect(modeOf(folder)).toBe(0o700);
    for (const file of readdirSync(folder)) expect(modeOf(join(folder, file))).toBe(0o600);
  });

  it('is seen by other processes, also after a refused try in the holding one', async () => {
    take('a');
    holderOf('a');
    await openLocks(folder);
    const { answer } = await holdElsewhere('a');
    expect(answer.held).toBeUndefined();
    expect(answer.heldBy?.pid).toBe(process.pid);
  });

  it('is free the moment its holder is killed', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { child, answer } = await holdElsewhere('a');
      expect(answer.held).toBe(child.pid);
      expect(holderOf('a')).toMatchObject({ pid: child.pid, what: 'holding in a test' });
      await kill(child);
      take('a').release();
    }
  });

  it('names a living holder to who only looks, and makes no file for that', async () => {
    expect(locks.holderOf('a')).toBeUndefined();
    expect(readdirSync(top)).toEqual([]);
    const { child } = await holdElsewhere('a');
    expect(locks.holderOf('a')).toMatchObject({ pid: child.pid, what: 'holding in a test' });
    expect(locks.holderOf('b')).toBeUndefined();
    await kill(child);
    expect(locks.holderOf('a')).toBeUndefined();
    take('a').release();
    expect(locks.holderOf('a')).toBeUndefined();
  });

  it('does not live on in a child of its holder', async () => {
    const { child, answer } = await holdElsewhere('a', 'with-child');
    await kill(child);
    expect(isAlive(answer.child)).toBe(true);
    take('a');
    expect(isAlive(answer.child)).toBe(true);
  });

  it('lets two processes in one after the other only', async () => {
    const file = join(top, 'counter');
    const [processes, times] = [4, 25];
    writeFileSync(file, '0');
    const counting = Array.from({ length: processes }, () =>
      start('count-under-lock.mjs', folder, file, String(times)),
    );
    expect(await Promise.all(counting.map(firstLine))).toEqual(Array(processes).fill('[]'));
    expect(readFileSync(file, 'utf8')).toBe(String(processes * times));
  });

  it('is not left stuck or damaged by kills while it is taken and given back', async () => {
    const file = join(top, 'counter');
    for (let round = 0; round < 6; round += 1) {
      writeFileSync(file, '0');
      const child = start('count-under-lock.mjs', folder, file, '1000000');
      while (child.exitCode === null && readFileSync(file, 'utf8') === '0') await sleep(5);
      await sleep(Math.random() * 50);
      expect(child.exitCode).toBeNull();
      await kill(child);
      take('counter').release();
    }
  });

  describe('whose file is', () => {
    let lock: Lock;
    let path: string;

    beforeEach(() => {
      lock = take('a');
      path = join(folder, readdirSync(folder).find((name) => name.endsWith('.db')) ?? '');
    });

    const tampering: readonly (readonly [string, () => void])[] = [
      ['deleted', () => rmSync(path)],
      ['moved', () => renameSync(path, `${path}.moved`)],
      ['deleted with its folder', () => rmSync(folder, { recursive: true })],
      [
        'replaced by a copy',
        () => {
          copyFileSync(path, `${path}.copy`);
          renameSync(`${path}.copy`, path);
        },
      ],
      [
        'taken anew after it was deleted',
        () => {
          rmSync(path);
          take('a');
        },
      ],
    ];

    it.each(tampering)('%s no longer counts as held', (_, tamper) => {
      tamper();
      expect(() => lock.assertHeld()).toThrow(Refusal);
      expect(() => lock.assertHeld()).toThrow(expect.objectContaining({ status: 4 }));
    });
  });

  it('says what to do about a file that is no lock', () => {
    take('a').release();
    const [file = ''] = readdirSync(folder);
    writeFileSync(join(folder, file), 'not a database '.repeat(100));
    expect(() => locks.acquire('a', 'a test')).toThrow(
      expect.objectContaining({ status: 3, message: expect.stringContaining(file) as string }),
    );
  });

  it('moves aside what is in the place of its folder', async () => {
    take('a').release();
    writeFileSync(join(folder, 'file'), 'theirs');
    const below = await openLocks(join(folder, 'file'));
    expect(below.acquire('a', 'a test')).not.toHaveProperty('heldBy');
    const [moved = ''] = readdirSync(folder).filter((name) => name.startsWith('file.moved-'));
    expect(readFileSync(join(folder, moved), 'utf8')).toBe('theirs');
  });
});

interface Answer {
  readonly held?: number;
  readonly child?: number;
  readonly heldBy?: LockHolder;
}

interface Holding {
  readonly child: ChildProcess;
  readonly answer: Answer;
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the child has no output');
  for await (const line of createInterface(stdout)) return line;
  throw new Error('the child said nothing');
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

function isAlive(pid: number | undefined): boolean {
  return pid !== undefined && process.kill(pid, 0);
}
