import type { Source } from './draft.ts';
import type { Log } from './log.ts';
import { plainText } from './writable.ts';

export const formats = [
  'prd',
  'taskmaster',
  'beads',
  'github',
  'ralphex',
  'fix-plan',
  'spec-kit',
  'openspec',
] as const;

export type Format = (typeof formats)[number];

export interface ReadOptions {
  readonly log: Log;
  /** Of Taskmaster's file. */
  readonly tag: string | undefined;
}

/** Reads one format; what is wrong in it goes to the log, and JsonError is thrown for what is no JSON. */
export type Dialect = (text: string, options: ReadOptions) => Source;

/** Labelled paragraphs, those without a text left out. */
export function paragraphs(...parts: readonly (readonly [label: string, text: string])[]): string {
  return parts
    .map(([label, text]) => [label, plainText(text)] as const)
    .filter(([, text]) => text !== '')
    .map(([label, text]) => (label === '' ? text : labelled(label, text)))
    .join('\n\n');
}

function labelled(label: string, text: string): string {
  return text.includes('\n') ? `${label}:\n\n${text}` : `${label}: ${text}`;
}

const bullet = /^\s*(?:[-*+]|\d{1,9}[.)])?\s*(?:\[(?<mark>[ xX])\]\s+)?(?<text>[^]*)$/;

/** Prose that says how work is judged, a criterion a line; bullets and boxes in front are not part of it. */
export function criteriaIn(
  prose: string,
): readonly { readonly text: string; readonly done: boolean }[] {
  return prose.split(/\r\n?|\n/).flatMap((line) => {
    const { mark = ' ', text = '' } = bullet.exec(line)?.groups ?? {};
    return text.trim() === '' ? [] : [{ text, done: mark !== ' ' }];
  });
}
