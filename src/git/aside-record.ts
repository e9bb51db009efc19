import { rmSync } from 'node:fs';
import type { ByteName } from './byte-name.ts';
import { toPath } from './byte-name.ts';
import { syncFiles } from './objects.ts';
import { readRegular, writeWhole } from './raw-files.ts';
import type { Repository } from './located-repository.ts';

type Modes = readonly (readonly [path: ByteName, mode: number])[];

/** Work that is set aside, durably: enough for another process to put it back after a crash. What the files held is in the commit. */
export interface AsideRecord {
  readonly version: 1;
  readonly plan: string;
  readonly number: number;
  readonly ref: ByteName;
  /** Its first parent is where HEAD stood, its second holds the index. */
  readonly commit: string;
  readonly index: string;
  readonly head: string;
  /** Of the files, and of the folders above them: git keeps one bit of a mode. */
  readonly modes: Modes;
  /** Folders that held no file. */
  readonly bareFolders: Modes;
  /** Folders, upper ones first, that had to make way for a file. */
  readonly buried: Modes;
  /** Files whose bytes a checkout would not give back; they lie in quarantine. */
  readonly raw: readonly ByteName[];
  readonly announced: readonly ByteName[];
}

function recordPath({ state }: Repository): ByteName {
  return `${state}/aside`;
}

export async function writeAside(repository: Repository, record: AsideRecord): Promise<void> {
  const path = recordPath(repository);
  writeWhole(path, Buffer.from(JSON.stringify(record)), 0o600);
  await syncFiles([path, repository.state, `${repository.commonDir}/${record.ref}`]);
}

/** Undefined where nothing is set aside. */
export function readAside(repository: Repository): AsideRecord | undefined {
  const text = readRegular(recordPath(repository))?.toString('utf8');
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as AsideRecord;
  } catch {
    // Cut off while it was written: then nothing had been touched yet.
    return undefined;
  }
}

export function forgetAside(repository: Repository): void {
  rmSync(toPath(recordPath(repository)), { force: true });
}
