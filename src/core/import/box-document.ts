/** A Markdown document whose boxes are its tasks: what each box says, what is under it, and all the rest. */
import { readBlocks, type Block, type Heading, type Item } from '../plan/blocks.ts';
import { stateOf } from '../plan/box.ts';
import { readFrontMatter } from '../plan/front-matter.ts';
import { lineAt, readLines, type Lines } from '../plan/lines.ts';
import { quote } from '../plan/problem.ts';
import type { Criterion, DraftState } from './draft.ts';
import type { Log } from './log.ts';

export interface DocumentBox {
  readonly line: number;
  readonly title: string;
  readonly state: DraftState;
  /** Headings around it, the outermost first, without the document's title. */
  readonly under: readonly string[];
  /** What is indented under it, but for its boxes. */
  readonly text: string;
  readonly boxes: readonly FoundBox[];
}

export interface BoxDocument {
  /** Its first heading of level 1. */
  readonly title: string;
  readonly boxes: readonly DocumentBox[];
  /** All that is in no box; headings with nothing under them are left out. */
  readonly rest: string;
}

/** Boxes in fences, comments and quotes are text, as in a plan. */
export function readBoxDocument(document: OpenDocument, log: Log): BoxDocument {
  const { lines, blocks, title } = document;
  const boxes: DocumentBox[] = [];
  const used = usedByItself(document);
  const path: Heading[] = [];
  for (const [index, block] of blocks.entries()) {
    if (block.kind === 'heading' && block !== title) enter(path, block);
    if (block.kind !== 'item' || !block.box || block.inBox) continue;
    boxes.push(boxAt(document, index, block, { under: path.map((heading) => heading.text), log }));
    for (let line = block.line; line < block.end; line += 1) used.add(line);
  }
  return { title: title?.text ?? '', boxes, rest: restOf(lines, blocks, used) };
}

export interface OpenDocument {
  readonly lines: Lines;
  readonly blocks: readonly Block[];
  readonly title: Heading | undefined;
  /** Lines of front matter, which says nothing of the work: it is told, not read. */
  readonly front: number;
}

export function openDocument(text: string, log: Log): OpenDocument {
  const lines = readLines(new TextEncoder().encode(text));
  const front = readFrontMatter(lines.all).lines;
  if (front > 0) log.count('front matter', undefined, 1);
  const blocks = readBlocks(lines, front);
  const title = headingsIn(blocks).find(({ level }) => level === 1);
  return { lines, blocks, title, front };
}

/** Lines that are no text of the document: front matter, and its title. */
export function usedByItself({ title, front }: OpenDocument): Set<number> {
  const used = new Set(title === undefined ? [] : [title.line]);
  for (let line = 1; line <= front; line += 1) used.add(line);
  return used;
}

export function headingsIn(blocks: readonly Block[]): readonly Heading[] {
  return blocks.filter((block) => block.kind === 'heading');
}

function enter(path: Heading[], heading: Heading): void {
  while ((path.at(-1)?.level ?? 0) >= heading.level) path.pop();
  path.push(heading);
}

interface Around {
  readonly under: readonly string[];
  readonly log: Log;
}

function boxAt(
  { lines, blocks }: OpenDocument,
  index: number,
  item: Item,
  { under, log }: Around,
): DocumentBox {
  const [line, mark] = [item.box?.line ?? item.line, item.box?.mark ?? ' '];
  const own = blocks[index + 1];
  const [title = '', ...more] = own?.kind === 'paragraph' ? own.lines : [];
  const inner = boxesIn(blocks, index + 1, item.end);
  const without = new Set(inner.map((box) => box.line));
  const below = outdented(lines, { from: own?.end ?? item.end, to: item.end, without });
  return {
    line,
    title,
    state: stateOfMark(mark, line, log),
    under,
    text: [...more.map((words) => words.trim()), below].join('\n'),
    boxes: inner,
  };
}

export interface FoundBox extends Criterion {
  readonly line: number;
}

/** Boxes of all depths among the blocks from an index on that begin before a line. */
export function boxesIn(blocks: readonly Block[], from: number, end: number): readonly FoundBox[] {
  const found: FoundBox[] = [];
  for (let index = from; (blocks[index]?.line ?? Infinity) < end; index += 1) {
    const [block, next] = [blocks[index], blocks[index + 1]];
    if (block?.kind !== 'item' || !block.box || next?.kind !== 'paragraph') continue;
    const done = stateOf(block.box.mark) === 'done';
    found.push({ line: block.box.line, text: next.lines.join(' '), done });
  }
  return found;
}

function stateOfMark(mark: string, line: number, log: Log): DraftState {
  const state = stateOf(mark);
  if (state === undefined) log.notice(line, `the mark ${quote(`[${mark}]`)} is pending here`);
  return state ?? 'pending';
}

interface Span {
  readonly from: number;
  /** Not included. */
  readonly to: number;
  readonly without: ReadonlySet<number>;
}

/** Lines without the indentation that all of them have; where some are left out, no two blank ones meet. */
export function outdented(lines: Lines, { from, to, without }: Span): string {
  const own: string[] = [];
  for (let line = from; line < to; line += 1) {
    const text = lineAt(lines, line);
    const meets = without.size > 0 && text.trim() === '' && own.at(-1)?.trim() === '';
    if (!without.has(line) && !meets) own.push(text);
  }
  const indents = own.filter((line) => line.trim() !== '').map((line) => line.search(/[^ ]/));
  const common = indents.reduce((least, indent) => Math.min(least, indent), Infinity);
  return own.map((line) => line.slice(Math.min(common, line.length))).join('\n');
}

/** A heading under which nothing is left says nothing; several blank lines are one. */
export function restOf(lines: Lines, blocks: readonly Block[], used: ReadonlySet<number>): string {
  const headings = new Set(headingsIn(blocks).map(({ line }) => line));
  const kept: number[] = [];
  const isLeft = (line: number): boolean => !used.has(line) && lineAt(lines, line).trim() !== '';
  for (let line = lines.all.length; line > 0; line -= 1) {
    const below = kept.at(-1);
    const isEmpty = headings.has(line) && (below === undefined || headings.has(below));
    if (isLeft(line) && !isEmpty) kept.push(line);
  }
  kept.reverse();
  return kept
    .map((line, at) => (line - (kept[at - 1] ?? line) > 1 ? '\n' : '') + lineAt(lines, line))
    .join('\n');
}
