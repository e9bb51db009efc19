import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StepSpec } from '../../../src/exec/run-step.ts';
import { compileRoom } from './compiled-room.ts';
import type { CompiledRoom } from './compiled-room.ts';
import { makeStepGround } from './step-ground.ts';
import type { StepGround } from './step-ground.ts';

const mebibyte = 2 ** 20;

let ground: StepGround;
beforeEach(() => {
  ground = makeStepGround();
});
afterEach(() => ground.leave());

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('standard input', () => {
  const everyByte = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256);

  it('is empty without input, and nobody waits', async () => {
    const { end, outputBytes } = await ground.run({ command: 'cat; cat /dev/stdin' });
    expect(end).toEqual({ kind: 'exit', code: 0 });
    expect(outputBytes).toBe(0);
  });

  it('arrives byte for byte and then ends', async () => {
    const { outputBytes, digest } = await ground.run({ command: 'cat', input: everyByte });
    expect(outputBytes).toBe(everyByte.length);
    expect(digest).toBe(sha256(everyByte));
    expect(readFileSync(ground.log).equals(everyByte)).toBe(true);
  });

  it('can be opened as /dev/stdin', async () => {
    const { head } = await ground.run({ command: 'cat /dev/stdin', input: 'prompt ü' });
    expect(head).toBe('prompt ü');
  });

  it.each(['exit 3', 'exec 0<&-; exit 3', 'head -c 1 >/dev/null; exit 3'])(
    'may stay unread: %s',
    async (command) => {
      const { end } = await ground.run({ command, input: Buffer.alloc(10 * mebibyte, 'x') });
      expect(end).toEqual({ kind: 'exit', code: 3 });
    },
  );
});

describe('standard output and error', () => {
  it('come in the order of writing', async () => {
    const command = 'i=0; while [ $i -lt 500 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done';
    const { head } = await ground.run({ command });
    const lines = Array.from({ length: 500 }, (_, index) => `o${index}\ne${index}\n`);
    expect(head).toBe(lines.join(''));
    expect(readFileSync(ground.log, 'utf8')).toBe(head);
  });

  it('can be opened as /dev/stdout and /dev/stderr', async () => {
    const command = 'echo one >/dev/stdout; echo two >/dev/stderr; echo 3 | tee /dev/stderr';
    const { end, head } = await ground.run({ command });
    expect(end).toEqual({ kind: 'exit', code: 0 });
    expect(head).toBe('one\ntwo\n3\n3\n');
  });

  it('reach whoever watches, whole', async () => {
    const hash = createHash('sha256');
    const { digest } = await ground.run({
      command: 'seq 200000',
      onOutput: (chunk) => hash.update(chunk),
    });
    expect(hash.digest('hex')).toBe(digest);
  });

  it('need not be text', async () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x1b, 0x5b, 0x33, 0x31, 0x6d, 0xc3]);
    const { head, tail } = await ground.run({ command: 'cat', input: bytes });
    expect(head).toBe('\uFFFD\uFFFDA\0\u001B[31m\uFFFD');
    expect(tail).toBe(head);
    expect(readFileSync(ground.log).equals(bytes)).toBe(true);
  });

  it('are kept at both ends, in whole lines at the last', async () => {
    const { head, tail, outputBytes } = await ground.run({ command: 'seq 100000', tailBytes: 100 });
    expect(outputBytes).toBe(588_895);
    expect(head.startsWith('1\n2\n3\n')).toBe(true);
    expect(head.length).toBe(100);
    expect(tail).toMatch(/^\d{5}\n/);
    expect(tail.endsWith('\n99999\n100000\n')).toBe(true);
    expect(tail.length).toBeLessThanOrEqual(100);
  });

  it('held open by a process that nobody can find do not hold the step', async () => {
    // It sheds session, group and environment, and its parent is gone: the stated limit.
    const command = "(setsid env -i sh -c 'echo $$; sleep 60; echo late' &); sleep 0.3; echo done";
    const before = performance.now();
    const { head, end } = await ground.run({ command });
    expect(performance.now() - before).toBeLessThan(5000);
    expect(end).toEqual({ kind: 'exit', code: 0 });
    const [pid, ...rest] = head.trim().split('\n');
    process.kill(-Number(pid), 'SIGKILL');
    expect(rest).toEqual(['done']);
  });

  it('come through pipes where no FIFO can be made', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = ground.folder;
    try {
      const command = 'echo out; echo err >&2; sleep 60 & exit 4';
      const { head, end } = await ground.run({ command, env: { PATH: path ?? '' }, input: 'x' });
      expect(end).toEqual({ kind: 'exit', code: 4 });
      expect(head.split('\n').sort()).toEqual(['', 'err', 'out']);
    } finally {
      process.env['PATH'] = path;
    }
  });
});

describe('the log', () => {
  const modeOf = (path: string): number => statSync(path).mode & 0o777;

  it('is for the user alone, in folders made for it', async () => {
    await ground.run({ command: 'echo secret' });
    expect(modeOf(ground.log)).toBe(0o600);
    expect(modeOf(dirname(ground.log))).toBe(0o700);
  });

  it('is there even if nothing was said, or nothing ran', async () => {
    await ground.run({ command: { file: 'no-such-program', args: [] } });
    expect(readFileSync(ground.log, 'utf8')).toBe('');
  });

  it('replaces what lay there, and never writes through a link', async () => {
    const precious = join(ground.folder, 'precious');
    writeFileSync(precious, 'mine');
    mkdirSync(dirname(ground.log));
    symlinkSync(precious, ground.log);
    await ground.run({ command: 'echo first' });
    await ground.run({ command: 'echo second' });
    expect(readFileSync(precious, 'utf8')).toBe('mine');
    expect(readFileSync(ground.log, 'utf8')).toBe('second\n');
  });

  it('that cannot be made: throws, and nothing runs', async () => {
    writeFileSync(dirname(ground.log), 'a file in the way');
    const ran = join(ground.folder, 'ran');
    await expect(ground.run({ command: `touch '${ran}'` })).rejects.toThrow(/EEXIST|ENOTDIR/);
    expect(() => statSync(ran)).toThrow();
  });

  it('of a step that says too much keeps both ends', async () => {
    const maxLogBytes = 100_000;
    const { outputBytes } = await ground.run({ command: 'seq 100000', maxLogBytes });
    const text = readFileSync(ground.log, 'utf8');
    const cut = /^\[(\d+) bytes of output cut here\]$/m.exec(text);
    expect(cut?.[1]).toBe(String(outputBytes - maxLogBytes));
    expect(text.length).toBe(maxLogBytes + (cut?.[0].length ?? 0) + 2);
    expect(text.startsWith('1\n2\n')).toBe(true);
    expect(text.endsWith('\n99999\n100000\n')).toBe(true);
  });
});

describe('in bounded memory', () => {
  let room: CompiledRoom;
  beforeAll(async () => {
    room = await compileRoom();
  });
  afterAll(() => room.remove());

  interface Said {
    readonly outputBytes: number;
    readonly headLength: number;
    readonly tailLength: number;
    readonly before: number;
    readonly peak: number;
    readonly logError?: string;
    readonly end: unknown;
  }

  async function runApart(spec: Partial<StepSpec>, setting = ':'): Promise<Said> {
    const script = join(import.meta.dirname, 'fixtures', 'run-one-step.mjs');
    const whole = {
      cwd: ground.folder,
      env: { PATH: process.env['PATH'] },
      token: ground.token,
      logPath: ground.log,
      ...spec,
    };
    const args = [process.execPath, script, room.folder, JSON.stringify(whole)];
    const { stdout } = await promisify(execFile)('sh', [
      '-c',
      `${setting}; exec "$@"`,
      'sh',
      ...args,
    ]);
    return JSON.parse(stdout) as Said;
  }

  it.each([
    ['1 GB of lines', 'yes "a line of output" | head -c 1000000000', 1_000_000_000],
    ['200 MB of NULs', 'head -c 200000000 /dev/zero', 200_000_000],
    ['200 MB without a line end', "head -c 200000000 /dev/zero | tr '\\0' x", 200_000_000],
  ])('%s', async (_, command, bytes) => {
    const said = await runApart({ command, maxLogBytes: mebibyte });
    expect(said.end).toEqual({ kind: 'exit', code: 0 });
    expect(said.outputBytes).toBe(bytes);
    expect(said.headLength).toBe(65_536);
    expect(statSync(ground.log).size).toBeLessThan(1.01 * mebibyte);
    expect(said.peak - said.before).toBeLessThan(100 * mebibyte);
  });

  it('a disk that is full ends the log, not the step', async () => {
    const said = await runApart({ command: 'seq 200000; exit 5' }, 'ulimit -f 200');
    expect(said.end).toEqual({ kind: 'exit', code: 5 });
    expect(said.outputBytes).toBe(1_288_895);
    expect(said.logError).toContain('EFBIG');
  });
});
