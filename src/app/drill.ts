import { tmpdir } from 'node:os';
import {
  assertTemporary,
  builtCommand,
  builtVandal,
  clock,
  openDrillRoom,
  openHouse,
  type Environment,
} from '../compose.ts';
import { nearest } from '../core/config/nearest.ts';
import type { DrillKind, DrillReport, OwnGates, Trial } from '../core/drill.ts';
import { Refusal } from '../ports.ts';
import { interruption, type Interruption } from './carry-out.ts';

type Room = Awaited<ReturnType<typeof openDrillRoom>>;
type Stage = Awaited<ReturnType<Room['openStage']>>;
type Kind = Room['kinds'][number];

export interface DrillOptions {
  /** Absolute; somewhere in the user's work tree. */
  readonly cwd: string;
  /** Names of kinds, or of a group; empty for all. */
  readonly names: readonly string[];
  /** So many of the chosen ones, evenly spread. */
  readonly sample?: number;
  /** So many attempts of misdeeds drawn by chance besides. */
  readonly random: number;
  /** The clone stays, and the copies in which something did not hold. */
  readonly keep: boolean;
}

export interface DrillIo {
  readonly onClone: (ownGates: OwnGates, total: number) => void;
  readonly onTrial: (trial: Trial, done: number) => void;
  readonly signal: AbortSignal;
  readonly env: Environment;
}

export interface DrillResult extends DrillReport {
  /** 0: all of it held; 1: something did not. */
  readonly status: 0 | 1 | Interruption;
  /** Where the clone is, with `keep`. */
  readonly kept?: string;
}

/** The kinds that there are, in the order in which they are tried. */
export async function drillKinds(): Promise<readonly DrillKind[]> {
  const { kinds } = await openDrillRoom();
  return kinds.map(({ name, group }) => ({ name, group }));
}

/**
 * Proves on a clone of the user's repository, which is only read, that what a vandal does is undone, that what it forges does not
 * pass, and that a kill loses nothing (contract, "Commands": `drill`). Each kind is done through a real `skeleton run` on a copy
 * of its own. Throws Refusal (2: no such kind; 3: no repository, or no commit).
 */
export async function drill(options: DrillOptions, io: DrillIo): Promise<DrillResult> {
  const room = await openDrillRoom();
  const chosen = [...choose(room.kinds, options), ...room.randomKinds(options.random)];
  const { facts } = await openHouse(options.cwd, io.env);
  if (facts.head === undefined)
    throw new Refusal(3, 'there is no commit to clone yet', 'git add -A && git commit');
  assertTemporary(3);
  const begun = clock.monotonic();
  const stage = await room.openStage({
    source: facts.top,
    temporary: tmpdir(),
    env: io.env,
    token: clock.id(),
    command: builtCommand,
    vandal: builtVandal,
    signal: io.signal,
    keep: options.keep,
  });
  try {
    const ownGates = await room.tryOwnGates(stage);
    if (!io.signal.aborted) {
      await room.keepProtection(stage.pristine);
      await room.furnishStage(stage);
      io.onClone(ownGates, chosen.length);
    }
    const trials = await tryAll({ room, stage, options, io }, chosen);
    const seconds = (clock.monotonic() - begun) / 1000;
    const { aborted: isInterrupted } = io.signal;
    const report = { ownGates, trials, seconds, isInterrupted, total: chosen.length };
    return { ...endOf(trials, io.signal), ...keptAt(stage, options), ...report };
  } finally {
    if (!options.keep || io.signal.aborted) await room.closeStage(stage);
  }
}

interface Drilling {
  readonly room: Room;
  readonly stage: Stage;
  readonly options: DrillOptions;
  readonly io: DrillIo;
}

/** Some at the same time, each in a copy of its own; reported in the order in which they end. */
async function tryAll(drilling: Drilling, kinds: readonly Kind[]): Promise<readonly Trial[]> {
  const { stage, io } = drilling;
  const queue = kinds.entries();
  const trials = new Map<number, Trial>();
  const lane = async (): Promise<void> => {
    for (const [index, kind] of queue) {
      if (io.signal.aborted) return;
      const trial = await tryOne(drilling, kind, `kind-${index + 1}`);
      if (trial === undefined) return;
      trials.set(index, trial);
      io.onTrial(trial, trials.size);
    }
  };
  await Promise.all(Array.from({ length: stage.lanes }, lane));
  return [...trials].sort(([a], [b]) => a - b).map(([, trial]) => trial);
}

/** Undefined where it was interrupted: what is cut off proves nothing. */
async function tryOne(
  { room, stage, options, io }: Drilling,
  kind: Kind,
  name: string,
): Promise<Trial | undefined> {
  try {
    const trial = await room.tryKind(stage, kind, name);
    if (io.signal.aborted) return undefined;
    if (trial.outcome !== 'failed' || !options.keep) await room.removeTrial(stage, name);
    return trial;
  } catch (error) {
    if (io.signal.aborted) return undefined;
    throw error;
  }
}

function endOf(trials: readonly Trial[], signal: AbortSignal): Pick<DrillResult, 'status'> {
  if (signal.aborted) return { status: interruption(signal) };
  return { status: trials.some(({ outcome }) => outcome === 'failed') ? 1 : 0 };
}

function keptAt({ root }: Stage, { keep }: DrillOptions): Pick<DrillResult, 'kept'> {
  return keep ? { kept: root } : {};
}

function choose(kinds: readonly Kind[], { names, sample }: DrillOptions): readonly Kind[] {
  const found = names.map((name) => named(name, kinds));
  const chosen = names.length === 0 ? kinds : kinds.filter((kind) => found.flat().includes(kind));
  if (sample === undefined || sample >= chosen.length) return chosen;
  return Array.from({ length: sample }, (_, at) =>
    Math.floor((at * chosen.length) / sample),
  ).flatMap((index) => chosen[index] ?? []);
}

/** Names that a refusal suggests. */
const MOST_ALIKE = 4;

function named(name: string, kinds: readonly Kind[]): readonly Kind[] {
  const found = kinds.filter((kind) => kind.name === name || kind.group === name);
  if (found.length > 0) return found;
  const names = [...new Set(kinds.flatMap((kind) => [kind.name, kind.group]))];
  const alike = names.filter((one) => one.toLowerCase().includes(name.trim().toLowerCase()));
  const near = name.trim() === '' ? [] : [nearest(name, names) ?? [], alike].flat();
  const [first, ...others] = [...new Set(near)].slice(0, MOST_ALIKE).map((one) => `'${one}'`);
  const more = others.length === 0 ? '' : `, or ${others.join(', ')}`;
  const hint = first === undefined ? '' : `; did you mean ${first}${more}?`;
  throw new Refusal(2, `there is no kind '${name}'${hint}`, 'skeleton drill --list');
}
