import { isPlain, oneLine } from '../core/text.ts';

/** A cell: its text, and how it is painted once it is as wide as its column. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
  /** Columns that it may take, where the usual number is not enough. */
  readonly most?: number;
}

const GAP = '  ';
/** Columns that one cell may take; what is longer is cut. */
const MOST_WIDE = 60;

/** Rows as aligned columns, one line each, without trailing blanks. Control characters in cells are shown. */
export function renderTable(rows: readonly (readonly Cell[])[]): readonly string[] {
  const shown = rows.map((row) =>
    row.map((cell) => ({ ...cell, text: cut(oneLine(cell.text), cell.most) })),
  );
  const widths = columnWidths(shown);
  return shown.map((row) =>
    row
      .map((cell, at) => pad(cell, row, at, widths))
      .join('')
      .trimEnd(),
  );
}

function columnWidths(rows: readonly (readonly Cell[])[]): readonly number[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, widthOf(cell.text));
    });
  return widths;
}

function pad(cell: Cell, row: readonly Cell[], at: number, widths: readonly number[]): string {
  const text = cell.paint === undefined ? cell.text : cell.paint(cell.text);
  if (at === row.length - 1) return text;
  return text + ' '.repeat((widths[at] ?? 0) - widthOf(cell.text)) + GAP;
}

function cut(text: string, most = MOST_WIDE): string {
  if (widthOf(text) <= most) return text;
  let kept = '';
  for (const char of text) {
    if (widthOf(kept + char) > most - 1) break;
    kept += char;
  }
  return `${kept}…`;
}

const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303F\uFF01-\uFF60]/u;
const noWidth = /[\p{Mn}\p{Me}\u200C\u200D\uFE0F]/u;

/** Columns on a terminal: two for East Asian characters and emoji, none for combining marks. */
export function widthOf(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const char of text) width += noWidth.test(char) ? 0 : wide.test(char) ? 2 : 1;
  return width;
}
