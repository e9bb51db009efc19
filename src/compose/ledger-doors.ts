/** The ledger's part of the composition: which one it is, the repository's own file or one that machines share, is decided here alone. */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { ledgerPlace, ledgerVariable, understood, type SharedPlace } from '../core/ledger-place.ts';
import { clock } from '../exec/system-clock.ts';
import { readUserConfig } from '../exec/user-config.ts';
import type { Repository } from '../git/located-repository.ts';
import {
  Refusal,
  type Claims,
  type Ledger,
  type LedgerLook,
  type LedgerStore,
  type Locks,
} from '../ports.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A shared ledger as one worker has it: a claim, and what is written under it, stand and fall with one session. */
export interface Team {
  readonly ledger: Ledger;
  readonly claims: Claims;
  readonly close: () => Promise<void>;
}

/** An address, or the path of a file. */
export type StorePlace = { readonly url: string } | { readonly path: string };

export interface LedgerDoors {
  /** Absolute: `skeleton/` in the common git directory. */
  readonly stateFolder: string;
  /** Where the ledger is that several machines write; undefined: it is this repository's own file. */
  readonly shared: SharedPlace | undefined;
  /** Opened for writing; made where there is none. */
  readonly ledger: () => Promise<Ledger>;
  /** Opened for reading only; undefined where there is none yet. */
  readonly history: () => Promise<Ledger | undefined>;
  /** Only where it is shared. */
  readonly team: (run: string) => Promise<Team>;
  /** The same, only looked at; undefined where it is not shared. */
  readonly look: () => Promise<LedgerLook | undefined>;
  /** Any ledger, as a whole; `readOnly`: none reads as an empty one, and is not made. */
  readonly store: (place: StorePlace, readOnly: boolean) => Promise<LedgerStore>;
  /** Whether there is a ledger's file, whatever is in it; one that is shared is always there. */
  readonly hasLedger: () => boolean;
  /** Moves a ledger that cannot be trusted out of the way, nothing of it lost; gives its new path. */
  readonly keepLedgerAside: () => Promise<string>;
  readonly locks: () => Promise<Locks>;
  /** Sets aside what stands in the place of our own folders and locks; one line about it, undefined where that is nothing. */
  readonly setOddAside: () => Promise<string | undefined>;
}

/**
 * The environment with SKELETON_LEDGER in it, where only the user's own file says where the ledger is (`ledger:` in config.yml).
 * Throws Refusal(2) where that file cannot be read as far: whoever wrote it there does not want the history elsewhere.
 */
export async function settleLedger(env: Environment): Promise<Environment> {
  if ((env[ledgerVariable] ?? '') !== '') return env;
  const file = readUserConfig(env);
  if (file === undefined || !/\bledger["']?\s*:/.test(textOf(file.bytes))) return env;
  const { readProjectConfig } = await import('../core/config.ts');
  const { config, problems } = readProjectConfig(file.bytes, file.path);
  if (config.ledger !== undefined) return { ...env, [ledgerVariable]: config.ledger };
  if (problems.length === 0) return env;
  const lines = problems.map(({ line, message }) => `${file.path}:${line}: ${message}`);
  throw new Refusal(2, lines.join('\n'), 'mend the file; then the same command again');
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Where a settled environment has the ledger, if that is shared. Throws Refusal(2) for what is no place of one. */
export function sharedIn(env: Environment): SharedPlace | undefined {
  const place = ledgerPlace(env[ledgerVariable]);
  if (place.kind === 'wrong')
    throw new Refusal(2, `--ledger or ${ledgerVariable}: ${place.why}`, `it is ${understood}`);
  return place.kind === 'shared' ? place : undefined;
}

interface LedgerGround {
  readonly stateFolder: string;
  readonly shared: SharedPlace | undefined;
  readonly repository: () => Promise<Repository>;
}

export function ledgerDoors(ground: LedgerGround): LedgerDoors {
  const { stateFolder, shared } = ground;
  const path = join(stateFolder, 'ledger.db');
  return {
    stateFolder,
    shared,
    ...(shared === undefined ? ownDoors(path) : sharedDoors(shared, ground)),
    store: async (place, readOnly) => openStore(place, { ground, readOnly }),
    setOddAside: async () =>
      (await import('../ledger/odd-places.ts')).setOddAside(stateFolder, clock.now()),
    locks: async () => (await import('../ledger/locks.ts')).openLocks(join(stateFolder, 'locks')),
  };
}

type Kind = Omit<LedgerDoors, 'stateFolder' | 'shared' | 'store' | 'setOddAside' | 'locks'>;

function ownDoors(path: string): Kind {
  return {
    ledger: async () => (await import('../ledger/sqlite-ledger.ts')).openSqliteLedger(path),
    history: async () => {
      const { openSqliteLedger } = await import('../ledger/sqlite-ledger.ts');
      return existsSync(path) ? openSqliteLedger(path, { readOnly: true }) : undefined;
    },
    team: () => Promise.reject(new Error('this ledger has no team')),
    look: () => Promise.resolve(undefined),
    hasLedger: () => existsSync(path),
    keepLedgerAside: async () =>
      (await import('../ledger/keep-aside.ts')).keepAside(path, clock.now()),
  };
}

function sharedDoors(
  { url, project: named }: SharedPlace,
  { repository }: Pick<LedgerGround, 'repository'>,
): Kind {
  const project = async (): Promise<string> =>
    named ?? (await import('../git/project.ts')).projectOf(await repository());
  const adapter = () => import('../ledger/postgres/open-postgres.ts');
  return {
    ledger: async () =>
      (await adapter()).openPostgresLedger(url, { project: await project(), readOnly: false }),
    history: async () =>
      (await adapter()).openPostgresLedger(url, { project: await project(), readOnly: true }),
    team: async (run) => {
      const worker = { host: hostname(), pid: process.pid, run };
      return (await adapter()).openPostgres(url, { project: await project(), worker });
    },
    look: async () =>
      (await import('../ledger/postgres/look.ts')).openLook(url, { project: await project() }),
    hasLedger: () => true,
    keepLedgerAside: () => Promise.reject(new Error('a shared ledger is not set aside')),
  };
}

async function openStore(
  place: StorePlace,
  { ground, readOnly }: { readonly ground: LedgerGround; readonly readOnly: boolean },
): Promise<LedgerStore> {
  if ('path' in place) {
    const { openSqliteStore } = await import('../ledger/sqlite-store.ts');
    return openSqliteStore(resolve(place.path), { readOnly });
  }
  const { openPostgresStore } = await import('../ledger/postgres/postgres-store.ts');
  const { projectOf } = await import('../git/project.ts');
  const project = async (): Promise<string> => projectOf(await ground.repository());
  return openPostgresStore(place.url, { project, readOnly });
}

/** Changes whenever a ledger was written to; '' where there is none yet. Whoever asks once more is answered by the same session. */
export function openStamp(doors: Pick<LedgerDoors, 'stateFolder' | 'look'>): {
  readonly read: () => Promise<string>;
  readonly close: () => Promise<void>;
} {
  let look: LedgerLook | undefined;
  const close = async (): Promise<void> => {
    await look?.close();
    look = undefined;
  };
  return {
    read: async () => {
      look ??= await doors.look();
      if (look !== undefined)
        return look.stamp().catch(async (error: unknown) => {
          await close();
          throw error;
        });
      const { ledgerStamp } = await import('../ledger/ledger-stamp.ts');
      return ledgerStamp(join(doors.stateFolder, 'ledger.db'));
    },
    close,
  };
}
