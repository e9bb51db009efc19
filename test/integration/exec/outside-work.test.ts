import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchOutside } from '../../../src/exec/outside-work.ts';
import { makeStepGround } from './step-ground.ts';
import type { StepGround } from './step-ground.ts';

let ground: StepGround;
beforeEach(() => {
  ground = makeStepGround();
});
afterEach(() => ground.leave());

const forever = new AbortController().signal;

function install(program: string, script: string): void {
  const bin = join(ground.folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const count = `echo "$@" >>'${join(ground.folder, program)}.calls'\n`;
  writeFileSync(join(bin, program), `#!/bin/sh\n${count}${script}`, { mode: 0o755 });
}

/** Nothing of this machine's own: only what a test installs. */
const environment = (more: Readonly<Record<string, string>> = {}) => {
  return { PATH: join(ground.folder, 'bin'), SKELETON_STEP: ground.token, ...more };
};

const callsOf = (program: string): readonly string[] => {
  const file = join(ground.folder, `${program}.calls`);
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};

describe('what runs outside of every process tree', () => {
  it('nothing, where no runtime is installed', async () => {
    expect(await watchOutside(environment())(forever)).toEqual([]);
  });

  it('containers, once each, though Podman goes by the name of Docker too', async () => {
    install('docker', 'echo "0123456789abcdef db"; echo "fedcba9876543210 "');
    install('podman', 'echo "0123456789abcdef db"');
    const look = watchOutside(environment());
    const db = { what: 'container', id: '0123456789abcdef', name: 'db' };
    expect(await look(forever)).toEqual([
      { ...db, end: 'podman stop db' },
      {
        what: 'container',
        id: 'fedcba9876543210',
        name: 'fedcba987654',
        end: 'docker stop fedcba987654',
      },
    ]);
    expect(callsOf('docker')).toEqual(['ps --no-trunc --format {{.ID}} {{.Names}}']);
  });

  it("units of the user's own systemd, but those of the desktop", async () => {
    const row = (unit: string): string => `echo '${unit} loaded active running Some words'`;
    const rows = ['run-r1.service', 'app-gnome-firefox-1.scope', 'dbus.service', 'init.scope'];
    install('systemctl', rows.map(row).join('\n'));
    mkdirSync(join(ground.folder, 'systemd'));
    const look = watchOutside(environment({ XDG_RUNTIME_DIR: ground.folder }));
    expect((await look(forever)).map(({ name }) => name)).toEqual([
      'run-r1.service',
      'dbus.service',
    ]);
    expect(await watchOutside(environment())(forever)).toEqual([]);
    expect(callsOf('systemctl')).toHaveLength(1);
  });

  it('a runtime that fails is asked once', async () => {
    install('docker', 'echo "Cannot connect to the Docker daemon" >&2; exit 1');
    const look = watchOutside(environment());
    expect([await look(forever), await look(forever)]).toEqual([[], []]);
    expect(callsOf('docker')).toHaveLength(1);
  });

  it('a runtime that does not answer costs 2 s, once', async () => {
    install('docker', 'exec /bin/sleep 60');
    const look = watchOutside(environment());
    const begun = performance.now();
    expect([await look(forever), await look(forever)]).toEqual([[], []]);
    expect(callsOf('docker')).toHaveLength(1);
    expect(performance.now() - begun).toBeGreaterThan(1900);
    expect(performance.now() - begun).toBeLessThan(30_000);
  });

  it('a stop ends the look', async () => {
    install('docker', 'exec /bin/sleep 60');
    const begun = performance.now();
    expect(await watchOutside(environment())(AbortSignal.timeout(100))).toEqual([]);
    expect(performance.now() - begun).toBeLessThan(1900);
  });
});
