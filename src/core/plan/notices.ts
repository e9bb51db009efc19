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
      return block.box && stateOf(block.box.mark) === undefined
        ? `the mark ${quote(`[${block.box.mark}]`)} has no meaning: read as pending`
        : undefined;
    case 'paragraph': {
      const first = block.lines[0] ?? '';
      const almost = block.opens && !block.opens.box && isAlmostBox(first);
      return almost
        ? `${quote(first.slice(0, 20))} is no box: write \`[ ]\` and a blank`
        : undefined;
    }
    case 'code':
      return block.open ? 'this code fence is not closed: what follows in it is text' : undefined;
    case 'heading':
    case 'html':
    case 'rule':
    case 'quote':
      return undefined;
  }
}
