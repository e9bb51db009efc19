import type { Block } from '../plan/blocks.ts';
import type { FoundBox } from './box-document.ts';

interface Scenario {
  readonly line: number;
  readonly head: string;
  readonly steps: string[];
}

/** Numbered `**Given** …` items, and the items under `#### Scenario:` headings, each scenario one line. */
export function scenariosIn(
  blocks: readonly Block[],
  from: number,
  to: number,
): readonly FoundBox[] {
  const found: Scenario[] = [];
  let open: Scenario | undefined;
  for (const [index, block] of blocks.entries()) {
    if (block.line < from || block.line >= to) continue;
    const text = itemText(block, blocks[index + 1]);
    if (block.kind === 'heading') open = undefined;
    if (open && text !== '') open.steps.push(text);
    const begun = open ? undefined : scenarioAt(block, text);
    if (begun) found.push(begun);
    if (block.kind === 'heading') open = begun;
  }
  return found.map(({ line, head, steps }) => {
    const text = steps.length === 0 ? head : `${head}: ${steps.join('; ')}`;
    return { line, text, done: false };
  });
}

/** A heading that is called so, or an item that begins with what is given. */
function scenarioAt(block: Block, text: string): Scenario | undefined {
  const { line } = block;
  if (block.kind !== 'heading')
    return /^\W*given\b/i.test(text) ? { line, head: text, steps: [] } : undefined;
  return /^scenario\b/i.test(block.text) ? { line, head: block.text, steps: [] } : undefined;
}

/** '' for what is no item of text. */
function itemText(block: Block, own: Block | undefined): string {
  return block.kind === 'item' && own?.kind === 'paragraph' ? own.lines.join(' ') : '';
}
