import type { Block, Paragraph } from './blocks.ts';

/** What a table with a `Depends On` column says of one task. */
export interface Row {
  readonly line: number;
  readonly task: string;
  /** '' for an empty cell. */
  readonly needs: string;
}

/** The rows of all such tables outside of lists. To GitHub a table is made of lines; to CommonMark those are a paragraph. */
export function dependencyRows(blocks: readonly Block[]): readonly Row[] {
  return blocks.flatMap((block) =>
    block.kind === 'paragraph' && block.depth === 0 ? rowsOf(block) : [],
  );
}

function rowsOf({ lines, line }: Paragraph): readonly Row[] {
  const head = lines.findIndex((text, index) => isHead(text, lines[index + 1] ?? ''));
  if (head < 0) return [];
  const names = cellsOf(lines[head] ?? '').map(nameOf);
  const needs = names.findIndex((name) => /^(?:depends(?: on)?|needs)$/.test(name));
  if (needs < 0) return [];
  const task = Math.max(0, names.findIndex(namesTask));
  return lines.slice(head + 2).map((text, index) => {
    const cells = cellsOf(text);
    return { line: line + head + 2 + index, task: cells[task] ?? '', needs: cells[needs] ?? '' };
  });
}

/** GFM: a row of names, and under it a row of dashes with as many cells. */
function isHead(text: string, next: string): boolean {
  if (!text.includes('|') || !next.includes('-')) return false;
  const dashes = cellsOf(next);
  return dashes.every((cell) => /^:?-+:?$/.test(cell)) && dashes.length === cellsOf(text).length;
}

function cellsOf(row: string): readonly string[] {
  const cells = row.trim().split(/(?<!\\)\|/);
  if (cells[0] === '') cells.shift();
  if (cells.length > 1 && cells.at(-1)?.trim() === '') cells.pop();
  return cells.map((cell) => cell.trim());
}

function nameOf(cell: string): string {
  return cell
    .replace(/[*`_]+/g, ' ')
    .trim()
    .replace(/\s+/g, ' ')
    .toLowerCase();
}

function namesTask(name: string): boolean {
  return /^(?:task|story|step|iteration|id|task id|#|no\.?|nr\.?)$/.test(name);
}
