import type { Block } from './blocks.ts';
import { inComment } from './marker.ts';
import { stateOf } from './box.ts';
import { namesOf, type Named } from './names.ts';
import { needsOfAll, type TaskNeeds } from './needs.ts';
import type { Draft, Outline } from './outline.ts';
import type { Task } from './plan.ts';
import type { Problem } from './problem.ts';
import { dependencyRows } from './summary-table.ts';
import { readTaskFields, type TaskFields } from './task-fields.ts';
import { assignIds } from './task-ids.ts';

export interface TasksReading {
  readonly tasks: readonly Task[];
  readonly problems: readonly Problem[];
  readonly notices: readonly Problem[];
}

interface Read {
  readonly draft: Draft;
  readonly fields: TaskFields;
}

/** From what stands in the text to tasks that know their ids and what they wait for. */
export function readTasks(
  { form, drafts, groups }: Outline,
  blocks: readonly Block[],
): TasksReading {
  const reads = drafts.map((draft) => ({ draft, fields: readTaskFields(draft.section.fields) }));
  const ids = assignIds(reads);
  const names = namesOf(ids.named, groups, form === 'boxes');
  const waiting = reads.map(({ draft: { line, title }, fields }, index) => ({
    line,
    id: ids.named[index]?.id ?? '',
    fields: fields.needs,
    parallel: title.parallel,
  }));
  const needs = needsOfAll(waiting, names, form === 'headings' ? dependencyRows(blocks) : []);
  const idOf = (index: number): string => ids.named[index]?.id ?? '';
  return {
    tasks: reads.flatMap((read, index) => {
      const [name, need] = [ids.named[index], needs.needs[index]];
      return name && need ? [taskOf(read, name, need, idOf)] : [];
    }),
    problems: [...reads.flatMap(problemsOf), ...ids.problems, ...needs.problems],
    notices: needs.notices,
  };
}

function taskOf(
  { draft, fields }: Read,
  name: Named,
  needs: TaskNeeds,
  idOf: (index: number) => string,
): Task {
  return {
    id: name.id,
    title: draft.title.title,
    state: stateOfTask(draft, name),
    needs: needs.tasks.map(idOf),
    explicitNeeds: needs.explicit,
    line: draft.line,
    text: draft.text,
    goal: fields.goal,
    acceptance: draft.section.acceptance,
    files: fields.files,
    config: fields.config,
  };
}

/**
 * What the marks say (contract, "PLAN.md"): a box is its own mark; a heading is done when no box in it is open, skipped
 * when each is `[-]`; a completion marker of its own makes either done.
 */
function stateOfTask({ box, section, title }: Draft, { id, aliases }: Named): Task['state'] {
  const markers = [...title.markers, ...section.markers];
  const isOwn = (marker: string): boolean =>
    [id, ...aliases].some((word) => word === marker || inComment(word) === marker);
  if (markers.some(isOwn)) return 'done';
  const boxes = box ? [box] : section.boxes;
  const states = boxes.map(({ mark }) => stateOf(mark) ?? 'pending');
  if (states.length === 0 || states.includes('pending')) return 'pending';
  return states.includes('done') ? 'done' : 'skipped';
}

function problemsOf({ draft: { title, line, box }, fields }: Read): readonly Problem[] {
  if (title.title !== '') return fields.problems;
  const message = `task without a title: write one ${box ? 'behind its box' : 'in its heading'}`;
  return [{ line, message }, ...fields.problems];
}
