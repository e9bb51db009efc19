import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { runStep } from '../../../src/exec/run-step.ts';
import type { StepResult, StepSpec } from '../../../src/exec/run-step.ts';

/** A folder and a token for one test. */
export interface StepGround {
  readonly folder: string;
  readonly token: string;
  readonly log: string;
  /** Runs a step here; what the test does not say is ordinary. */
  readonly run: (spec: Partial<StepSpec> & Pick<StepSpec, 'command'>) => Promise<StepResult>;
  /** Fails if a process of the test is alive, and ends it. */
  readonly leave: () => Promise<void>;
}

let count = 0;

export function makeStepGround(): StepGround {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'step ground ')));
  count += 1;
  const token = `test/${process.pid}.${count}`;
  const log = join(folder, 'logs', 'step.log');
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: folder };
  return {
    folder,
    token,
    log,
    run: (spec) => runStep({ cwd: folder, env, token, logPath: log, ...spec }),
    leave: async () => {
      const strays = aliveWith(token);
      for (const pid of strays) process.kill(pid, 'SIGKILL');
      await gone(token);
      rmSync(folder, { recursive: true, force: true });
      expect(strays, 'processes left behind').toEqual([]);
    },
  };
}

/** Looks itself, because what it checks is the product's own look: pids whose environment names the token. */
export function aliveWith(token: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && environmentOf(pid).includes(token));
}

/** Waits for a condition that another process brings about; false when it does not. */
export async function eventually(condition: () => boolean, limitMs = 10_000): Promise<boolean> {
  const end = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > end) return false;
    await sleep(10);
  }
  return true;
}

async function gone(token: string): Promise<void> {
  await eventually(() => aliveWith(token).length === 0);
}

function environmentOf(pid: number): readonly string[] {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
    const entry = entries.find((text) => text.startsWith('SKELETON_STEP=')) ?? '';
    return entry.slice('SKELETON_STEP='.length).split(',');
  } catch {
    return [];
  }
}
