/** The drill's words and its judgement: what a rollback has to give back, and what it is known not to. */

/** A repository as it looked: paths, parts of the git folder, and what git says of it. */
export type Picture = Readonly<Record<string, string>>;

export type DrillGroup = 'damage' | 'processes' | 'forgery' | 'kill';

export interface DrillKind {
  readonly name: string;
  readonly group: DrillGroup;
}

export interface Trial extends DrillKind {
  /** `not-tried`: the damage could not be done here; what was done of it was judged all the same. */
  readonly outcome: 'held' | 'failed' | 'not-tried';
  /** What did not hold, or why it was not tried. */
  readonly reasons: readonly string[];
  /** What is documented as told, not undone: changes inside ignored folders, new or large ignored files. */
  readonly told: readonly string[];
  /** The run stopped, or was killed, and the one after it put things right. */
  readonly isByNextRun: boolean;
  /** Processes that were still there after the run. */
  readonly left: number;
  readonly seconds: number;
}

/** The user's own gates, run once on a clean clone. */
export interface OwnGates {
  /** 0 where there are none, or none could be run. */
  readonly count: number;
  readonly doPass: boolean;
  /** Why not. */
  readonly why: string;
  readonly seconds: number;
}

export interface DrillReport {
  readonly ownGates: OwnGates;
  /** Kinds that were to be tried. */
  readonly total: number;
  /** A signal ended it: what was not tried proves nothing. */
  readonly isInterrupted: boolean;
  readonly trials: readonly Trial[];
  readonly seconds: number;
}

export interface Comparison {
  readonly differences: readonly string[];
  readonly told: readonly string[];
}

/** What a snapshot must hold or the disk still has: a file that the vandal left, and the id of its bytes. */
export interface LeftFile {
  readonly path: string;
  readonly id: string;
}

const small = 2 ** 20;

/**
 * Compares a repository before an attempt with what it is after the rollback. Contract, "Git": ignored files up to 1 MB outside
 * ignored folders come back, changes to other ignored paths are told.
 */
export function comparePictures(before: Picture, after: Picture): Comparison {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => valueOf(before, name) !== valueOf(after, name),
  );
  const then = ignoredIn(before);
  const now = ignoredIn(after);
  const isLimit = (name: string): boolean => {
    if (isBelowFolder(name, then)) return true;
    if (isIgnored(name, then) && sizeOf(before[name]) > small) return true;
    return before[name] === undefined && isIgnored(name, now);
  };
  const told = names.filter((name) => isPath(name) && isLimit(name));
  const holdsTold = (name: string): boolean =>
    before[name] === undefined && told.some((path) => path.startsWith(`${name}/`));
  const rest = names.filter((name) => !told.includes(name) && !holdsTold(name));
  return { differences: rest.map((name) => describe(name, before, after)), told };
}

/** Files of the vandal that are neither where it left them nor kept: there must be none. */
export function lostFiles(
  left: readonly LeftFile[],
  now: (path: string) => string | undefined,
  kept: ReadonlySet<string>,
): readonly string[] {
  return left.filter(({ path, id }) => !kept.has(id) && now(path) !== id).map(({ path }) => path);
}

/** Our own start tag is no change; ignored paths are compared by their bytes, not by name. */
function valueOf(picture: Picture, name: string): string | undefined {
  const value = picture[name];
  if (name === 'refs') return value?.replace(/^refs\/tags\/skeleton\/plan\/\d+-start .*\n?/gm, '');
  if (name === 'status') return value?.replace(/^!! .*\n?/gm, '');
  return value;
}

const asked: ReadonlySet<string> = new Set(['refs', 'stash', 'index', 'status']);

function isPath(name: string): boolean {
  return !asked.has(name) && !/^(?:common|git):/.test(name);
}

/** Folders end in a slash. */
function ignoredIn({ status = '' }: Picture): readonly string[] {
  const lines = status.split('\n').filter((line) => line.startsWith('!! '));
  return lines.map((line) => line.slice(3).replace(/^"(.*)"$/, '$1'));
}

function isBelowFolder(name: string, ignored: readonly string[]): boolean {
  return ignored.some((one) => one.endsWith('/') && `${name}/`.startsWith(one));
}

function isIgnored(name: string, ignored: readonly string[]): boolean {
  return ignored.includes(name) || isBelowFolder(name, ignored);
}

/** As a picture writes it: `file MODE SIZE …`. */
function sizeOf(value = ''): number {
  return Number(/^file \d+ (\d+) /.exec(value)?.[1] ?? 0);
}

function describe(name: string, before: Picture, after: Picture): string {
  const [was, is] = [valueOf(before, name), valueOf(after, name)];
  if (was === undefined) return `${name} was made`;
  if (is === undefined) return `${name} is gone`;
  const old = was.split('\n');
  const line = is.split('\n').find((one) => !old.includes(one));
  const gone = old.find((one) => !is.split('\n').includes(one));
  return `${name}: ${short(gone ?? was)} became ${short(line ?? is)}`;
}

function short(text: string): string {
  const line = JSON.stringify(text);
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
