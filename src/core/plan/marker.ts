/** `<!-- ✅ Task ID completed -->` (contract, "PLAN.md"). */
import type { Block } from './blocks.ts';
import { withoutComments } from './inline.ts';

export interface Marker {
  readonly id: string;
  readonly line: number;
}

const beginning = /^✅\uFE0F?\s+(?:(?:task|story|step|iteration)\s+)?/i;
const ending = /\s+completed$/i;

/** The id in a completion marker, from what stands between `<!--` and `-->`; undefined for any other comment. */
export function completedTask(comment: string): string | undefined {
  const text = comment.trim();
  if (!text.startsWith('✅') || text.includes('\n')) return undefined;
  const start = beginning.exec(text)?.[0].length;
  const end = ending.exec(text.slice(-40));
  if (start === undefined || end === null) return undefined;
  return text.slice(start, text.length - end[0].length);
}

const none: readonly Marker[] = [];

/** The markers in a block; in code and in quotes they are text. */
export function markersIn(block: Block): readonly Marker[] {
  const text = textOf(block);
  if (!text.includes('<!--')) return none;
  const comments = block.kind === 'html' ? htmlComments(text) : withoutComments(text).comments;
  const markers: Marker[] = [];
  let [line, counted] = [block.line, 0];
  for (const { content, start } of comments) {
    line += text.slice(counted, start).split('\n').length - 1;
    counted = start;
    const id = completedTask(content);
    if (id !== undefined) markers.push({ id, line });
  }
  return markers;
}

function textOf(block: Block): string {
  if (block.kind === 'paragraph') {
    return block.lines.some((line) => line.includes('<!--')) ? block.lines.join('\n') : '';
  }
  return block.kind === 'html' || block.kind === 'heading' ? block.text : '';
}

/** In HTML a backtick is nothing. */
function htmlComments(
  html: string,
): readonly { readonly content: string; readonly start: number }[] {
  const closed = html.slice(0, html.lastIndexOf('-->') + 3);
  return [...closed.matchAll(/<!--([^]*?)-->/g)].map(({ 1: content = '', index }) => ({
    content,
    start: index,
  }));
}

export function completionMarker(id: string): string {
  return `<!-- ✅ Task ${inComment(id)} completed -->`;
}

/** An id as a marker shows it: after dashes, `>` would end the comment. */
export function inComment(id: string): string {
  return /--!?>/.test(id) ? id.replaceAll('>', '&gt;') : id;
}
