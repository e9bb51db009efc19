import type { Block, Heading, Item } from './blocks.ts';
import type { Box } from './box.ts';
import { isCriteriaHeading } from './criteria.ts';
import { lineAt, textOf, type Lines } from './lines.ts';
import type { Draft, Outline } from './outline.ts';
import type { Ignored } from './plan.ts';
import { quote } from './problem.ts';
import { readSection } from './section.ts';
import { readBoxTitle } from './titles.ts';

/** A plan of boxes: each outermost one is a task, unless its heading says that it belongs to none. */
export function boxOutline(lines: Lines, blocks: readonly Block[]): Outline {
  const drafts: Draft[] = [];
  const ignored: Ignored[] = [];
  const criteriaAt = criteriaReader(blocks);
  for (const [index, block] of blocks.entries()) {
    const criteria = criteriaAt(block);
    if (block.kind !== 'item' || !block.box) continue;
    if (criteria) ignored.push({ line: block.box.line, why: `under ${quote(criteria.text)}` });
    else if (!block.inBox)
      drafts.push(draftOf(lines, blocks, index, { item: block, box: block.box }));
  }
  return { form: 'boxes', drafts, groups: [], ignored, first: drafts[0]?.body, notices: [] };
}

/** Reads block after block; gives the heading of criteria that each one is under. */
function criteriaReader(blocks: readonly Block[]): (block: Block) => Heading | undefined {
  const title = blocks.find(({ kind }) => kind === 'heading');
  let criteria: Heading | undefined;
  return (block) => {
    if (block.kind !== 'heading') return criteria;
    if (criteria && block.level <= criteria.level) criteria = undefined;
    // A plan as a whole may be called "Release checklist".
    const isTitle = block === title && block.level === 1;
    if (!isTitle && isCriteriaHeading(block.text)) criteria ??= block;
    return criteria;
  };
}

function draftOf(
  lines: Lines,
  blocks: readonly Block[],
  index: number,
  { item, box }: { readonly item: Item; readonly box: Box },
): Draft {
  const after = endOf(blocks, index + 1, item.end);
  const own = blocks[index + 1];
  const [first = '', ...others] = own?.kind === 'paragraph' ? own.lines : [];
  const columns = { outer: lineAt(lines, item.line).search(/[^ \t]/), inner: box.column };
  return {
    line: box.line,
    body: item.line,
    end: item.end,
    title: readBoxTitle(first, others),
    box,
    section: readSection(lines, blocks.slice(index + 1, after), { depth: item.depth, columns }),
    text: textOf(lines, item.line, item.end),
  };
}

function endOf(blocks: readonly Block[], from: number, line: number): number {
  let index = from;
  while ((blocks[index]?.line ?? Infinity) < line) index += 1;
  return index;
}
