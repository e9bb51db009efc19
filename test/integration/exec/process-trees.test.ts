import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endProcesses, findByToken } from '../../../src/exec/end-processes.ts';
import { startTimeOf } from '../../../src/exec/process-table.ts';
import { compileRoom } from './compiled-room.ts';
import { aliveWith, eventually, makeStepGround } from './step-ground.ts';
import type { StepGround } from './step-ground.ts';

let ground: StepGround;
const started: number[] = [];
beforeEach(() => {
  ground = makeStepGround();
});
afterEach(async () => {
  for (const pid of started.splice(0)) killGroup(pid);
  await ground.leave();
});

/** A shell loop that nothing but KILL ends. */
const stubborn = "trap '' TERM HUP INT; while :; do sleep 0.05; done";
const inBackground = (line: string): string => `sh -c ${quoted(line)} & `;
const inOwnSession = (line: string): string => `setsid sh -c ${quoted(line)} & `;
const twiceForked = (line: string): string => `(setsid sh -c ${quoted(line)} &) ; `;
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Starts a process beside us, as one that a dead run has left, and gives its pid. */
function start(line: string, env: Readonly<Record<string, string>>): number {
  const child = spawn('/bin/sh', ['-c', line], {
    detached: true,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: 'ignore',
  });
  if (child.pid === undefined) throw new Error('sh did not start');
  started.push(child.pid);
  return child.pid;
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The test has ended it.
  }
}

function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

describe('a step that ends and leaves', () => {
  it.each([
    ['a background process', 'sleep 60 & '],
    ['a pipeline', 'sleep 60 | sleep 61 & '],
    ['one under nohup', 'nohup sleep 60 & '],
    ['one in a session of its own', 'setsid sleep 60 & '],
    ['a daemon, forked twice', '(setsid sleep 60 &) ; '],
    ['one in a group of its own', "setsid -w sh -mc 'sleep 60 & :' ; "],
    ['one with an empty environment', 'env -i sleep 60 & '],
    ['one that closed its output', 'sleep 60 >/dev/null 2>&1 </dev/null & '],
    ['a stopped one', "sh -c 'kill -STOP $$; :' & "],
  ])('%s: it is ended and named', async (_, leave) => {
    const { end, leftovers } = await ground.run({ command: `${leave}sleep 0.2; exit 0` });
    expect(end).toEqual({ kind: 'exit', code: 0 });
    expect(aliveWith(ground.token)).toEqual([]);
    expect(leftovers.length).toBeGreaterThanOrEqual(1);
    for (const { pid, command } of leftovers) {
      expect(isAlive(pid)).toBe(false);
      expect(command).toMatch(/sleep|kill/);
    }
  });

  it.each([
    ['in its group', inBackground(stubborn)],
    ['in a session of its own', inOwnSession(stubborn)],
    ['as a daemon', twiceForked(stubborn)],
  ])('one that ignores TERM, %s: it is killed after the grace', async (_, leave) => {
    const before = performance.now();
    const { end, leftovers } = await ground.run({
      command: `${leave}sleep 0.2; exit 0`,
      graceMs: 400,
    });
    expect(end).toEqual({ kind: 'exit', code: 0 });
    expect(performance.now() - before).toBeGreaterThan(400);
    expect(leftovers.some(({ by }) => by === 'kill')).toBe(true);
    expect(leftovers.every(({ by }) => by !== 'nothing')).toBe(true);
  });

  it('one that goes by itself at once: nothing is reported', async () => {
    // As a service does that lives as long as its standard input is open.
    const { leftovers } = await ground.run({ command: 'sh -c "exec sleep 0.03" & exit 0' });
    expect(leftovers).toEqual([]);
  });

  it('many at once', async () => {
    const command = 'for i in $(seq 40); do setsid sleep 60 & sleep 61 & done; exit 0';
    const { leftovers } = await ground.run({ command });
    expect(leftovers.length).toBeGreaterThan(60);
  });

  it.each([
    ['one that flees from session to session', ':'],
    ['one that flees and ignores TERM', "trap '' TERM"],
  ])('%s: it is met and ended', async (_, preparation) => {
    const flee = join(ground.folder, 'flee');
    writeFileSync(flee, `#!/bin/sh\n${preparation}\nsetsid "$0" &\nexit 0\n`, { mode: 0o755 });
    const { end, leftovers } = await ground.run({
      command: { file: flee, args: [] },
      graceMs: 100,
    });
    expect(end).toEqual({ kind: 'exit', code: 0 });
    expect(leftovers.every(({ by }) => by !== 'nothing')).toBe(true);
    await sleep(300);
    expect(aliveWith(ground.token)).toEqual([]);
  });
});

describe('a step at its limit', () => {
  it('takes every kind of child with it', async () => {
    const command = [inBackground, inOwnSession, twiceForked].map((how) => how(stubborn)).join('');
    const { end, leftovers } = await ground.run({
      command: `${command} sleep 60`,
      timeoutMs: 500,
      graceMs: 300,
    });
    expect(end.kind).toBe('timeout');
    expect(leftovers.filter(({ by }) => by === 'kill').length).toBeGreaterThanOrEqual(3);
    expect(aliveWith(ground.token)).toEqual([]);
  });

  it('takes a child that shed group and environment, while its parent lives', async () => {
    const file = join(ground.folder, 'pid');
    const command = `setsid env -i sh -c 'echo $$ >pid; sleep 60; :' & wait`;
    await ground.run({ command, timeoutMs: 500 });
    expect(isAlive(Number(readFileSync(file, 'utf8')))).toBe(false);
  });

  it('does not touch its neighbours', async () => {
    const neighbour = start('exec sleep 60', { SKELETON_STEP: `${ground.token}0` });
    const other = start('exec sleep 60', {
      NOT_SKELETON_STEP: ground.token,
      X: `SKELETON_STEP=${ground.token}`,
    });
    await ground.run({ command: 'sleep 60', timeoutMs: 100 });
    expect([neighbour, other].map(isAlive)).toEqual([true, true]);
  });
});

describe('recovery: what a dead run has left', () => {
  it('is found by its token, also behind an outer one, and ended', async () => {
    const inner = start('exec sleep 60', { SKELETON_STEP: `outer/1,${ground.token}` });
    const own = start('exec sleep 61', { SKELETON_STEP: ground.token });
    await eventually(() => aliveWith(ground.token).length === 2);
    expect(
      findByToken(ground.token)
        .map(({ pid }) => pid)
        .sort(),
    ).toEqual([inner, own].sort());
    const ended = await endProcesses({ token: ground.token });
    expect(ended.map(({ pid, by }) => [pid, by]).sort()).toEqual(
      [
        [inner, 'term'],
        [own, 'term'],
      ].sort(),
    );
    expect(findByToken(ground.token)).toEqual([]);
  });

  it('its group too, when the start time matches', async () => {
    const leader = start('sleep 60 & sleep 61', {});
    const group = { pid: leader, startTime: startTimeOf(leader) ?? '' };
    const ended = await endProcesses({ token: ground.token, group });
    expect(ended.map(({ pid }) => pid)).toContain(leader);
    expect(isAlive(leader)).toBe(false);
  });

  it.each([
    ['began at another time', (time: string) => `${time}0`],
    ['belongs to another boot', (time: string) => `0000${time.slice(4)}`],
  ])('but not a group whose pid %s', async (_, forge) => {
    const stranger = start('exec sleep 60', {});
    const group = { pid: stranger, startTime: forge(startTimeOf(stranger) ?? '') };
    expect(await endProcesses({ token: ground.token, group })).toEqual([]);
    expect(isAlive(stranger)).toBe(true);
  });

  it('nothing is left: nothing happens, at once', async () => {
    const group = { pid: 2 ** 22 + 1, startTime: 'x/1' };
    expect(await endProcesses({ token: ground.token, group })).toEqual([]);
  });

  it('never ends the one who asks, nor his parents, though they carry the token', async () => {
    const room = await compileRoom();
    const script = join(import.meta.dirname, 'fixtures', 'end-own-token.mjs');
    const result = join(ground.folder, 'result');
    const ask = `'${process.execPath}' '${script}' '${room.folder}' '${ground.token}'`;
    const asks = start(
      `sleep 60 & ${ask} >'${result}.part'; mv '${result}.part' '${result}'; sleep 60`,
      {
        SKELETON_STEP: ground.token,
      },
    );
    expect(await eventually(() => existsSync(result))).toBe(true);
    room.remove();
    const said: unknown = JSON.parse(readFileSync(result, 'utf8'));
    expect(said).toMatchObject({ ended: [{ command: 'sleep 60', by: 'term' }] });
    expect(said).toMatchObject({ found: [{ command: 'sleep 60' }] });
    expect(isAlive(asks)).toBe(true);
    expect((await endProcesses({ token: ground.token })).length).toBeGreaterThanOrEqual(1);
    expect(isAlive(asks)).toBe(false);
  });

  it('a grace of 0 kills at once', async () => {
    start(stubborn, { SKELETON_STEP: ground.token });
    await eventually(() => aliveWith(ground.token).length > 1);
    const before = performance.now();
    const ended = await endProcesses({ token: ground.token }, 0);
    expect(ended.every(({ by }) => by === 'kill')).toBe(true);
    expect(performance.now() - before).toBeLessThan(4500);
  });

  it('refuses a token that could match anything', async () => {
    await expect(endProcesses({ token: '' })).rejects.toThrow(TypeError);
    expect(() => findByToken('a,b')).toThrow(TypeError);
  });

  it('waits for nobody else: a zombie counts as gone', async () => {
    // The last command of the shell has become its parent, and never waits for it.
    const line = `env SKELETON_STEP='${ground.token}' true & exec sleep 60`;
    const parent = start(line, {});
    expect(await eventually(() => hasZombie(parent))).toBe(true);
    const before = performance.now();
    const group = { pid: parent, startTime: startTimeOf(parent) ?? '' };
    expect(await endProcesses({ token: ground.token, group })).toMatchObject([{ pid: parent }]);
    expect(performance.now() - before).toBeLessThan(4500);
  });
});

function hasZombie(parent: number): boolean {
  return readdirSync('/proc').some((name) => {
    try {
      return readFileSync(`/proc/${name}/stat`, 'latin1').includes(`) Z ${parent} `);
    } catch {
      return false;
    }
  });
}
