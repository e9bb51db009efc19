/** spec-kit: tasks.md (`T001`, `[P]`, phases), its checklists (`CHK001`), and spec.md (user stories). */
import type { Heading } from '../plan/blocks.ts';
import { headingsIn, openDocument, readBoxDocument } from './box-document.ts';
import type { BoxDocument, DocumentBox, OpenDocument } from './box-document.ts';
import { paragraphs, type ReadOptions } from './dialect.ts';
import { bareTask, type Source, type SourceNeed, type SourceTask } from './draft.ts';
import { countBoxes } from './fix-plan.ts';
import { scenariosIn } from './scenarios.ts';
import { notDeeper, sectionsOf } from './sections.ts';

const userStory = /^User Story (\d+)\s*[-–—:]\s*(.*)$/i;

export function isUserStory({ text }: Heading): boolean {
  return userStory.test(text);
}

export function readSpecKit(text: string, options: ReadOptions): Source {
  const document = openDocument(text, options.log);
  const boxes = readBoxDocument(document, options.log);
  const isSpec = headingsIn(document.blocks).some(isUserStory) && boxes.boxes.length === 0;
  return isSpec ? readSpec(document, options) : readTasks(boxes, options);
}

/** `T001`, `CHK001`: what spec-kit puts in front; then its labels. */
const head = /^(?:\*\*)?([A-Z]{1,5}-?\d{1,6}[a-z]?)(?:\*\*)?[.:)]?\s+(?:[-–—]\s+)?(.*)$/;
const labels = /^((?:\[(?:P|US\d{1,6}|[A-Z][\w-]{0,20})\]\s*)*)(.*)$/;

interface Headed {
  readonly id: string | undefined;
  readonly title: string;
  readonly labels: string;
}

function headOf(title: string): Headed {
  const [, id, behind] = head.exec(title) ?? [];
  const [, flags = '', rest = ''] = labels.exec(behind ?? title) ?? [];
  return { id, title: rest, labels: flags };
}

/**
 * Phases follow each other. In a phase, tasks with `[P]` that stand together wait for what is before them, not for each
 * other; any other task waits for all of those.
 */
function readTasks({ title, boxes, rest }: BoxDocument, { log }: ReadOptions): Source {
  countBoxes(boxes, rest, log);
  const heads = boxes.map((box) => headOf(box.title));
  const needs = needsOf(boxes, heads);
  const tasks = boxes.map((box, at): SourceTask => {
    const { id, title: own, labels: flags } = heads[at] ?? headOf(box.title);
    const { line, state, under, boxes: acceptance } = box;
    if (id !== undefined) log.count('`T001` before a title', 'id', line);
    if (flags.includes('[P]')) log.count('[P]', needs && 'needs', line);
    const story = flags.replace(/\[P\]\s*/g, '').trim();
    if (story !== '') log.count('[US1] and the like', 'text', line);
    const part = [...under, story].filter((words) => words !== '').join(' › ');
    const text = paragraphs(['', box.text], ['Part of', part]);
    return { ...bareTask, id, title: own, state, needs: needs?.[at], text, acceptance, line };
  });
  return { title, preamble: rest, tasks };
}

/** Undefined where no task has `[P]`, or where one has no id that a need could name: then each waits for the one before. */
function needsOf(
  boxes: readonly DocumentBox[],
  heads: readonly Headed[],
): readonly (readonly SourceNeed[])[] | undefined {
  const ids = heads.map(({ id }) => id);
  const isTold = heads.some(({ labels: flags }) => flags.includes('[P]'));
  if (!isTold || ids.includes(undefined) || new Set(ids).size < ids.length) return undefined;
  let group = { needs: [] as readonly SourceNeed[], members: [] as SourceNeed[], key: '' };
  return boxes.map(({ line, under }, at) => {
    const isParallel = heads[at]?.labels.includes('[P]') === true;
    const key = isParallel ? `[P] ${under.join('\n')}` : '';
    const joins = key !== '' && key === group.key;
    if (!joins) group = { needs: group.members, members: [], key };
    group.members.push({ id: ids[at] ?? '', line });
    return group.needs.map((need) => ({ ...need, line }));
  });
}

/** Each user story is a task, in the spec's order; its acceptance scenarios are criteria. */
function readSpec(document: OpenDocument, { log }: ReadOptions): Source {
  const { blocks } = document;
  const found = sectionsOf(document, { isOne: isUserStory, closes: notDeeper }, log);
  const tasks = found.sections.map(({ heading, to, text }): SourceTask => {
    const [, number = '', title = ''] = userStory.exec(heading.text) ?? [];
    const { line } = heading;
    log.count('user story', 'a task `US1`; its number is the id', line);
    if (/\(priority:/i.test(title))
      log.count('(Priority: P1)', "text; the document's order is the order", line);
    const acceptance = scenariosIn(blocks, heading.end, to);
    for (const one of acceptance)
      log.count('acceptance scenario', 'acceptance, as boxes', one.line);
    return { ...bareTask, id: `US${number}`, title, text, acceptance, line };
  });
  return { title: found.title, preamble: found.rest, tasks };
}
