import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTimeOf } from '../../../src/exec/process-table.ts';
import { aliveWith, makeStepGround } from './step-ground.ts';
import type { StepGround } from './step-ground.ts';

let ground: StepGround;
beforeEach(() => {
  ground = makeStepGround();
});
afterEach(() => ground.leave());

function writeScript(name: string, text: string, mode = 0o755): string {
  const path = join(ground.folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

describe('by itself', () => {
  it.each([0, 1, 75, 126, 127, 255])('with status %d', async (code) => {
    const { end, leftovers } = await ground.run({ command: `exit ${code}` });
    expect(end).toEqual({ kind: 'exit', code });
    expect(leftovers).toEqual([]);
  });

  it.each(['KILL', 'TERM', 'SEGV'])('by SIG%s', async (name) => {
    const { end } = await ground.run({ command: `kill -${name} $$` });
    expect(end).toEqual({ kind: 'signal', signal: `SIG${name}` });
  });

  it('measures its own time, not that of our bookkeeping', async () => {
    const { durationMs } = await ground.run({ command: 'sleep 0.2; (sleep 5 & exit 0)' });
    expect(durationMs).toBeGreaterThan(195);
    expect(durationMs).toBeLessThan(4000);
  });

  it('tells pid and start time while it is surely there', async () => {
    const seen: (string | undefined)[] = [];
    const onSpawn = ({ pid, startTime }: { pid: number; startTime: string }): void => {
      seen.push(String(pid), startTime, startTimeOf(pid));
    };
    const { head } = await ground.run({ command: 'echo $$', onSpawn });
    expect(seen[0]).toBe(head.trim());
    expect(seen[1]).toMatch(/^[0-9a-f-]{36}\/\d+$/);
    expect(seen[2]).toBe(seen[1]);
  });

  it('has the environment it was given, nothing else, and the token', async () => {
    const env = { PATH: process.env['PATH'] ?? '', ODD: 'a=b\nc ü' };
    const { head } = await ground.run({ command: { file: 'env', args: ['-0'] }, env });
    expect(new Set(head.split('\0').slice(0, -1))).toEqual(
      new Set([`PATH=${env.PATH}`, `ODD=${env.ODD}`, `SKELETON_STEP=${ground.token}`]),
    );
  });

  it('adds its token to that of a step that we are part of ourselves', async () => {
    process.env['SKELETON_STEP'] = 'outer/1';
    try {
      const { head } = await ground.run({ command: 'echo $SKELETON_STEP' });
      expect(head).toBe(`outer/1,${ground.token}\n`);
    } finally {
      delete process.env['SKELETON_STEP'];
    }
  });

  it('inherits no descriptor of ours but its three', async () => {
    // What Node itself was started with is not ours to close: count only what Node opened.
    const { head } = await ground.run({ command: 'ls -l /proc/self/fd', input: 'x' });
    const targets = [...head.matchAll(/ (\d+) -> (.*)/g)].map((match) => match[2] ?? '');
    expect(
      targets.filter((target) => target.includes('socket') || target.includes('step.log')),
    ).toEqual([]);
  });
});

describe('arguments', () => {
  it('reach the program as they are', async () => {
    const args = ['-n', '--', '-x', "it's", 'a b', '$HOME', '', 'ü\n'];
    const file = writeScript('show', '#!/bin/sh\nprintf "[%s]" "$@"\n');
    const { head } = await ground.run({ command: { file, args } });
    expect(head).toBe(args.map((arg) => `[${arg}]`).join(''));
  });

  it('may begin with a dash in a shell line too', async () => {
    const { end, head } = await ground.run({ command: '-v' });
    expect(end).toEqual({ kind: 'exit', code: 127 });
    expect(head).toContain('-v');
  });
});

describe('before it has begun', () => {
  const cannotStart = async (file: string, cwd = ground.folder): Promise<unknown> =>
    (await ground.run({ command: { file, args: [] }, cwd })).end;

  it('program not in PATH', async () => {
    expect(await cannotStart('no-such-program')).toEqual({
      kind: 'not-found',
      message: 'no-such-program was not found in PATH.',
    });
  });

  it('path that does not exist', async () => {
    expect(await cannotStart('./gates/nothing')).toEqual({
      kind: 'not-found',
      message: './gates/nothing does not exist.',
    });
  });

  it('interpreter that does not exist', async () => {
    writeScript('gate', '#!/no/such/python3 -u\n');
    expect(await cannotStart('./gate')).toEqual({
      kind: 'not-found',
      message: './gate names an interpreter that was not found: #!/no/such/python3 -u.',
    });
  });

  it('interpreter line with CR LF', async () => {
    writeScript('gate', '#!/bin/sh\r\nexit 0\r\n');
    expect(await cannotStart('./gate')).toEqual({
      kind: 'not-found',
      message:
        './gate names an interpreter that was not found: #!/bin/sh, because the line ends in CR LF.',
    });
  });

  it('file that is not executable', async () => {
    writeScript('gate', '#!/bin/sh\n', 0o644);
    expect(await cannotStart('./gate')).toEqual({
      kind: 'not-executable',
      message: './gate may not be executed (chmod +x?).',
    });
  });

  it('folder instead of a program', async () => {
    mkdirSync(join(ground.folder, 'gate'));
    expect(await cannotStart('./gate')).toMatchObject({ kind: 'not-executable' });
  });

  it('working folder that does not exist, or is a file', async () => {
    const missing = join(ground.folder, 'nowhere');
    expect(await cannotStart('true', missing)).toEqual({
      kind: 'spawn-error',
      message: `true was not started: its working folder ${missing} does not exist.`,
    });
    const file = writeScript('file', '');
    expect(await cannotStart('true', file)).toEqual({
      kind: 'spawn-error',
      message: `true was not started: its working folder ${file} is not a folder.`,
    });
  });

  it('more arguments than the system takes', async () => {
    const args = ['x'.repeat(200 * 1024)];
    const { end } = await ground.run({ command: { file: 'true', args } });
    expect(end).toMatchObject({ kind: 'spawn-error' });
    expect(JSON.stringify(end).length).toBeLessThan(300);
  });

  it('NUL in an argument', async () => {
    const { end } = await ground.run({ command: { file: 'true', args: ['a\0b'] } });
    expect(end).toMatchObject({ kind: 'spawn-error' });
  });

  it('malformed token: throws, and writes nothing', async () => {
    await expect(ground.run({ command: 'true', token: 'a b' })).rejects.toThrow(TypeError);
    expect(existsSync(ground.log)).toBe(false);
  });

  it.runIf(process.platform === 'linux')('script without #! runs as from a shell', async () => {
    const file = writeScript('gate', 'echo "ran with $1"; exit 3\n');
    const { end, head } = await ground.run({ command: { file, args: ['-x'] } });
    expect(end).toEqual({ kind: 'exit', code: 3 });
    expect(head).toBe('ran with -x\n');
  });
});

describe('at a limit', () => {
  it('of time, which includes all its processes', async () => {
    const { end, durationMs, leftovers } = await ground.run({
      command: 'sleep 60 & sleep 61 | sleep 62',
      timeoutMs: 200,
    });
    expect(end).toEqual({ kind: 'timeout', afterMs: 200 });
    expect(durationMs).toBeGreaterThan(150);
    expect(durationMs).toBeLessThan(30_000);
    expect(leftovers).toEqual([]);
  });

  it('of time that has passed before it starts', async () => {
    const { end } = await ground.run({ command: 'sleep 60', timeoutMs: 0 });
    expect(end).toEqual({ kind: 'timeout', afterMs: 0 });
  });

  it('gives it the grace to clean up', async () => {
    const command = "trap 'sleep 0.3; echo cleaned; exit 0' TERM; echo ready; sleep 60 & wait";
    const { end, head } = await ground.run({ command, timeoutMs: 300, graceMs: 8000 });
    expect(end.kind).toBe('timeout');
    expect(head).toMatch(/^ready\n(Terminated\n)?cleaned\n$/);
  });

  it('kills what ignores TERM', async () => {
    const command = "trap '' TERM; while :; do sleep 0.05; done";
    const { end, leftovers, durationMs } = await ground.run({
      command,
      timeoutMs: 300,
      graceMs: 300,
    });
    expect(end.kind).toBe('timeout');
    expect(leftovers.map(({ by }) => by)).toContain('kill');
    expect(durationMs).toBeGreaterThan(500);
  });

  it('of silence, which output of either kind ends', async () => {
    const talk = 'for i in 1 2 3 4; do sleep 0.25; echo out; sleep 0.25; echo err >&2; done';
    const { end, head } = await ground.run({ command: `${talk}; sleep 60`, idleTimeoutMs: 1500 });
    expect(end).toEqual({ kind: 'idle', afterMs: 1500 });
    expect(head).toBe('out\nerr\n'.repeat(4));
  });

  it('longer than a timer can be', async () => {
    const forever = 2 ** 31 + 1000;
    const { end } = await ground.run({
      command: 'sleep 0.2',
      timeoutMs: forever,
      idleTimeoutMs: forever * 1000,
    });
    expect(end).toEqual({ kind: 'exit', code: 0 });
  });
});

describe('by an abort', () => {
  it('before it started: it never does', async () => {
    const marker = join(ground.folder, 'ran');
    const command = { file: 'touch', args: [marker] };
    const { end, durationMs } = await ground.run({ command, signal: AbortSignal.abort() });
    expect(end).toEqual({ kind: 'aborted' });
    expect(durationMs).toBe(0);
    expect(existsSync(marker)).toBe(false);
  });

  it('between the call and the start', async () => {
    const controller = new AbortController();
    const running = ground.run({ command: 'sleep 60', signal: controller.signal });
    controller.abort();
    expect((await running).end).toEqual({ kind: 'aborted' });
  });

  it('at the moment of the start', async () => {
    const controller = new AbortController();
    const { end } = await ground.run({
      command: 'sleep 60',
      signal: controller.signal,
      onSpawn: () => controller.abort(),
    });
    expect(end).toEqual({ kind: 'aborted' });
  });

  it('while it runs', async () => {
    const controller = new AbortController();
    const running = ground.run({
      command: 'echo on; sleep 60 & wait',
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    expect((await running).end).toEqual({ kind: 'aborted' });
  });

  it('during the grace after a limit: the limit stays the reason', async () => {
    const controller = new AbortController();
    const running = ground.run({
      command: "trap '' TERM; while :; do sleep 0.05; done",
      timeoutMs: 100,
      graceMs: 500,
      signal: controller.signal,
    });
    await sleep(350);
    controller.abort();
    expect((await running).end).toEqual({ kind: 'timeout', afterMs: 100 });
  });

  it('after its own exit, while what it left is ended: the exit stays', async () => {
    const controller = new AbortController();
    const command = "(trap '' TERM; while :; do sleep 0.05; done) & sleep 0.1; exit 7";
    const running = ground.run({ command, graceMs: 600, signal: controller.signal });
    await sleep(500);
    controller.abort();
    expect((await running).end).toEqual({ kind: 'exit', code: 7 });
  });

  it('leaves no listener behind', async () => {
    const controller = new AbortController();
    for (let i = 0; i < 12; i += 1) {
      await ground.run({ command: 'true', signal: controller.signal });
    }
    controller.abort();
    expect((await ground.run({ command: 'true' })).end).toEqual({ kind: 'exit', code: 0 });
  });
});

describe('by a fault in a callback', () => {
  it.each(['onSpawn', 'onOutput'] as const)('%s: ends the step, then throws', async (name) => {
    const fault = new Error('our own bug');
    const running = ground.run({
      command: 'echo on; sleep 60',
      [name]: () => {
        throw fault;
      },
    });
    await expect(running).rejects.toBe(fault);
    expect(aliveWith(ground.token)).toEqual([]);
  });
});
