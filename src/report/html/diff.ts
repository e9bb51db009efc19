import { cutMark } from '../../core/cut-text.ts';
import { oneLine } from '../../core/text.ts';
import { asIs, markup, nothing, type Html } from './markup.ts';

type Kind = 'add' | 'del' | 'hunk' | 'meta' | 'same' | 'cut';

interface Run {
  readonly kind: Kind;
  readonly lines: string[];
}

interface FileDiff {
  readonly name: string;
  readonly runs: readonly Run[];
  readonly added: number;
  readonly removed: number;
}

/** More lines than this begin folded. */
const LONG = 150;

/** A unified diff by its files, as `git diff` writes it; lines marked by what happened to them. */
export function renderDiff(diff: string): Html {
  return markup`${parseDiff(diff).map(renderFile)}`;
}

/** `3 files, +10 −2`; '' where nothing changed. */
export function diffSize(diff: string): string {
  const files = parseDiff(diff);
  if (files.length === 0) return '';
  const sum = (part: 'added' | 'removed'): number => files.reduce((all, one) => all + one[part], 0);
  const number = files.length === 1 ? '1 file' : `${files.length} files`;
  return `${number}, +${sum('added')} −${sum('removed')}`;
}

function renderFile({ name, runs, added, removed }: FileDiff): Html {
  const length = runs.reduce((sum, run) => sum + run.lines.length, 0);
  const pieces = runs.map(({ kind, lines }) => `<span class="${kind}">${safe(lines)}</span>`);
  return markup`<details class="file"${length <= LONG ? markup` open` : nothing}><summary><h6>${oneLine(name)}</h6> <span class="size">+${added} −${removed}</span></summary>
<pre>${asIs(pieces.join(''))}</pre></details>`;
}

/** With the line end that a reader copies, and that shows as no line of its own at the end of a block. */
function safe(lines: readonly string[]): string {
  return markup`${`${lines.join('\n')}\n`}`.html;
}

/** Text after a cut belongs to a file of which only the end is known. */
function parseDiff(diff: string): readonly FileDiff[] {
  const files: string[][] = [];
  for (const line of diff.replace(/\n+$/, '').split('\n')) {
    if (line.startsWith('diff --git ') || line.startsWith(cutMark)) files.push([line]);
    else if (files.length === 0) files.push([line]);
    else files.at(-1)?.push(line);
  }
  return files.filter((lines) => lines.join('') !== '').map(parseFile);
}

function parseFile(lines: readonly string[]): FileDiff {
  const runs: Run[] = [];
  const isCut = lines[0]?.startsWith(cutMark) === true;
  let inHunk = isCut;
  for (const line of lines) {
    inHunk ||= line.startsWith('@@');
    const kind = line.startsWith(cutMark) ? 'cut' : inHunk ? kindOf(line) : 'meta';
    const last = runs.at(-1);
    if (last?.kind === kind) last.lines.push(line);
    else runs.push({ kind, lines: [line] });
  }
  const count = (kind: Kind): number =>
    runs.reduce((sum, run) => sum + (run.kind === kind ? run.lines.length : 0), 0);
  const name = isCut ? 'the end of a file, after the cut' : nameOf(lines);
  return { name, runs, added: count('add'), removed: count('del') };
}

function kindOf(line: string): Kind {
  if (line.startsWith('@@')) return 'hunk';
  if (line.startsWith('+')) return 'add';
  return line.startsWith('-') ? 'del' : 'same';
}

/** The new name, with the old one before it where they differ. */
function nameOf(lines: readonly string[]): string {
  const begin = lines.findIndex((line) => line.startsWith('@@'));
  const head = begin < 0 ? lines : lines.slice(0, begin);
  const after = (mark: string): string | undefined =>
    head.find((line) => line.startsWith(mark))?.slice(mark.length);
  const [from, to] = [after('rename from '), after('rename to ')];
  if (from !== undefined && to !== undefined) return `${from} → ${to}`;
  const [old, now] = [pathOf(after('--- ')), pathOf(after('+++ '))];
  return now ?? (old === undefined ? bareName(head[0] ?? '') : `${old} (deleted)`);
}

function pathOf(path: string | undefined): string | undefined {
  if (path === undefined || path === '/dev/null') return undefined;
  return path.replace(/^("?)[ab]\//, '$1').replace(/\t$/, '');
}

/** Of a file without lines to compare, such as a binary one: `diff --git a/NAME b/NAME`. */
function bareName(line: string): string {
  const names = /^diff --git (.+)$/.exec(line)?.[1] ?? line;
  const half = names.slice(names.length / 2 + 0.5);
  return names.startsWith('a/') && half.startsWith('b/') ? half.slice(2) : names;
}
