/** OpenSpec: tasks.md of a change (`- [ ] 1.1 …`), and specs (`### Requirement:`, `#### Scenario:`), deltas included. */
import type { Heading } from '../plan/blocks.ts';
import { headingsIn, openDocument, readBoxDocument } from './box-document.ts';
import type { BoxDocument, OpenDocument } from './box-document.ts';
import { paragraphs, type ReadOptions } from './dialect.ts';
import { bareTask, type Source, type SourceTask } from './draft.ts';
import { countBoxes } from './fix-plan.ts';
import type { Log } from './log.ts';
import { scenariosIn } from './scenarios.ts';
import { notDeeper, sectionsOf } from './sections.ts';

const requirement = /^Requirement:\s*(.*)$/i;

export function isRequirement({ text }: Heading): boolean {
  return requirement.test(text);
}

export function readOpenSpec(text: string, { log }: ReadOptions): Source {
  const document = openDocument(text, log);
  const boxes = readBoxDocument(document, log);
  const isSpec = headingsIn(document.blocks).some(isRequirement) && boxes.boxes.length === 0;
  return isSpec ? readSpec(document, log) : readTasks(boxes, log);
}

const numbered = /^(?:\*\*)?(\d+(?:\.\d+)+[a-z]?)(?:\*\*)?[.:)]?\s+(.*)$/;

function readTasks({ title, boxes, rest }: BoxDocument, log: Log): Source {
  countBoxes(boxes, rest, log);
  const tasks = boxes.map((box): SourceTask => {
    const { line, state, under, text, boxes: acceptance } = box;
    const [, id, own] = numbered.exec(box.title) ?? [];
    if (id !== undefined) log.count('`1.1` before a title', 'id', line);
    const said = paragraphs(['', text], ['Part of', under.join(' › ')]);
    return { ...bareTask, id, title: own ?? box.title, state, acceptance, line, text: said };
  });
  return { title, preamble: rest, tasks };
}

/** Each requirement is a task; one that a delta removes is a task to remove it. */
function readSpec(document: OpenDocument, log: Log): Source {
  const { blocks } = document;
  const above = headingsIn(blocks).filter(({ level }) => level <= 2);
  const found = sectionsOf(document, { isOne: isRequirement, closes: notDeeper }, log);
  const tasks = found.sections.map(({ heading, to, text }): SourceTask => {
    const delta = deltaOf(above.findLast(({ line }) => line < heading.line));
    log.count('requirement', 'a task', heading.line);
    const acceptance = delta === 'removed' ? [] : scenariosIn(blocks, heading.end, to);
    for (const { line } of acceptance) log.count('scenario', 'acceptance, as boxes', line);
    const [, name = ''] = requirement.exec(heading.text) ?? [];
    return { ...bareTask, title: titleOf(delta, name), text, acceptance, line: heading.line };
  });
  return { title: found.title, preamble: found.rest, tasks };
}

/** `## REMOVED Requirements` above it says what becomes of it. */
function deltaOf(above: Heading | undefined): string {
  return /^(\w+) requirements$/i.exec(above?.text ?? '')?.[1]?.toLowerCase() ?? '';
}

function titleOf(delta: string, name: string): string {
  if (delta === 'removed') return `Remove: ${name}`;
  return delta === 'modified' ? `Change: ${name}` : name;
}
