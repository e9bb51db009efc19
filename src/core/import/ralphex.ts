/** Plans of ralphex: `### Task 1: Title` or `### Iteration 1: Title`, with boxes under it. */
import type { Block, Heading } from '../plan/blocks.ts';
import { boxesIn, headingsIn, openDocument, outdented } from './box-document.ts';
import type { OpenDocument } from './box-document.ts';
import type { ReadOptions } from './dialect.ts';
import { bareTask, type Source, type SourceTask } from './draft.ts';
import type { Log } from './log.ts';
import { sectionsOf, type DocumentSection } from './sections.ts';

const pattern = /^(?:Task|Iteration)\s+([^\s:]{1,100}):\s*(.*)$/;

export function isRalphexTask({ level, text }: Heading): boolean {
  return level === 3 && pattern.test(text);
}

/**
 * A task ends at the next one, at a heading of level 2, and at one of level 1 that is not the plan's title. It is done when
 * each of its boxes is. What `## Validation Commands` lists stays text: a stranger's commands become gates by hand only.
 */
export function readRalphex(text: string, { log }: ReadOptions): Source {
  const document = openDocument(text, log);
  const closes = (other: Heading): boolean =>
    isRalphexTask(other) || (other.level <= 2 && other !== document.title);
  const { title, sections, rest } = sectionsOf(document, { isOne: isRalphexTask, closes }, log);
  for (const { level, text: name, line } of headingsIn(document.blocks))
    if (level === 2 && /^validation commands$/i.test(name.trim()))
      log.count('## Validation Commands', undefined, line);
  const tasks = sections.map((section) => taskOf(document, section, log));
  return { title, preamble: rest, tasks };
}

function taskOf(
  { lines, blocks }: OpenDocument,
  { heading, to }: DocumentSection,
  log: Log,
): SourceTask {
  const [, id, title = ''] = pattern.exec(heading.text) ?? [];
  const from = blocks.indexOf(heading) + 1;
  // A box that shows what a box is, `[ ]` in its text, is no work.
  const boxes = boxesIn(blocks, from, to).filter(({ text }) => !/\[[ xX]\]/.test(text));
  const without = new Set(boxes.map(({ line }) => line));
  log.count('### Task N:', 'a task; N is the id', heading.line);
  for (const { line } of boxes) log.count('box', 'acceptance, as boxes', line);
  const files = filesIn(blocks, from, to);
  if (files.length > 0) log.count('**Files:**', 'files', heading.line);
  const isDone = boxes.length > 0 && boxes.every(({ done }) => done);
  return {
    ...bareTask,
    id,
    title,
    state: isDone ? 'done' : 'pending',
    text: outdented(lines, { from: heading.end, to, without }),
    acceptance: boxes,
    files,
    line: heading.line,
  };
}

/** Tokens in backticks of the list under `**Files:**`, which ends at the first box and at the next paragraph. */
function filesIn(blocks: readonly Block[], from: number, to: number): readonly string[] {
  const label = blocks.findIndex((block, at) => at >= from && block.line < to && isLabel(block));
  if (label < 0) return [];
  const after = blocks.slice(label + 1);
  const end = after.findIndex((block) => block.line >= to || endsList(block));
  return after.slice(0, end < 0 ? undefined : end).flatMap((block) => {
    const text = block.kind === 'paragraph' ? block.lines.join(' ') : '';
    return [...text.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
  });
}

function isLabel(block: Block): boolean {
  return block.kind === 'paragraph' && /^\*\*Files\b[^*]*\*\*:?\s*$/.test(block.lines[0] ?? '');
}

function endsList(block: Block): boolean {
  if (block.kind === 'item') return block.box !== undefined;
  return block.depth === 0;
}
