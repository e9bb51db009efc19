import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTimeOf } from '../../../src/exec/process-table.ts';
import { endLeft, endNoted, openStepGroups } from '../../../src/exec/step-groups.ts';

const token = 'run/1:a#1';
let folder: string;
let groups: string;
let leader: number;
let child: number;

/** A step whose child has no environment, in the same group; the leader is this process's, so it is no orphan. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'step groups '));
  groups = join(folder, 'groups');
  const script = `env -i sh -c 'echo $$ > child; while :; do date >> lines; sleep 0.1; done' & sleep 60`;
  const options = { cwd: folder, detached: true, stdio: 'ignore' } as const;
  leader = spawn('sh', ['-c', script], options).pid ?? 0;
  while (!existsSync(join(folder, 'lines'))) await sleep(10);
  child = Number(readFileSync(join(folder, 'child'), 'utf8'));
  // So that it is older than what is noted now, in ticks of 10 ms.
  await sleep(50);
});
afterEach(() => {
  for (const pid of [-leader, child])
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone already.
    }
  rmSync(folder, { recursive: true, force: true });
});

function note(): void {
  const noted = openStepGroups(groups);
  noted.note(token, { pid: leader, startTime: startTimeOf(leader) ?? '' });
}

/** As the dead run had written it, but for some of it. */
function falsify(change: Readonly<Record<string, unknown>>): void {
  for (const name of readdirSync(groups)) {
    const path = join(groups, name);
    const said = JSON.parse(readFileSync(path, 'utf8')) as object;
    writeFileSync(path, JSON.stringify({ ...said, ...change }));
  }
}

async function endLeader(): Promise<void> {
  process.kill(leader, 'SIGKILL');
  while (startTimeOf(leader) !== undefined) await sleep(10);
}

/** Nobody may have reaped it yet. */
const lives = (): boolean =>
  startTimeOf(child) !== undefined && !/\) [ZX]/.test(readFileSync(`/proc/${child}/stat`, 'utf8'));

describe.runIf(process.platform === 'linux')('what has shed its environment', () => {
  it('is ended with its leader', async () => {
    note();
    expect((await endNoted(groups, token)).length).toBeGreaterThan(1);
    expect(lives()).toBe(false);
    expect(readdirSync(groups)).toEqual([]);
  });

  it('is ended whatever its token, when who noted it is dead, and only then', async () => {
    note();
    await endLeft(groups);
    expect(lives()).toBe(true);
    falsify({ by: { pid: 2 ** 22 + 1, startTime: '1' } });
    await endLeft(groups);
    expect(lives()).toBe(false);
    expect(readdirSync(groups)).toEqual([]);
  });

  it('is ended once its leader is gone', async () => {
    note();
    await endLeader();
    expect((await endNoted(groups, token)).map(({ pid }) => pid)).toContain(child);
    expect(lives()).toBe(false);
  });

  it.each([
    ['of another start of the machine', { startTime: 'another-boot/1' }],
    ['that began after the run had died', { seen: 1 }],
    ['of another container', { space: 'pid:[1]' }],
    ['of another step', { token: 'other' }],
  ])('is left alone in a group %s', async (_, change) => {
    note();
    falsify(change);
    await endLeader();
    expect(await endNoted(groups, token)).toEqual([]);
    expect(lives()).toBe(true);
  });

  it('is left alone where the number belongs to another leader now', async () => {
    note();
    const boot = (startTimeOf(leader) ?? '').split('/')[0] ?? '';
    falsify({ startTime: `${boot}/1` });
    expect(await endNoted(groups, token)).toEqual([]);
    expect(lives()).toBe(true);
  });

  it('is forgotten with its step', () => {
    const noted = openStepGroups(groups);
    noted.note(token, { pid: leader, startTime: startTimeOf(leader) ?? '' });
    expect(readdirSync(groups)).toHaveLength(1);
    noted.forget(token);
    expect(readdirSync(groups)).toEqual([]);
  });
});
