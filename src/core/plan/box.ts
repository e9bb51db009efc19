import type { Task } from './plan.ts';

/** A checkbox at the start of a list item. */
export interface Box {
  /** 1-based. */
  readonly line: number;
  /** Of the opening bracket in its line, from 0. All before it is ASCII: blanks and list markers. */
  readonly column: number;
  /** What stands between the brackets: one character. */
  readonly mark: string;
}

/** GitHub's task list item, with any one character as its mark; then a blank or nothing, so `[a](link)` is none. */
const box = /^\[([^\n[\]\\]\uFE0F?)\](?=\s|$)/u;
const almost = /^\[[ \txX-]{0,3}\](?![([:])/;
const beforeBox = /^(?:[ \t]*(?:[-*+]|\d{1,9}[.)]))*[ \t]*/;

export interface BoxReading {
  readonly box: Box;
  /** The rest of the item's first line. */
  readonly rest: string;
}

/** `text`: the first line of an item's first paragraph; `raw`: the whole line in the file. */
export function readBox(text: string, raw: string, line: number): BoxReading | undefined {
  const [whole, mark] = box.exec(text) ?? [];
  const column = beforeBox.exec(raw)?.[0].length ?? 0;
  if (whole === undefined || mark === undefined || raw[column] !== '[') return undefined;
  return { box: { line, column, mark }, rest: text.slice(whole.length).trim() };
}

/** `[]`, `[ x]`, `[ ]text`: meant as a box, but none. */
export function isAlmostBox(text: string): boolean {
  return almost.test(text);
}

/** Undefined for a mark that has no meaning (contract: pending, with a notice). */
export function stateOf(mark: string): Task['state'] | undefined {
  if (mark === 'x' || mark === 'X') return 'done';
  if (mark === '-') return 'skipped';
  return mark === ' ' || mark === '\t' ? 'pending' : undefined;
}
