/** What stands under a task's heading or box: fields, acceptance criteria, boxes, completion markers. */
import type { Block, Paragraph } from './blocks.ts';
import type { Box } from './box.ts';
import { fieldOf, meantField, readLabel, type Label } from './field-label.ts';
import { withoutComments } from './inline.ts';
import { lineAt, type Lines } from './lines.ts';
import { markersIn } from './marker.ts';
import { quote, type Problem } from './problem.ts';

export interface Field {
  /** A task's key, or id, needs, goal, files, acceptance. */
  readonly field: string;
  /** As it stands in the plan. */
  readonly label: string;
  readonly line: number;
  /** What stands behind the label. */
  readonly value: string;
  /** The items of the list under it. */
  readonly items: readonly string[];
}

export interface Section {
  readonly fields: readonly Field[];
  readonly acceptance: readonly string[];
  readonly boxes: readonly Box[];
  /** Ids of completion markers. */
  readonly markers: readonly string[];
  readonly notices: readonly Problem[];
}

/** What a section hangs under. */
export interface Base {
  /** List items around it: 0 for a heading's, the item's own depth for a box's. */
  readonly depth: number;
  /** Of a box's: its line begins at `outer` with a list marker, and its text at `inner`, both from 0. */
  readonly columns: { readonly outer: number; readonly inner: number } | undefined;
}

type OpenField = { -readonly [Key in keyof Field]: Field[Key] } & {
  items: string[];
  /** Depth of the list that gives its items. */
  readonly itemDepth: number;
};

interface Reading {
  readonly lines: Lines;
  readonly base: Base;
  readonly fields: Field[];
  readonly acceptance: string[];
  readonly notices: Problem[];
  /** The field that what comes next belongs to. */
  current: OpenField | undefined;
  /** Nothing but fields so far. */
  leading: boolean;
}

/** `blocks`: those of the section; without its heading, but with the paragraph of its box. */
export function readSection(lines: Lines, blocks: readonly Block[], base: Base): Section {
  const found: Pick<Reading, 'fields' | 'acceptance' | 'notices'> = {
    fields: [],
    acceptance: [],
    notices: [],
  };
  const reading: Reading = { lines, base, ...found, current: undefined, leading: true };
  const boxes: Box[] = [];
  const markers: string[] = [];
  for (const block of blocks) {
    readBlock(reading, block);
    if (block.kind === 'item' && block.box) boxes.push(block.box);
    for (const { id } of markersIn(block)) markers.push(id);
  }
  return { ...found, boxes, markers };
}

function readBlock(reading: Reading, block: Block): void {
  if (block.kind === 'html') return;
  if (block.kind === 'paragraph') {
    for (const part of partsOf(reading, block)) readPart(reading, block, part);
    return;
  }
  reading.leading = false;
  const within = block.kind === 'item' || block.depth > reading.base.depth;
  if (!within) reading.current = undefined;
}

/** Lines of a paragraph up to the next label. */
interface Part {
  readonly field: string | undefined;
  readonly label: Label | undefined;
  /** Of its first line in the paragraph. */
  readonly index: number;
  /** Its first line, without the label, and the others. */
  readonly first: string;
  readonly more: string[];
}

/** Fields may follow each other, and a list's last item, without a blank line between: so every line is looked at. */
function partsOf(reading: Reading, paragraph: Paragraph): readonly Part[] {
  const parts: Part[] = [];
  for (const [index, line] of paragraph.lines.entries()) {
    const label = labelAt(reading, paragraph, index);
    const last = parts.at(-1);
    if (label) parts.push({ field: fieldOf(label), label, index, first: label.value, more: [] });
    else if (last) last.more.push(line.trim());
    else parts.push({ field: undefined, label, index, first: line.trim(), more: [] });
    // Other keys than ours may stand among the fields.
    const goesOn = isTitle(reading, paragraph, index) || readLabel(line, true) !== undefined;
    reading.leading &&= goesOn;
  }
  return parts;
}

/** Whether a line is that of the section's own box. */
function isTitle({ base }: Reading, { opens, depth }: Paragraph, index: number): boolean {
  return index === 0 && opens?.box !== undefined && depth === base.depth;
}

/** The label that a line begins with, where one can stand. */
function labelAt(reading: Reading, paragraph: Paragraph, index: number): Label | undefined {
  const item = index === 0 ? paragraph.opens : undefined;
  const tooDeep = paragraph.depth > reading.base.depth + 1 && index === 0;
  if (item?.box || tooDeep) return undefined;
  const label = readLabel(paragraph.lines[index] ?? '', true);
  return label && beginsPart(reading, paragraph, index, label) ? label : undefined;
}

/** Unknown labels are text, but a bold one still ends the field before it, unless it is how an item begins. */
function beginsPart(reading: Reading, paragraph: Paragraph, index: number, label: Label): boolean {
  const known = fieldOf(label) !== undefined;
  const place = label.bold ? 'field' : plainPlace(reading, paragraph, index);
  noteDoubt(reading, paragraph.line + index, { label, known, place });
  const isItem = index === 0 && paragraph.opens !== undefined;
  return place === 'field' && (known || (label.bold && !isItem));
}

/** `text`: nobody would take it for a field. */
type Place = 'field' | 'text' | 'bulleted' | 'outdented';

/** Where a plain `key: value` is a field: right under a heading, or on a line that goes in further than its box. */
function plainPlace({ base, lines, leading }: Reading, paragraph: Paragraph, index: number): Place {
  const within = paragraph.depth - base.depth;
  if (base.columns === undefined) return within === 0 && leading ? 'field' : 'text';
  // The box's own line is no field, so that this is an item inside of it.
  if (index === 0 && paragraph.opens) return within === 1 ? 'bulleted' : 'text';
  const indent = lineAt(lines, paragraph.line + index).search(/[^ \t]/);
  if (indent <= base.columns.outer) return 'outdented';
  // Right behind a list inside the box, CommonMark takes such a line into that list's last item.
  return within === 0 || indent <= base.columns.inner ? 'field' : 'text';
}

interface Doubt {
  readonly label: Label;
  readonly known: boolean;
  readonly place: Place;
}

function noteDoubt(reading: Reading, line: number, { label, known, place }: Doubt): void {
  if (place === 'text') return;
  if (known && place !== 'field') {
    const mend = place === 'bulleted' ? 'write it without the bullet' : 'indent it';
    const message = `${quote(`${label.label}:`)} is text here, no field: ${mend}`;
    reading.notices.push({ line, message });
  }
  const meant = known || !(label.bold || reading.leading) ? undefined : meantField(label);
  if (meant === undefined) return;
  const message = `${quote(label.label)} is text here: did you mean \`${meant}\`?`;
  reading.notices.push({ line, message });
}

function readPart(reading: Reading, paragraph: Paragraph, part: Part): void {
  const text = [part.first, ...part.more].join(' ');
  if (part.label) beginField(reading, paragraph, part, part.label);
  else if (isTitle(reading, paragraph, part.index)) reading.current = undefined;
  else if (paragraph.opens) readItem(reading, paragraph.opens.box, paragraph.depth, text);
  else if (paragraph.depth === reading.base.depth) readText(reading, text);
}

/** Fields whose text may go on in the lines, or the paragraph, after the label. */
const wrapping: readonly (string | undefined)[] = ['goal', 'acceptance'];

function beginField(reading: Reading, paragraph: Paragraph, part: Part, label: Label): void {
  reading.current = undefined;
  if (part.field === undefined) return;
  const wraps = wrapping.includes(part.field) || part.first.endsWith(',');
  const text = wraps ? [part.first, ...part.more].join(' ') : part.first;
  const field: OpenField = {
    field: part.field,
    label: label.label,
    line: paragraph.line + part.index,
    // In a command, what looks like a comment may be none.
    value: part.field === 'gate' ? text : plainText(text),
    items: [],
    itemDepth: itemDepth(reading.base, paragraph, part.index),
  };
  reading.fields.push(field);
  if (part.field === 'acceptance' && field.value !== '') reading.acceptance.push(field.value);
  if (wraps || part.more.length === 0) reading.current = field;
}

/** Of the list that may follow: inside of the item that the label begins, else one of the section's own. */
function itemDepth(base: Base, { opens, depth }: Paragraph, index: number): number {
  return (opens !== undefined && index === 0 ? depth : base.depth) + 1;
}

/** An item belongs to the field above its list, unless that says something already; one with a box is a criterion. */
function readItem(reading: Reading, box: Box | undefined, depth: number, text: string): void {
  const field = reading.current?.itemDepth === depth ? reading.current : undefined;
  const shown = plainText(text);
  if (shown === '') return;
  if (field?.value === '' && !box) field.items.push(shown);
  if (field?.field === 'acceptance' || box) reading.acceptance.push(shown);
}

/** A paragraph: the text of a field that has none yet, else the end of the field. */
function readText(reading: Reading, text: string): void {
  const { current } = reading;
  const isEmpty = current?.value === '' && current.items.length === 0;
  if (!isEmpty || !wrapping.includes(current.field)) {
    reading.current = undefined;
    return;
  }
  current.value = plainText(text);
  if (current.field === 'acceptance') reading.acceptance.push(current.value);
}

function plainText(text: string): string {
  return withoutComments(text).text.trim();
}
