import { rmSync } from 'node:fs';
import { toPath } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { syncFiles } from './objects.ts';
import { readRegular, writeWhole } from './raw-files.ts';
import type { Repository } from './located-repository.ts';

/** A tree switch that is under way, so that the next command can finish it. */
export interface MoveRecord {
  readonly version: 1;
  readonly plan: string;
  readonly from: string;
  readonly to: string;
  /** `branch`: this branch moves; `head`: HEAD goes to this branch. */
  readonly kind: 'branch' | 'head';
  readonly branch: ByteName;
  /** Number of its folder in quarantine. */
  readonly number: number;
}

function recordPath({ state }: Repository): ByteName {
  return `${state}/move`;
}

export async function writeMove(repository: Repository, record: MoveRecord): Promise<void> {
  const path = recordPath(repository);
  writeWhole(path, Buffer.from(JSON.stringify(record)), 0o600);
  await syncFiles([path, repository.state]);
}

export function readMove(repository: Repository): MoveRecord | undefined {
  const text = readRegular(recordPath(repository))?.toString('utf8');
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as MoveRecord;
  } catch {
    // Cut off while it was written: then nothing had been touched yet.
    return undefined;
  }
}

export function forgetMove(repository: Repository): void {
  rmSync(toPath(recordPath(repository)), { force: true });
}
