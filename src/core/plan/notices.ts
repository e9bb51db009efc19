import type { Block } from './blocks.ts';
import { isAlmostBox, stateOf } from './box.ts';
import { quote, type Problem } from './problem.ts';

/** What of the text was read in a way that its writer may not expect. */
export function noticesOf(blocks: readonly Block[]): readonly Problem[] {
  const notices: Problem[] = [];
  for (const block of blocks) {
    const message = noticeOf(block);
    if (message !== undefined) notices.push({ line: block.line, message });
  }
  return notices;
}

function noticeOf(block: Block): string | undefined {
  switch (block.kind) {
    case 'item':
      return block.box && noticeOfMark(block.box.mark);
    case 'paragraph':
      return block.opens && !block.opens.box ? noticeOfItem(block.lines[0] ?? '') : undefined;
    case 'heading':
      return block.underlined && /[.,;:!?]$|\n/.test(block.text)
        ? 'a line of dashes makes the text above it a heading: put a blank line between them'
        : undefined;
    case 'code':
      return block.open ? 'this code fence is not closed: what follows in it is text' : undefined;
    case 'html':
    case 'rule':
    case 'quote':
      return undefined;
  }
}

function noticeOfMark(mark: string): string | undefined {
  const isKnown = stateOf(mark) !== undefined;
  return isKnown ? undefined : `the mark ${quote(`[${mark}]`)} has no meaning: read as pending`;
}

function noticeOfItem(text: string): string | undefined {
  if (!isAlmostBox(text)) return undefined;
  return `${quote(text.slice(0, 20))} is no box: write \`[ ]\` and a blank`;
}
