/** Strangers' words in a form that the parser reads back as they are written. */
import { withoutComments } from '../plan/inline.ts';
import { readBoxTitle } from '../plan/titles.ts';
import { isNone } from '../plan/words.ts';

const LONGEST_ID = 100;
export const LONGEST_TITLE = 300;

const control = /[^\P{Cc}\n\t]|\p{Surrogate}/gu;

/** Whether `plainText` has to replace something. */
export function hasControls(text: string): boolean {
  return text.replaceAll('\r', '').search(control) >= 0;
}

/** Lines end at `\n`; control characters and halves of characters are U+FFFD; no blank lines around. */
export function plainText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(control, '\uFFFD')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
}

/** On one line, blanks collapsed. */
export function flat(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim();
}

/**
 * Whether a word can be a task's id and stand in `needs`, where commas, brackets, code marks and words such as `none` and
 * `all` mean something else.
 */
export function isWritableId(id: string): boolean {
  const isWord = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._:/@+#=~-]*$/u.test(id);
  return isWord && id.length <= LONGEST_ID && !isNone(id) && id.toLowerCase() !== 'all';
}

/** The line of a box after its mark; a leading `T001` needs no `{#T001}`. */
export function boxLine(title: string, id: string): string {
  const short = `${id} ${title}`;
  return isReadAs(short, title, id) ? short : `${title} {#${id}}`;
}

function isReadAs(line: string, title: string, id: string): boolean {
  const read = readBoxTitle(line, []);
  const isSame = read.title === title && read.id === id && read.alias === undefined;
  return isSame && !read.parallel && withoutComments(line).comments.length === 0;
}

/** A comment's begin and end, an id in braces, labels and numbers in front: what the parser would take out of a title. */
const special =
  /<!--|--!?>|\{#[^{}]*\}?|^(?:\[(?:P|US\d+)\]\s*)+|\[P\]$|^(?:\*\*)?(?:T-?\d+[a-z]?|\d+(?:\.\d+)+[a-z]?)[.:)]?(?:\*\*)?[.:)]?(?=\s|$)/g;

/**
 * A title as it can stand in a box: as it is, or with what the parser would take for something else as code, or, where
 * backticks are in the way, without those. `text` is on one line.
 */
export function writableTitle(text: string, id: string): string {
  const bare = text.replace(/[`\\]/g, '').trim();
  const candidates = [
    text,
    inCode(text),
    bare,
    inCode(bare),
    text.replace(/[^\p{L}\p{N} ]/gu, ' '),
  ];
  const fits = (title: string): boolean => title !== '' && isReadAs(`${title} {#${id}}`, title, id);
  return candidates.map((title) => flat(title)).find(fits) ?? `Task ${id}`;
}

/** Text on one line that is no title. */
export function writableLine(text: string): string {
  const bare = text.replace(/[`\\]/g, '');
  const isText = (line: string): boolean => {
    const read = withoutComments(line);
    return read.comments.length === 0 && read.text.trim() === line;
  };
  const candidates = [text, inCode(text), inCode(bare)].map(flat);
  return candidates.find(isText) ?? flat(bare.replaceAll('<!--', '<! --'));
}

function inCode(text: string): string {
  return text.replace(special, (found) => `\`${found.trim()}\` `);
}

/** As it can stand in `files:` among others. */
export function isWritablePath(path: string): boolean {
  return /^[^\s,`<>{}\p{Cc}\p{Surrogate}]+$/u.test(path) && !isNone(path);
}
