import type { Heading } from '../plan/blocks.ts';
import { headingsIn, outdented, usedByItself, restOf } from './box-document.ts';
import type { OpenDocument } from './box-document.ts';
import type { Log } from './log.ts';

export interface DocumentSection {
  readonly heading: Heading;
  /** The first line after it. */
  readonly to: number;
  /** Without its heading. */
  readonly text: string;
}

/** `isOne`: whether a heading begins a section; `closes`: whether another one ends it. */
export interface Sectioning {
  readonly isOne: (heading: Heading) => boolean;
  readonly closes: (other: Heading, own: Heading) => boolean;
}

export interface Sections {
  readonly title: string;
  readonly sections: readonly DocumentSection[];
  /** All that is in none. */
  readonly rest: string;
}

/** A document whose headings are its tasks; what is outside of them is told. */
export function sectionsOf(
  document: OpenDocument,
  { isOne, closes }: Sectioning,
  log: Log,
): Sections {
  const { lines, blocks, title } = document;
  const used = usedByItself(document);
  const headings = headingsIn(blocks);
  const sections = headings.flatMap((heading, at): DocumentSection[] => {
    if (!isOne(heading)) return [];
    const next = headings.slice(at + 1).find((other) => closes(other, heading));
    const to = next?.line ?? lines.all.length + 1;
    for (let line = heading.line; line < to; line += 1) used.add(line);
    const text = outdented(lines, { from: heading.end, to, without: new Set() });
    return [{ heading, to, text }];
  });
  const rest = restOf(lines, blocks, used);
  if (rest !== '') log.count('text outside of tasks', 'text before the tasks', 1);
  for (const block of blocks)
    if (block.kind === 'item' && block.box && !used.has(block.line))
      log.count('box outside of tasks', 'text before the tasks', block.line);
  return { title: title?.text ?? '', sections, rest };
}

/** As CommonMark nests them: the next heading that is not deeper. */
export function notDeeper(other: Heading, own: Heading): boolean {
  return other.level <= own.level;
}
