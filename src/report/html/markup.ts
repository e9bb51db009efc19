import { visible } from '../../core/text.ts';

/** A piece of a document: what was put into it as text stays text. */
export interface Html {
  readonly html: string;
}

export type Part = string | number | Html | readonly Html[];

/**
 * HTML from a template (not called `html`: formatters would put blanks into what is preformatted). Strings are made harmless (core/text) and escaped, for text and for attributes in double quotes
 * alike; only pieces made here go in as they are.
 */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const text = strings.map((string, at) => string + (at < parts.length ? write(parts[at]) : ''));
  return { html: text.join('') };
}

export const nothing: Html = { html: '' };

/** A piece where there is something to show. */
export function when<T>(value: T | undefined, piece: (value: T) => Html): Html {
  return value === undefined || value === '' ? nothing : piece(value);
}

/** Our own text, such as a style sheet, as it is. */
export function asIs(text: string): Html {
  return { html: text };
}

function write(part: Part | undefined): string {
  if (part === undefined) return '';
  if (typeof part === 'string') return escapeHtml(visible(part));
  if (typeof part === 'number') return String(part);
  return 'html' in part ? part.html : part.map((one) => one.html).join('\n');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => entities[char] ?? char);
}
