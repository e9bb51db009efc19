import { spawn, spawnSync, type ChildProcess, type SpawnSyncReturns } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Recorded } from '../../src/core/events.ts';
import { loadSqlite, scalar } from '../../src/ledger/sqlite.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite-ledger.ts';
import { compileSources } from '../support/compiled-sources.ts';

const kills = process.env['NIGHTLY'] === undefined ? 30 : 300;

describe('a SQLite ledger', () => {
  let compiled: string;
  let top: string;

  beforeAll(async () => {
    compiled = await compileSources(['src/ledger/sqlite-ledger.ts', 'src/ports.ts']);
  });

  afterAll(() => rmSync(compiled, { recursive: true }));

  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), 'ledger under fire '));
  });

  afterEach(() => rmSync(top, { recursive: true }));

  it(`keeps every acknowledged append of three writers over ${kills} kills at any time`, async () => {
    const path = join(top, 'skeleton', 'ledger.db');
    const acknowledged: string[] = [];
    const writers = [1, 2, 3].map(async (writer) => {
      for (let round = 0; round < kills / 3; round += 1)
        acknowledged.push(...(await writeUntilKilled(path, `${writer}.${round}`, round % 2 === 0)));
    });
    await Promise.all(writers);
    const ledger = await openSqliteLedger(path);
    const history = await ledger.history('demo');
    await ledger.close();
    const kept = new Set(history.map(lineOf));
    expect(acknowledged.length).toBeGreaterThan(kills);
    expect(acknowledged.filter((line) => !kept.has(line))).toEqual([]);
    for (const task of ['task0', 'task1', 'task2']) {
      const seqs = history.filter((one) => one.task === task).map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    }
    const db = (await loadSqlite()).open(path, { readOnly: true });
    expect(scalar(db, 'pragma integrity_check')).toBe('ok');
    db.close();
  });

  /** Kills a writer while it begins, the making of the ledger included, or while it writes; gives what it said it had appended. */
  async function writeUntilKilled(
    path: string,
    name: string,
    beginning: boolean,
  ): Promise<string[]> {
    const program = join(import.meta.dirname, 'fixtures', 'append-until-killed.mjs');
    const child = spawn(process.execPath, [program, compiled, path, name], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output, closed] = [textOf(child), once(child, 'close')];
    if (!beginning) await Promise.race([once(child.stdout, 'data'), closed]);
    await sleep(Math.random() * 150);
    child.kill('SIGKILL');
    // Anything else means that it ended by itself: something was thrown.
    expect(await closed).toEqual([null, 'SIGKILL']);
    return (await output).split('\n').slice(0, -1);
  }

  it('on a full disk refuses with 4, loses nothing, and goes on when there is room', ({ skip }) => {
    skipWithoutSmallDisk(skip);
    const answer = onSmallDisk(program('fill-disk.mjs', '"$1"'));
    const acknowledged = Number(answer['acknowledged']);
    expect(acknowledged).toBeGreaterThan(10);
    const message: unknown = expect.stringMatching(/cannot write .*ledger\.db: .*full/);
    const full = { name: 'Refusal', status: 4, message };
    expect(answer).toEqual({ acknowledged, full, next: acknowledged + 1, kept: acknowledged + 1 });
  });

  it.for([
    ['was closed', ''],
    ['was left open by a kill', 'die 2>/dev/null || true'],
  ] as const)(
    'on a read-only disk can be read, but not written, when it %s',
    ([, how], { skip }) => {
      skipWithoutSmallDisk(skip);
      const answer = onSmallDisk(`
      ( ${program('append-some.mjs', '"$1/skeleton/ledger.db"', '3', how)} )
      mount -o remount,ro "$1"
      ${program('use-read-only-disk.mjs', '"$1"')}`);
      expect(answer['after']).toEqual(answer['before']);
      const refused = { name: 'Refusal', status: 3 };
      expect(answer).toMatchObject({ read: 3, written: refused, missing: refused });
    },
  );

  function skipWithoutSmallDisk(skip: (why: string) => void): void {
    if (mountSmallDisk('true').status !== 0)
      skip('nobody but root may mount a small disk here: no user namespaces (unshare)');
  }

  /** What a shell script prints that finds a file system of 1 MB at "$1". */
  function onSmallDisk(script: string): Record<string, unknown> {
    const { stdout, stderr } = mountSmallDisk(script);
    expect(stderr).toBe('');
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  function mountSmallDisk(script: string): SpawnSyncReturns<string> {
    const disk = join(top, 'disk');
    mkdirSync(disk, { recursive: true });
    const body = `mount -t tmpfs -o size=1m none "$1" || exit\n${script}`;
    const flags = ['--user', '--map-root-user', '--mount'];
    return spawnSync('unshare', [...flags, 'sh', '-c', body, 'sh', disk], { encoding: 'utf8' });
  }

  function program(name: string, ...args: string[]): string {
    const words = [process.execPath, join(import.meta.dirname, 'fixtures', name), compiled];
    return [...words.map((word) => `'${word}'`), ...args].join(' ');
  }
});

function lineOf({ task, seq, event }: Recorded): string {
  const [name, turn] = event.type === 'notice' ? event.message.split(' ') : [];
  return `${task} ${seq} ${String(name)} ${String(turn)}`;
}

async function textOf({ stdout }: ChildProcess): Promise<string> {
  let text = '';
  if (stdout === null) throw new Error('the child has no output');
  for await (const chunk of stdout.setEncoding('utf8')) text += String(chunk);
  return text;
}
