import { join, resolve } from 'node:path';
import { openHouse, type Environment, type House, type StorePlace } from '../compose.ts';
import { ledgerPlace } from '../core/ledger-place.ts';
import { mergeContents, type LedgerContents, type PlanMerged } from '../core/ledger-contents.ts';
import { LedgerDamaged, Refusal, type LedgerStore } from '../ports.ts';
import { refuseForeign } from './refuse-foreign.ts';

export interface CopyLedgerOptions {
  /** Absolute. */
  readonly cwd: string;
  readonly env: Environment;
  /** `local`, `shared` (the one that runs use), an address, or the path of a ledger's file. */
  readonly from: string;
  readonly to: string;
}

export interface LedgerCopied {
  /** For people, without passwords. */
  readonly from: string;
  readonly to: string;
  readonly plans: readonly PlanMerged[];
  /** Verdicts on trees that were not known there. */
  readonly verdicts: number;
}

/**
 * Copies this repository's history from one ledger into another, all or nothing: what is there already stays, and is gone on from.
 * Throws Refusal (2: no such ledger; 3: the histories differ, a file holds another repository's, or is no ledger, a run is at work on one
 * of the plans, a server cannot be reached).
 */
export async function copyLedger(options: CopyLedgerOptions): Promise<LedgerCopied> {
  try {
    return await copyWhole(options);
  } catch (error) {
    if (!(error instanceof LedgerDamaged)) throw error;
    const words = `${error.path} is no ledger, or a damaged one: ${error.reason}`;
    throw new Refusal(3, `${words}; nothing was copied`, HOW);
  }
}

async function copyWhole(options: CopyLedgerOptions): Promise<LedgerCopied> {
  const { cwd, env } = options;
  const house = await openHouse(cwd, env);
  const source = placeOf(house, { cwd, said: options.from });
  const target = placeOf(house, { cwd, said: options.to });
  const from = await house.store(source, true);
  try {
    const contents = await readHeld(from);
    if ('path' in source && source.path !== ownPath(house))
      await refuseForeign(contents, { house, where: from.where });
    const to = await house.store(target, false);
    try {
      return await copy(contents, { from, to });
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/** From then on nobody writes. */
async function readHeld(from: LedgerStore): Promise<LedgerContents> {
  const { plans } = await from.read();
  await from.hold(plans.map(({ slug }) => slug));
  const contents = await from.read();
  if (contents.plans.length > 0) return contents;
  throw new Refusal(
    3,
    `${from.where} holds no history of this repository; nothing was copied`,
    HOW,
  );
}

interface Ends {
  readonly from: LedgerStore;
  readonly to: LedgerStore;
}

async function copy(contents: LedgerContents, ends: Ends): Promise<LedgerCopied> {
  const { from, to } = ends;
  if (from.where === to.where)
    throw new Refusal(2, `FROM and TO are the same ledger, ${from.where}`, HOW);
  await to.hold(contents.plans.map(({ slug }) => slug));
  const { plans, missing } = await to.add((there) => mergeable(contents, there, ends));
  return { from: from.where, to: to.where, plans, verdicts: missing.verdicts.length };
}

type Mergeable = Extract<ReturnType<typeof mergeContents>, { kind: 'merged' }>;

function mergeable(
  contents: LedgerContents,
  there: LedgerContents,
  { from: { where: from }, to: { where: to } }: Ends,
): Mergeable {
  const merged = mergeContents(contents, there);
  switch (merged.kind) {
    case 'merged':
      return merged;
    case 'differs':
      throw new Refusal(
        3,
        `${from} and ${to} do not tell the same of the plan ${merged.plan}: ${merged.why}; nothing was copied`,
        'two histories are never mixed: go on with one of the two ledgers',
      );
    case 'ahead':
      throw new Refusal(
        3,
        `${to} is ahead: of the plan ${merged.plan} it holds ${merged.by} more event${merged.by === 1 ? '' : 's'} than ${from}; nothing was copied`,
        'skeleton ledger copy TO FROM     copies the other way',
      );
  }
}

const HOW = `a ledger is local (this repository's own), shared (by --ledger, SKELETON_LEDGER or your config.yml), postgres://USER@HOST/DATABASE, or the path of a ledger.db`;

function ownPath({ stateFolder }: House): string {
  return join(stateFolder, 'ledger.db');
}

function placeOf(
  house: House,
  { cwd, said }: { readonly cwd: string; readonly said: string },
): StorePlace {
  if (said === 'local' || said === 'sqlite') return { path: ownPath(house) };
  if (said === 'shared' && house.shared !== undefined) return house.shared;
  if (said === 'shared')
    throw new Refusal(
      2,
      'no shared ledger is set',
      'export SKELETON_LEDGER=postgres://USER@HOST/DATABASE',
    );
  const place = ledgerPlace(said);
  if (place.kind === 'shared') return place;
  // What has a scheme is no path, and may hold a password.
  if (place.kind === 'wrong' && /^[a-z][a-z\d+.-]*:/i.test(said))
    throw new Refusal(2, `this is no ledger: ${place.why}`, HOW);
  return { path: resolve(cwd, said) };
}
