/** From tasks as their source has them to a draft that can be written: ids, titles, needs, order. */
import { idFromTitle, idGiver } from '../plan/ids.ts';
import { firstCharacters, quote } from '../plan/problem.ts';
import type { Criterion, Draft, DraftTask, Source, SourceTask } from './draft.ts';
import type { Log } from './log.ts';
import { cyclesOf, orderOf } from './order.ts';
import {
  flat,
  hasControls,
  isWritableId,
  isWritablePath,
  LONGEST_TITLE,
  plainText,
  writableLine,
  writableTitle,
} from './writable.ts';

/**
 * Ids that are ids of ours stay as they are; what is changed is told. A need that names no task, or one of two of the same
 * id, and a cycle are problems: then the draft is not to be written.
 */
export function settle(source: Source, log: Log): Draft {
  const ranked = source.tasks
    .map((task, place) => ({ task, place }))
    .sort((a, b) => a.task.rank - b.task.rank || a.place - b.place)
    .map(({ task }) => task);
  const ids = idsOf(ranked, log);
  const needs = needsOf(ranked, log);
  for (const cycle of cyclesOf(needs)) {
    const way = [...cycle, cycle[0] ?? 0].map((at) => quote(ids[at] ?? '')).join(' needs ');
    log.problem(ranked[cycle[0] ?? 0]?.line ?? 1, `cycle: ${way}`);
  }
  const order = orderOf(needs);
  const moved = order.filter((at, place) => source.tasks[place] !== ranked[at]).length;
  if (moved > 0)
    log.notice(
      1,
      `${moved} tasks stand elsewhere than in the source: by priority, after their needs`,
    );
  const tasks = order.flatMap((at) => {
    const task = ranked[at];
    const own = needs[at]?.map((need) => ids[need] ?? '');
    return task === undefined ? [] : [taskOf(task, ids[at] ?? '', own, log)];
  });
  return { title: flat(source.title), preamble: plainText(source.preamble), tasks };
}

function idsOf(tasks: readonly SourceTask[], log: Log): readonly string[] {
  const kept = tasks.map(({ id }) => (id !== undefined && isWritableId(id) ? id : undefined));
  const give = idGiver(kept.filter((id) => id !== undefined));
  const firsts = new Map<string, number>();
  return tasks.map(({ id: said, title, line }, at) => {
    const id = kept[at];
    const first = id === undefined ? undefined : firsts.get(id);
    if (id !== undefined && first === undefined) {
      firsts.set(id, line);
      return id;
    }
    const made = give(id ?? madeId(said === undefined || said === '' ? title : said));
    if (first !== undefined)
      log.notice(line, `the id ${quote(said ?? '')} stands on line ${first} already: ${made} here`);
    else if (said !== undefined) log.notice(line, `${quote(said)} can be no id: it is ${made}`);
    return made;
  });
}

/** `none` and `all` mean something else in `needs`. */
function madeId(text: string): string {
  const id = idFromTitle(text);
  return isWritableId(id) ? id : `task-${id}`;
}

type Needs = readonly (readonly number[] | undefined)[];

function needsOf(tasks: readonly SourceTask[], log: Log): Needs {
  const places = new Map<string, number[]>();
  for (const [at, { id }] of tasks.entries())
    if (id !== undefined) places.set(id, [...(places.get(id) ?? []), at]);
  return tasks.map(({ needs }) => {
    if (needs === undefined) return undefined;
    const found = needs.flatMap(({ id, line }) => {
      const [at, ...others] = places.get(id) ?? [];
      if (at === undefined) log.problem(line, `needs ${quote(id)}: no task has that id`);
      if (others.length > 0)
        log.problem(line, `needs ${quote(id)}: ${others.length + 1} tasks have that id`);
      return at ?? [];
    });
    return [...new Set(found)];
  });
}

function taskOf(
  task: SourceTask,
  id: string,
  needs: readonly string[] | undefined,
  log: Log,
): DraftTask {
  const { state, line, allowEmpty } = task;
  const { title, isCut } = titleOf(task, id, log);
  const files = [...new Set(task.files)].filter(isWritablePath);
  for (const path of task.files)
    if (!isWritablePath(path))
      log.notice(line, `${quote(path)} cannot stand in \`files\`: left out there`);
  const text = plainText(isCut ? `${flat(task.title)}\n\n${task.text}` : task.text);
  const acceptance = task.acceptance.flatMap((one) => criterionOf(one, state));
  tellChanges(task, acceptance, log);
  return { id, title, state, needs, files, text, acceptance, allowEmpty };
}

function tellChanges(task: SourceTask, written: readonly Criterion[], log: Log): void {
  const { line, title, text, acceptance } = task;
  if ([title, text, ...acceptance.map((one) => one.text)].some(hasControls))
    log.notice(line, 'control characters in it are written as \uFFFD');
  const said = acceptance.map((one) => flat(one.text)).filter((words) => words !== '');
  const isChanged = written.some((one, at) => one.text !== said[at]);
  if (isChanged) log.notice(line, 'a comment in its acceptance criteria is written as code');
}

/** A title that is missing is the first line of the text, or the id; the whole of one that is cut goes to the text. */
function titleOf(
  { title: said, text, line }: SourceTask,
  id: string,
  log: Log,
): { readonly title: string; readonly isCut: boolean } {
  const own = flat(said);
  const [first = ''] = plainText(text).split('\n');
  if (own === '')
    log.notice(line, `the task ${quote(id)} has no title: the first words of its text`);
  const whole = own || flat(first) || `Task ${id}`;
  const short = firstCharacters(whole, LONGEST_TITLE);
  const isCut = short !== whole;
  const title = writableTitle(isCut ? `${short.trim()}…` : whole, id);
  if (isCut) log.notice(line, `the title of ${quote(id)} is cut: all of it stands in the text`);
  else if (title !== whole)
    log.notice(line, `the title of ${quote(id)} would not be read as text; now it is: ${title}`);
  return { title, isCut };
}

function criterionOf({ text, done }: Criterion, state: DraftTask['state']): readonly Criterion[] {
  const line = writableLine(flat(text));
  return line === '' ? [] : [{ text: line, done: done || state === 'done' }];
}
