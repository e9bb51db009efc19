import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compileRoom } from './compiled-room.ts';
import type { CompiledRoom } from './compiled-room.ts';
import { aliveWith, eventually, makeStepGround } from './step-ground.ts';
import type { StepGround } from './step-ground.ts';

let room: CompiledRoom;
let ground: StepGround;
beforeAll(async () => {
  room = await compileRoom();
});
afterAll(() => room.remove());
beforeEach(() => {
  ground = makeStepGround();
});
afterEach(() => ground.leave());

/** As the real one: it runs the command, and holds the lock until that has ended. */
const holding = `while [ "\${1#--}" != "$1" ]; do shift; done\n"$@"\n`;

/** A program that keeps the machine awake, with a systemd-inhibit that does this. */
function start(how: 'close' | 'end' | 'stay', inhibit: string, env = {}): ChildProcess {
  const asked = join(ground.folder, 'asked');
  const file = join(ground.folder, 'systemd-inhibit');
  writeFileSync(file, `#!/bin/sh\necho "$@" >>'${asked}'\n${inhibit}`, { mode: 0o755 });
  const script = join(import.meta.dirname, 'fixtures', 'keeping-awake.mjs');
  const path = `${ground.folder}:${process.env['PATH'] ?? ''}`;
  return spawn(process.execPath, [script, room.folder, how], {
    env: { ...process.env, PATH: path, SKELETON_STEP: ground.token, CI: '', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

const asked = (): string => {
  const file = join(ground.folder, 'asked');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};
const allGone = (): Promise<boolean> =>
  eventually(() => aliveWith(ground.token).length === 0, 2000);

describe.runIf(process.platform === 'linux')('the machine is kept awake', () => {
  it('by a lock on idling and sleep, held as long as we live; a kill -9 ends it too', async () => {
    const program = start('stay', holding);
    expect(await eventually(() => asked() !== '')).toBe(true);
    expect(asked()).toBe(
      '--what=idle:sleep --who=skeleton --why=a run is going on --mode=block cat\n',
    );
    expect(await eventually(() => aliveWith(ground.token).length > 2)).toBe(true);
    program.kill('SIGKILL');
    await once(program, 'exit');
    expect(await allGone()).toBe(true);
  });

  it.each([
    ['closed', 'close', holding],
    ['not closed', 'end', holding],
    [
      'not closed, and the program ignores both its input and TERM',
      'end',
      "trap '' TERM\nsleep 60",
    ],
    ['closed, and the program fails at once', 'close', 'exit 1'],
  ] as const)('%s: we exit at once, and nothing is left', async (_, how, inhibit) => {
    const program = start(how, inhibit);
    expect(await once(program, 'exit')).toEqual([0, null]);
    expect(await allGone()).toBe(true);
  });

  it('where it fails at once, no process stays for it', async () => {
    const program = start('stay', 'exit 1');
    expect(await eventually(() => asked() !== '')).toBe(true);
    expect(await eventually(() => aliveWith(ground.token).length === 1, 2000)).toBe(true);
    program.kill('SIGKILL');
    await once(program, 'exit');
  });

  it('but not in CI', async () => {
    const program = start('end', holding, { CI: 'true' });
    await once(program, 'exit');
    expect(asked()).toBe('');
  });
});
