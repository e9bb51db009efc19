import { toByteName, toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { makeWay } from './ignored-files.ts';
import type { Repository } from './located-repository.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { sha256 } from './plan-file.ts';
import { installIndex, readIndex, useIndex } from './private-index.ts';
import type { IndexContent } from './private-index.ts';
import { isPlainBelow, isReadable, statOf } from './raw-files.ts';
import type { RecordWriter, TakenRecord, Thing } from './record.ts';
import { isChanged, isIgnored, isUntracked } from './status.ts';
import type { StatusLine } from './status.ts';
import { compareThing, putThing, recordThing } from './things.ts';

interface Recording {
  readonly base: string;
  readonly lines: readonly StatusLine[];
  readonly rules: { readonly plan: { readonly path: string }; readonly maxFile: number };
  readonly writer: RecordWriter;
}

/** All that a person has in the work tree and no commit has, before gates come near it. */
export function recordTaken(
  { top, gitDir }: Repository,
  { base, lines, rules, writer }: Recording,
): TakenRecord {
  const things: (readonly [ByteName, Thing])[] = [];
  const gone: ByteName[] = [];
  const others: ByteName[] = [];
  for (const line of lines.filter((one) => !isIgnored(one))) {
    const { path } = line;
    const isKept = isKeepable(`${top}/${path}`, line, rules.maxFile);
    const thing = isKept ? recordThing(`${top}/${path}`, writer) : undefined;
    if (thing !== undefined) things.push([path, thing]);
    else if (isChanged(line) && line.code[1] === 'D') gone.push(path);
    else others.push(path);
  }
  const plan = recordThing(`${top}/${toByteName(rules.plan.path)}`, writer);
  const index = readIndex(`${gitDir}/index`);
  return {
    ...{ base, things, gone, others },
    ...(plan && { plan }),
    ...(index && { index: { bytes: writer.keep(index.bytes), time: index.time } }),
  };
}

function isKeepable(path: ByteName, line: StatusLine, maxFile: number): boolean {
  if (line.isFolder || !(isUntracked(line) || isChanged(line))) return false;
  const stat = statOf(path);
  if (stat?.isSymbolicLink() === true) return true;
  return stat?.isFile() === true && stat.size <= maxFile && isReadable(path);
}

interface Found {
  /** Tracked paths that are not as the index has them. */
  readonly changed: readonly ByteName[];
  readonly index: IndexContent;
}

/**
 * Files and index as the person had them; what lies there instead goes to quarantine. Gives in words what gates had changed.
 */
export async function putTakenBack(
  attempt: OpenAttempt,
  taken: TakenRecord,
  { changed, index }: Found,
): Promise<readonly string[]> {
  const { repository, record, quarantine } = attempt;
  const things = new Map([...record.rawFiles, ...taken.things]);
  if (taken.plan !== undefined) things.set(record.plan.path, taken.plan);
  const moved = [...things].flatMap(([path, thing]) => putOneBack(attempt, path, thing));
  for (const path of taken.gone.filter((one) => isFileAt(repository, one)))
    moved.push(quarantine.take(`${repository.top}/${path}`, 'tree', path));
  const fromIndex = changed.filter((path) => !things.has(path));
  for (const path of fromIndex) moved.push(...clear(attempt, path));
  if (fromIndex.length > 0) {
    const input = Buffer.from(fromIndex.map((path) => `${path}\0`).join(''), 'latin1');
    const ours = useIndex(repository, index);
    await repository.git.run(['checkout-index', '--force', '-z', '--stdin'], {
      index: ours,
      input,
    });
  }
  await putIndexBack(attempt, taken);
  return tell(changed, moved);
}

function putOneBack(attempt: OpenAttempt, path: ByteName, thing: Thing): readonly string[] {
  const { repository, record } = attempt;
  const absolute = `${repository.top}/${path}`;
  makeWay(attempt, path);
  const difference = compareThing(absolute, thing);
  if (difference === 'same') return [];
  const moved = difference === 'other' ? clear(attempt, path) : [];
  putThing(absolute, thing, record.bytesOf);
  return moved;
}

function clear(attempt: OpenAttempt, path: ByteName): readonly string[] {
  const absolute = `${attempt.repository.top}/${path}`;
  makeWay(attempt, path);
  return statOf(absolute) === undefined ? [] : [attempt.quarantine.take(absolute, 'tree', path)];
}

function isFileAt({ top }: Repository, path: ByteName): boolean {
  const stat = isPlainBelow(top, path) ? statOf(`${top}/${path}`) : undefined;
  return stat !== undefined && !stat.isDirectory();
}

/** With what was staged there, which no file says. */
async function putIndexBack(
  { repository, record }: OpenAttempt,
  taken: TakenRecord,
): Promise<void> {
  if (taken.index === undefined) return;
  const { bytes, time } = taken.index;
  const now = readIndex(`${repository.gitDir}/index`);
  if (now !== undefined && sha256(now.bytes) === bytes.sha256) return;
  await installIndex(repository, { bytes: record.bytesOf(bytes), time });
}

function tell(changed: readonly ByteName[], moved: readonly string[]): readonly string[] {
  if (changed.length === 0) return [];
  const names = changed.map(toShown).sort().join(', ');
  const kept = moved.length === 0 ? '' : `; as the gate left them: ${moved.join(', ')}`;
  return [`a gate changed files, which are put back: ${names}${kept}`];
}
