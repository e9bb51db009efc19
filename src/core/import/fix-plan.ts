/** fix_plan.md and any other checklist: a box is a task, in the document's order. */
import { openDocument, readBoxDocument, type DocumentBox } from './box-document.ts';
import { paragraphs, type ReadOptions } from './dialect.ts';
import { bareTask, type Source, type SourceTask } from './draft.ts';
import type { Log } from './log.ts';

const later = /^\W*(?:optional|future|nice[- ]to[- ]have)s?\b/i;

/** Boxes under Optional, Future, Nice to have and their like do not hold such a loop up: they are skipped, and told. */
export function readFixPlan(text: string, { log }: ReadOptions): Source {
  const { title, boxes, rest } = readBoxDocument(openDocument(text, log), log);
  countBoxes(boxes, rest, log);
  return { title, preamble: rest, tasks: boxes.map((box) => taskOf(box, log)) };
}

/** What became of a document of boxes, and of the rest of it. */
export function countBoxes(boxes: readonly DocumentBox[], rest: string, log: Log): void {
  for (const { line, under, text, boxes: inner } of boxes) {
    log.count('box', 'a task; its mark is the state', line);
    if (under.length > 0) log.count('heading above a box', 'text', line);
    if (text.trim() !== '') log.count('text under a box', 'text', line);
    for (const box of inner) log.count('box in a box', 'acceptance, as boxes', box.line);
  }
  if (rest !== '') log.count('text outside of boxes', 'text before the tasks', 1);
}

function taskOf({ line, title, state, under, text, boxes }: DocumentBox, log: Log): SourceTask {
  const aside = under.find((heading) => later.test(heading));
  const isLeft = aside !== undefined && state === 'pending';
  if (isLeft) log.count(`box under \`${aside}\``, 'skipped', line);
  return {
    ...bareTask,
    title,
    state: isLeft ? 'skipped' : state,
    text: paragraphs(['', text], ['Part of', under.join(' › ')]),
    acceptance: boxes,
    line,
  };
}
