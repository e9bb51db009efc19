import { isRef, type OwnKind, type OwnThing } from '../core/own-things.ts';
import { spellBytes } from '../core/size.ts';
import { shellWord } from './shell-word.ts';
import type { Style } from './style.ts';
import { renderTable } from './table.ts';

/** What `skeleton gc` took, or would take. */
export interface GcReport {
  readonly things: readonly OwnThing[];
  readonly dryRun: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const words: Readonly<Record<OwnKind, string>> = {
  snapshot: 'kept attempt',
  agent: "agent's ref",
  undo: 'undone work',
  autostash: 'work set aside',
  proof: 'proof',
  fence: 'fence',
  anchor: 'anchor of a dead run',
  ref: 'ref',
  logs: 'logs',
  quarantine: 'quarantine',
  'damaged-ledger': 'damaged ledger',
  private: 'private files',
  trash: 'left by a gc that was ended',
  state: 'state',
  worktree: 'clean worktree',
};

/** One thing a line, oldest first, then the sum. */
export function renderGc(report: GcReport, style: Style): string {
  const { things } = report;
  if (things.length === 0) return 'nothing to take';
  const head = ['what', 'age', 'size', 'name'].map((text) => ({ text, paint: style.strong }));
  const rows = sorted(things).map((thing) => [
    { text: words[thing.kind] },
    { text: ageOf(thing, report) },
    { text: thing.bytes === undefined ? '?' : spellBytes(thing.bytes) },
    { text: '' },
  ]);
  // Names are to be typed: they are not cut as a table's cells are.
  const lines = renderTable([head, ...rows]).slice(1);
  const width = Math.max(...lines.map((line) => line.length)) + 2;
  const named = sorted(things).map(
    (thing, at) => `${(lines[at] ?? '').padEnd(width)}${shellWord(thing.name)}`,
  );
  return [...named, ...sumLines(report)].join('\n');
}

function sorted(things: readonly OwnThing[]): readonly OwnThing[] {
  return [...things].sort((a, b) => a.at - b.at);
}

function ageOf({ at, kind }: OwnThing, { now }: GcReport): string {
  if (kind === 'worktree' || !Number.isFinite(at)) return '';
  const days = Math.max(0, Math.floor((now - at) / 86_400_000));
  return days === 0 ? 'today' : `${days} day${days === 1 ? '' : 's'}`;
}

function sumLines({ things, dryRun }: GcReport): readonly string[] {
  const { freed, objects, unweighed } = sums(things);
  const verb = dryRun ? 'would go; nothing was touched' : 'gone';
  const files = `${things.length} thing${things.length === 1 ? '' : 's'} ${verb}: ${spellBytes(freed)} ${dryRun ? 'to be freed' : 'freed'}`;
  if (!things.some(isRef)) return [files];
  const about = unweighed ? 'at least ' : '';
  return [
    files,
    `objects of the refs: ${about}${spellBytes(objects)}, which git frees when it tidies up (git gc)`,
  ];
}

export interface GcSums {
  /** Of files: free at once. */
  readonly freed: number;
  /** Of objects that refs held: git's to free. */
  readonly objects: number;
  /** Some refs were not weighed. */
  readonly unweighed: boolean;
}

export function sums(things: readonly OwnThing[]): GcSums {
  const sumOf = (some: readonly OwnThing[]): number =>
    some.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
  return {
    freed: sumOf(things.filter((thing) => !isRef(thing))),
    objects: sumOf(things.filter(isRef)),
    unweighed: things.some(({ bytes }) => bytes === undefined),
  };
}

/** The same as data: an object for each thing, and a last one with the sums. */
export function gcData({ things, dryRun }: GcReport): readonly object[] {
  const { freed, objects } = sums(things);
  const each = sorted(things).map(({ kind, name, at, bytes }) => {
    const time = Number.isFinite(at) && kind !== 'worktree' ? new Date(at).toISOString() : null;
    return { kind, name, at: time, bytes: bytes ?? null };
  });
  return [...each, { things: things.length, dryRun, freed, objects }];
}
