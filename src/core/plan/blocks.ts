/** The plan's block structure, by CommonMark: what is a heading, a box, text, and what only looks like one. */
import MarkdownIt from 'markdown-it';
import { readBox, type Box } from './box.ts';
import { readLabel } from './field-label.ts';
import { lineAt, type Lines } from './lines.ts';

/** Where a block stands: 1-based lines, `end` excluded. `depth`: how many list items it is in. */
interface Extent {
  readonly line: number;
  readonly end: number;
  readonly depth: number;
}

/** Of the document; a heading in a list is no block. */
export interface Heading extends Extent {
  readonly kind: 'heading';
  readonly level: number;
  readonly text: string;
  /** By the line of dashes or equals signs under it. */
  readonly underlined: boolean;
}

export interface Paragraph extends Extent {
  readonly kind: 'paragraph';
  /** Without its box; `lines[k]` stands on line `line + k` of the file. */
  readonly lines: readonly string[];
  /** The item that it begins. */
  readonly opens: Item | undefined;
}

/** A list item; `depth` counts itself. */
export interface Item extends Extent {
  readonly kind: 'item';
  readonly box: Box | undefined;
  /** Whether it is in an item that has a box. */
  readonly inBox: boolean;
}

export interface Html extends Extent {
  readonly kind: 'html';
  readonly text: string;
}

export interface Other extends Extent {
  readonly kind: 'rule' | 'code' | 'quote';
  /** A code fence that nothing closes: it ends with what it is in. */
  readonly open: boolean;
}

export type Block = Heading | Paragraph | Item | Html | Other;

/** Deeper than a person's lists; what is deeper still is no block, so that no input overflows the stack. */
const MOST_NESTING = 100;

const markdown = new MarkdownIt('commonmark', { html: true, maxNesting: MOST_NESTING });
markdown.core.ruler.enableOnly(['normalize', 'block']);
// A link's definition becomes a paragraph: nothing here looks links up.
markdown.block.ruler.disable('reference');

type Token = ReturnType<typeof markdown.parse>[number];
type Open<Kind> = { -readonly [Key in keyof Kind]: Kind[Key] };

interface Reading {
  readonly lines: Lines;
  /** Lines of front matter before the text. */
  readonly skip: number;
  readonly blocks: Block[];
  readonly items: Open<Item>[];
  /** The item whose first block is still to come. */
  fresh: Open<Item> | undefined;
  quotes: number;
}

/** Blocks in the order in which they begin. What is in a quote is not looked at. */
export function readBlocks(lines: Lines, skip: number): readonly Block[] {
  const text = lines.text.slice(lines.starts[skip] ?? lines.text.length);
  const reading: Reading = { lines, skip, blocks: [], items: [], fresh: undefined, quotes: 0 };
  const tokens = markdown.parse(text, {});
  tokens.forEach((token, index) => readToken(reading, token, tokens[index + 1]));
  return reading.blocks;
}

function readToken(reading: Reading, token: Token, next: Token | undefined): void {
  if (token.type === 'blockquote_close') reading.quotes -= 1;
  else if (reading.quotes === 0) readBlock(reading, token, next);
  if (token.type === 'blockquote_open') reading.quotes += 1;
}

function readBlock(reading: Reading, token: Token, next: Token | undefined): void {
  switch (token.type) {
    case 'list_item_open':
      return openItem(reading, token);
    case 'list_item_close':
      reading.items.pop();
      return endFirst(reading);
    case 'paragraph_open':
      return addParagraph(reading, token, next?.content ?? '');
    case 'heading_open':
      addHeading(reading, token, next?.content ?? '');
      return endFirst(reading);
    case 'html_block':
      reading.blocks.push({ kind: 'html', text: token.content, ...extentOf(reading, token) });
      return endFirst(reading);
    case 'hr':
      return addOther(reading, token, 'rule');
    case 'blockquote_open':
      return addOther(reading, token, 'quote');
    case 'fence':
    case 'code_block':
      return addOther(reading, token, 'code');
    default:
  }
}

function extentOf({ skip, items }: Reading, { map }: Token): Extent {
  const [from, to] = map ?? [0, 0];
  return { line: from + skip + 1, end: to + skip + 1, depth: items.length };
}

function endFirst(reading: Reading): void {
  reading.fresh = undefined;
}

function openItem(reading: Reading, token: Token): void {
  const inBox = reading.items.some(({ box }) => box !== undefined);
  const extent = extentOf(reading, token);
  const item: Open<Item> = {
    kind: 'item',
    ...extent,
    depth: extent.depth + 1,
    box: undefined,
    inBox,
  };
  reading.items.push(item);
  reading.blocks.push(item);
  reading.fresh = item;
}

function addParagraph(reading: Reading, token: Token, content: string): void {
  const extent = extentOf(reading, token);
  const lines = content.split('\n');
  const opens = reading.fresh;
  const first = lines[0] ?? '';
  const found = opens && readBox(first, lineAt(reading.lines, extent.line), extent.line);
  if (found) {
    opens.box = found.box;
    lines[0] = found.rest;
  }
  reading.blocks.push({ kind: 'paragraph', ...extent, lines, opens });
  endFirst(reading);
}

/** Text right above a line of dashes is a heading to CommonMark; to the writer of a field or an item it is that text. */
function addHeading(reading: Reading, token: Token, content: string): void {
  const underlined = !token.markup.startsWith('#');
  const extent = extentOf(reading, token);
  if (underlined && (extent.depth > 0 || readLabel(content) !== undefined)) {
    addParagraph(reading, token, content);
  } else if (extent.depth === 0) {
    const level = Number(token.tag.slice(1));
    reading.blocks.push({ kind: 'heading', ...extent, level, text: content, underlined });
  }
}

function addOther(reading: Reading, token: Token, kind: Other['kind']): void {
  const extent = extentOf(reading, token);
  const open = token.type === 'fence' && !isClosed(extent, token.content);
  reading.blocks.push({ kind, ...extent, open });
  endFirst(reading);
}

/** A fence that is closed takes one line more than its opening and its content. */
function isClosed({ line, end }: Extent, content: string): boolean {
  const inside = content.split('\n').length - (/(?:^|\n)$/.test(content) ? 1 : 0);
  return end - line === inside + 2;
}
