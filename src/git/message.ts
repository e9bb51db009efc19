import type { CommitMessage } from '../ports.ts';

const longestSubject = 200;
const longestTrailer = 1000;

/** A commit message in which whatever strangers wrote is text: subject in one line, trailers in the last paragraph, no control characters. */
export function renderMessage({ subject, body, trailers }: CommitMessage): string {
  const parts = [
    subjectLine(subject) || trailerValue(trailers, 'Skeleton-Task') || 'skeleton: checkpoint',
    plainText(body).trim(),
    trailers.map(([name, value]) => `${name}: ${cut(oneLine(value), longestTrailer)}`).join('\n'),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function subjectLine(text: string): string {
  return cut(oneLine(text), longestSubject);
}

function trailerValue(trailers: CommitMessage['trailers'], wanted: string): string {
  return subjectLine(trailers.find(([name]) => name === wanted)?.[1] ?? '');
}

export function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
}

/** Line ends and tabs stay; a line that begins like a trailer cannot pass for one: only the last paragraph holds them. */
export function plainText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '');
}

function cut(text: string, most: number): string {
  const chars = Array.from(text);
  return chars.length <= most ? text : `${chars.slice(0, most - 1).join('')}…`;
}
