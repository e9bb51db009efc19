/** What the line of a heading or a box says: id, title, labels (contract, "PLAN.md"). */
import { readLabel } from './field-label.ts';
import { withoutCode, withoutComments } from './inline.ts';
import { completedTask } from './marker.ts';

export interface Title {
  /** '' where there is none, which is a problem. */
  readonly title: string;
  /** As it stands in the plan; undefined: made from the title. */
  readonly id: string | undefined;
  /** What else finds the task: its number, where `{#id}` stands beside it. */
  readonly alias: string | undefined;
  /** `[P]`: does not wait for the task before it. */
  readonly parallel: boolean;
  /** Ids of the completion markers in the line. */
  readonly markers: readonly string[];
}

interface Numbered {
  readonly id: string | undefined;
  readonly rest: string;
}

const dash = String.raw`[\p{Pd}\u2212]`;
const separator = new RegExp(String.raw`^[ \t]*(?:[:：]|${dash}+)\s*`, 'u');
const keyword = /^(?:task|story|step|iteration)\s+/i;
/** A word as an id may be one: it ends before a colon, a blank, or a dash that is no hyphen. */
const word = /^[^\s:：\u2012-\u2015\u2212]{1,100}/;
const capitals = /^\p{Lu}[\p{Lu}_-]*\p{Nd}[\p{L}\p{N}._-]*$/u;
const common =
  /^(?:task|story|step|iteration|feat|feature|bug|us|epic|t)-\p{Nd}[\p{L}\p{N}._-]*$/iu;

/** `Task ID — Title`, `US-003: Title` and their like; undefined for any other heading. */
export function readTaskHeading(text: string): Title | undefined {
  const { bare, ...line } = readLine(text);
  const shown = unwrapped(bare);
  const numbered = afterKeyword(shown) ?? beginningId(shown);
  return numbered && titleOf(numbered, line);
}

/** Any heading, where `tasks: heading-N` makes it a task: a leading `1.`, `2)`, `1.1` or `T001` is its id. */
export function readAnyHeading(text: string): Title {
  const { bare, ...line } = readLine(text);
  const shown = unwrapped(bare);
  const known = [afterKeyword, beginningId, leadingNumber, leadingId]
    .map((read) => read(shown))
    .find((found) => found !== undefined);
  return titleOf(known ?? { id: undefined, rest: shown }, line);
}

/** The first line of a box, and the other lines of its paragraph, where a long title's `{#id}` may have gone. */
export function readBoxTitle(first: string, others: readonly string[]): Title {
  const { bare, ...line } = readLine(first);
  const flags = readFlags(bare);
  const { id, rest } = leadingId(flags.rest) ?? { id: undefined, rest: flags.rest };
  const words = others.filter((other) => readLabel(other, true) === undefined);
  const own = line.own ?? words.map(ownIdIn).find((found) => found !== undefined)?.id;
  const title = titleOf({ id, rest }, { ...line, own });
  return flags.parallel ? { ...title, parallel: true } : title;
}

/** `Task 3 Title`: close enough to a task's heading to say that it is none. */
export function isAlmostTaskHeading(text: string): boolean {
  const found = keyword.exec(text);
  return (
    found !== null &&
    isId((word.exec(text.slice(found[0].length))?.[0] ?? '').replace(/[.)]+$/, ''))
  );
}

interface Line {
  readonly own: string | undefined;
  readonly markers: readonly string[];
}

/** The line without comments and `{#id}`. */
function readLine(text: string): Line & { readonly bare: string } {
  const { text: shown, comments } = withoutComments(text);
  const markers = comments.flatMap(({ content }) => completedTask(content) ?? []);
  const own = ownIdIn(shown);
  return { bare: own?.rest ?? shown.trim(), own: own?.id, markers };
}

function ownIdIn(text: string): { readonly id: string; readonly rest: string } | undefined {
  if (!text.includes('{#')) return undefined;
  const found = /\{#([^\s{}\0]+)(?:[ \t][^{}]*)?\}/.exec(withoutCode(text));
  if (found?.[1] === undefined) return undefined;
  const before = text.slice(0, found.index).trimEnd();
  const after = text.slice(found.index + found[0].length);
  return { id: found[1], rest: (before + after).trim() };
}

function titleOf({ id, rest }: Numbered, { own, markers }: Line): Title {
  const { rest: title, parallel } = readFlags(rest);
  return { title, id: own ?? id, alias: own === undefined ? undefined : id, parallel, markers };
}

/** `[P]` and story labels (`[US2]`) before the title, `[P]` also after it. */
function readFlags(text: string): { readonly rest: string; readonly parallel: boolean } {
  const [leading = ''] = /^(?:\[(?:P|US\d{1,6})\](?:\s+|$))*/.exec(text) ?? [];
  const rest = text.slice(leading.length);
  const trails = rest === '[P]' || /\s\[P\]$/.test(rest.slice(-4));
  return {
    rest: trails ? rest.slice(0, -3).trimEnd() : rest,
    parallel: trails || leading.includes('[P]'),
  };
}

/** A heading that is bold as a whole. */
function unwrapped(text: string): string {
  const inner = text.slice(2, -2);
  return text.startsWith('**') && text.endsWith('**') && !inner.includes('**') ? inner : text;
}

function afterKeyword(text: string): Numbered | undefined {
  const found = keyword.exec(text);
  if (!found) return undefined;
  const rest = text.slice(found[0].length).replace(/^#(?=\d)/, '');
  const glued = /^(\d+)-+(?=\p{L}{2})/u.exec(rest);
  const numbered = wordAndTitle(rest, isId);
  return numbered ?? (glued?.[1] ? { id: glued[1], rest: rest.slice(glued[0].length) } : undefined);
}

function beginningId(text: string): Numbered | undefined {
  const isWord = (id: string): boolean => capitals.test(id) || common.test(id);
  const found = word.exec(text)?.[0] ?? '';
  const numbered = wordAndTitle(text, isWord);
  if (numbered) return numbered.rest === '' && !common.test(found) ? undefined : numbered;
  return common.test(found) ? { id: found, rest: text.slice(found.length).trim() } : undefined;
}

/** A word that is an id, then a colon or a dash and the title, or nothing more; `[P]` may stand before the colon. */
function wordAndTitle(text: string, isIt: (id: string) => boolean): Numbered | undefined {
  const id = (word.exec(text)?.[0] ?? '').replace(/-+$/, '');
  if (!isIt(id)) return undefined;
  const behind = text.slice(id.length);
  const flag = (/^\s*\[P\](?=\s|[:：]|$)/.exec(behind) ?? [''])[0];
  const after = behind.slice(flag.length);
  const [between] = separator.exec(after) ?? /^\s*$/.exec(after) ?? [];
  if (between === undefined) return undefined;
  return { id, rest: `${flag.trim()} ${after.slice(between.length)}`.trim() };
}

/** One word with a digit, or one capital letter. */
function isId(id: string): boolean {
  return /\p{Nd}/u.test(id) ? !/[.)]$/.test(id) : /^\p{Lu}$/u.test(id);
}

/** `1. Title`, `2) Title`, `3: Title`, `1.2 — Title`. */
function leadingNumber(text: string): Numbered | undefined {
  const found = /^(\d+(?:\.\d+)*[a-z]?)(?:[.)](?=\s|$)|(?=\s*[:：\p{Pd}\u2212]))/u.exec(text);
  if (found?.[1] === undefined) return undefined;
  return { id: found[1], rest: afterSeparator(text.slice(found[0].length)) };
}

/** `T001 Title`, `1.1 Title`, with a colon, a dot or a dash after the id too. */
function leadingId(text: string): Numbered | undefined {
  const found = /^(\*\*)?(T-?\d+[a-z]?|\d+(?:\.\d+)+[a-z]?)[.:)]?\1[.:)]?(?=\s|$)/.exec(text);
  if (found?.[2] === undefined) return undefined;
  return { id: found[2], rest: afterSeparator(text.slice(found[0].length)) };
}

function afterSeparator(text: string): string {
  return text.slice(separator.exec(text)?.[0].length ?? 0).trim();
}
