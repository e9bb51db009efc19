import { readBlocks } from './blocks.ts';
import { byteLines } from './bytes.ts';
import { readFrontMatter } from './front-matter.ts';
import { withoutComments } from './inline.ts';
import { isBlank, lineAt, readLines } from './lines.ts';
import { completedTask, markersIn } from './marker.ts';

/** A line with text, its marks blanked. */
interface TextLine {
  /** One character a byte. */
  readonly bytes: string;
  /** Without completion markers. */
  readonly plain: string;
  readonly marked: boolean;
  /** Its line end, and the blank lines after it. */
  gap: string;
  /** Whether a completion marker stood among these. */
  gapMarked: boolean;
}

/**
 * True when two versions of a plan differ in nothing but the marks of boxes, completion markers and the blank lines around
 * those, or not at all: agents are used to ticking what they have done.
 */
export function differsInMarksOnly(before: Uint8Array, after: Uint8Array): boolean {
  const [a, b] = [textLines(before), textLines(after)];
  return a.length === b.length && a.every((line, index) => isSame(line, b[index] ?? line));
}

function isSame(a: TextLine, b: TextLine): boolean {
  const sameGap = a.gapMarked || b.gapMarked || a.gap === b.gap;
  const isMarked = a.marked || b.marked;
  return sameGap && (isMarked ? a.plain === b.plain : a.bytes === b.bytes);
}

/** The first one stands for what is before the first line with text. */
function textLines(file: Uint8Array): readonly TextLine[] {
  const lines = readLines(file);
  const blocks = readBlocks(lines, readFrontMatter(lines.all).lines);
  const marked = new Set(blocks.flatMap(markersIn).map(({ line }) => line));
  const boxes = blocks.flatMap((block) => (block.kind === 'item' ? (block.box ?? []) : []));
  const columns = new Map(boxes.map(({ line, column }) => [line, column]));
  const bytes = new TextDecoder('windows-1252').decode(file);
  const places = byteLines(file);
  const byteOrderMark = bytes.slice(0, places[0]?.start);
  let last = { bytes: byteOrderMark, plain: '', marked: false, gap: '', gapMarked: false };
  const result: TextLine[] = [last];
  for (const [index, { start, end, next }] of places.entries()) {
    const text = lineAt(lines, index + 1);
    const isMarked = marked.has(index + 1);
    const column = columns.get(index + 1);
    const plain = isMarked ? withoutMarkers(text) : text;
    if (isBlank(plain)) {
      last.gap += bytes.slice(start, next);
      last.gapMarked ||= isMarked;
      continue;
    }
    last = {
      bytes: unmarked(bytes.slice(start, end), column),
      plain: unmarked(plain, column).trimEnd(),
      marked: isMarked,
      gap: bytes.slice(end, next),
      gapMarked: false,
    };
    result.push(last);
  }
  return result;
}

function unmarked(line: string, column: number | undefined): string {
  if (column === undefined) return line;
  return `${line.slice(0, column + 1)} ${line.slice(line.indexOf(']', column))}`;
}

function withoutMarkers(line: string): string {
  const { comments } = withoutComments(line);
  return comments
    .filter(({ content }) => completedTask(content) !== undefined)
    .reduceRight((rest, { start, content }) => {
      const end = start + `<!--${content}-->`.length;
      return rest.slice(0, start).trimEnd() + rest.slice(end);
    }, line);
}
