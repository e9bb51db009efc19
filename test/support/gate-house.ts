import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Config } from '../../src/core/config.ts';
import { openGates, type GatesOptions } from '../../src/gate/gates.ts';
import type { Gate, GateJob, GateRun, Gates } from '../../src/ports.ts';
import { aPlan, aTask } from './plans.ts';

/** A folder that stands for a repository, and one for the package: what gates need of both. */
export interface GateHouse {
  readonly top: string;
  readonly packageRoot: string;
  readonly commonDir: string;
  readonly logFolder: string;
  /** Relative to the top; 0o755 unless it says otherwise. */
  readonly write: (path: string, text: string | Uint8Array, mode?: number) => void;
  readonly open: (config?: Config, more?: Partial<GatesOptions>) => Gates;
  readonly remove: () => void;
}

export function aGateHouse(): GateHouse {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'gate house ')));
  const top = join(root, 'the repo');
  const packageRoot = join(root, 'package');
  const commonDir = join(top, '.git');
  const logFolder = join(commonDir, 'skeleton', 'logs', 'r', 't', '1');
  for (const folder of [top, join(packageRoot, 'gates'), commonDir])
    mkdirSync(folder, { recursive: true });
  const env = { PATH: process.env['PATH'], HOME: root };
  return {
    top,
    packageRoot,
    commonDir,
    logFolder,
    write: (path, text, mode = 0o755) => {
      mkdirSync(dirname(join(top, path)), { recursive: true });
      writeFileSync(join(top, path), text, { mode });
    },
    open: (config = {}, more = {}) =>
      openGates({ top, commonDir, packageRoot, env, config, ...more }),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

export const plan = aPlan([aTask('one')]);

/** What an attempt at the task `one` asks of its gates. */
export function aGateJob(
  house: GateHouse,
  gates: readonly Gate[],
  more: Partial<GateJob> = {},
): GateJob {
  return {
    gates,
    tree: 'tree',
    changed: [{ path: 'src/a.ts', status: 'M' }],
    run: 'r',
    plan: 'PLAN.md',
    task: { id: 'one', title: 'Make one' },
    attempt: { attempt: 2, attempts: 5, base: 'c0ffee' },
    token: randomUUID(),
    logFolder: house.logFolder,
    failFast: false,
    signal: new AbortController().signal,
    onResult: () => Promise.resolve(),
    onStart: () => undefined,
    ...more,
  };
}

/** Finds and runs the gates of a house with one configuration. */
export async function runGatesOf(
  house: GateHouse,
  config: Config = {},
  more: Partial<GateJob> = {},
): Promise<GateRun> {
  const gates = house.open(config);
  return gates.run(aGateJob(house, await gates.find(plan, plan.tasks[0]), more));
}
