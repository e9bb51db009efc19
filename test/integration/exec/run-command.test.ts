import { createHash } from 'node:crypto';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../src/exec/run-command.ts';
import type { CommandResult, CommandSpec } from '../../../src/exec/run-command.ts';
import { aliveWith, eventually } from './step-ground.ts';

let folder: string;
let token: string;
let count = 0;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'command ground ')));
  count += 1;
  token = `command/${process.pid}.${count}`;
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  expect(await eventually(() => aliveWith(token).length === 0, 3000)).toBe(true);
});

async function run(
  file: string,
  args: readonly string[],
  more?: Partial<CommandSpec>,
): Promise<CommandResult> {
  // The variable is how this test finds what is left; the product marks no short commands.
  const env = { PATH: process.env['PATH'] ?? '', SKELETON_STEP: token };
  return runCommand({ file, args, cwd: folder, env, timeoutMs: 20_000, ...more });
}

const sh = async (line: string, more?: Partial<CommandSpec>): Promise<CommandResult> =>
  run('sh', ['-c', line], more);

describe('a command', () => {
  it('gives its bytes, its errors and its status', async () => {
    const result = await sh("printf 'a\\000\\377b'; echo warning ü >&2; exit 3");
    expect(result).toEqual({
      code: 3,
      signal: null,
      stdout: Buffer.from([0x61, 0, 0xff, 0x62]),
      stderr: 'warning ü\n',
      timedOut: false,
      aborted: false,
    });
  });

  it('has its input, byte for byte, and no input as /dev/null', async () => {
    const input = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 7) % 256);
    const { stdout } = await run('cat', [], { input });
    expect(createHash('sha256').update(stdout).digest()).toEqual(
      createHash('sha256').update(input).digest(),
    );
    expect((await run('cat', [])).stdout.length).toBe(0);
    expect((await run('cat', [], { input: '' })).stdout.length).toBe(0);
  });

  it('that does not read its input is no error', async () => {
    const { code } = await run('true', [], { input: Buffer.alloc(5_000_000) });
    expect(code).toBe(0);
  });

  it('has the environment and folder it was given', async () => {
    const { stdout } = await run('env', ['-0'], { env: { PATH: '/usr/bin:/bin', A: 'b c' } });
    expect(stdout.toString()).toBe('PATH=/usr/bin:/bin\0A=b c\0');
    expect((await run('pwd', [])).stdout.toString()).toBe(`${folder}\n`);
  });

  it('ended by a signal says so', async () => {
    expect(await sh('kill -9 $$')).toMatchObject({
      code: null,
      signal: 'SIGKILL',
      timedOut: false,
    });
  });

  it('keeps the last of many errors only', async () => {
    const { stderr } = await sh('seq 100000 >&2');
    expect(stderr.length).toBe(64 * 1024);
    expect(stderr.endsWith('\n100000\n')).toBe(true);
  });

  it('does not wait for a daemon that holds its output, nor end it', async () => {
    const before = performance.now();
    const { stdout } = await sh('sleep 60 & echo $!');
    expect(performance.now() - before).toBeLessThan(5000);
    const pid = Number(stdout.toString());
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toBe('sleep\x0060\0');
    process.kill(pid, 'SIGKILL');
  });

  it('is out of reach of a Ctrl-C at the terminal: it has a session of its own', async () => {
    const { stdout } = await sh('ps -o sid= -p $$; echo $$');
    const [session, pid] = stdout.toString().trim().split(/\s+/);
    expect(session).toBe(pid);
  });

  it('many at a time', async () => {
    const results = await Promise.all(Array.from({ length: 30 }, (_, i) => sh(`echo ${i}`)));
    expect(results.map(({ stdout }) => Number(stdout.toString()))).toEqual([...results.keys()]);
  });
});

describe('a command whose signal aborts', () => {
  it('is ended with its children, one that ignores TERM after a second', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 200);
    const before = performance.now();
    const line = "trap '' TERM; sleep 60 & wait; sleep 61";
    const result = await sh(line, { signal: stop.signal });
    expect(result).toMatchObject({ code: null, signal: 'SIGKILL', timedOut: false, aborted: true });
    expect(performance.now() - before).toBeLessThan(5000);
  });

  it('does not start afterwards', async () => {
    const result = await sh('touch started', { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ code: null, aborted: true });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that is over is not cut off', async () => {
    const stop = new AbortController();
    const { aborted } = await sh('exit 0', { signal: stop.signal });
    stop.abort();
    expect(aborted).toBe(false);
  });
});

describe('a command at its limit', () => {
  it('of time is ended with its children', async () => {
    const before = performance.now();
    const result = await sh('sleep 60 & sleep 61', { timeoutMs: 200 });
    expect(result).toMatchObject({ code: null, signal: 'SIGTERM', timedOut: true });
    expect(performance.now() - before).toBeLessThan(5000);
  });

  it('of time may still clean up: git takes its locks away', async () => {
    const { code, timedOut, stdout } = await sh(
      "trap 'echo cleaned; exit 5' TERM; sleep 60 & wait",
      {
        timeoutMs: 300,
      },
    );
    expect({ code, timedOut, said: stdout.toString() }).toEqual({
      code: 5,
      timedOut: true,
      said: 'cleaned\n',
    });
  });

  it('of time is killed when it does not listen', async () => {
    const line = "trap '' TERM; (while :; do sleep 0.05; done) & while :; do sleep 0.05; done";
    const result = await sh(line, { timeoutMs: 200 });
    expect(result).toMatchObject({ code: null, signal: 'SIGKILL', timedOut: true });
  });

  it('longer than a timer can be', async () => {
    expect((await sh('sleep 0.1', { timeoutMs: 2 ** 40 })).timedOut).toBe(false);
  });

  it('of output is ended, and throws', async () => {
    const endless = sh('yes', { maxOutputBytes: 100_000 });
    await expect(endless).rejects.toMatchObject({
      name: 'CommandFailure',
      kind: 'too-much-output',
      message: 'sh -c yes printed more than 100000 bytes and was ended.',
    });
  });

  it('of output, reached exactly, is fine', async () => {
    const { stdout } = await sh('head -c 100000 /dev/zero', { maxOutputBytes: 100_000 });
    expect(stdout.length).toBe(100_000);
  });
});

describe('a command that cannot start throws', () => {
  it.each([
    ['not-found', 'no-such-tool', 'no-such-tool was not found in PATH.'],
    ['not-found', './nothing', './nothing does not exist.'],
    ['not-executable', './file', './file may not be executed (chmod +x?).'],
  ])('%s: %s', async (kind, file, message) => {
    writeFileSync(join(folder, 'file'), '');
    await expect(run(file, [])).rejects.toMatchObject({ name: 'CommandFailure', kind, message });
  });

  it('in a folder that is not there', async () => {
    const cwd = join(folder, 'nowhere');
    await expect(run('true', [], { cwd })).rejects.toMatchObject({
      kind: 'spawn-error',
      message: `true was not started: its working folder ${cwd} does not exist.`,
    });
  });

  it('with arguments that the system refuses', async () => {
    await expect(run('true', ['a\0b'])).rejects.toMatchObject({ kind: 'spawn-error' });
    await expect(run('true', ['x'.repeat(200_000)])).rejects.toMatchObject({
      kind: 'spawn-error',
      message: expect.stringContaining('longer than the system allows') as unknown,
    });
  });
});
