/** tasks.json of Taskmaster: tags with `tasks[]` each, or, as it was once, `tasks[]` alone. */
import { quote } from '../plan/problem.ts';
import { criteriaIn, paragraphs, type ReadOptions } from './dialect.ts';
import { bareTask, type DraftState, type Source, type SourceTask } from './draft.ts';
import { readJson, type JsonNode, type JsonObject } from './json.ts';
import { rowOf, type Row } from './json-row.ts';
import type { Log } from './log.ts';

export function isTaskmaster(node: JsonNode): boolean {
  return node.kind === 'object' && (hasTasks(node) || tagsOf(node).length > 0);
}

function hasTasks(node: JsonNode): boolean {
  return node.kind === 'object' && node.entries.get('tasks')?.kind === 'array';
}

function tagsOf({ entries }: JsonObject): readonly string[] {
  return [...entries].filter(([, node]) => hasTasks(node)).map(([tag]) => tag);
}

const nothing: Source = { title: '', preamble: '', tasks: [] };

/**
 * One tag of the file: the one that is asked for, else the only one, else `master`, Taskmaster's own default. A subtask is a
 * task `5.1` that needs what its task needs; its task comes after all of them, and may then find nothing left to change.
 */
export function readTaskmaster(text: string, { log, tag }: ReadOptions): Source {
  const root = readJson(text);
  if (root.kind === 'object') return readRoot(root, tag, log);
  log.problem(root.line, 'no tasks.json: expected an object');
  return nothing;
}

function readRoot(root: JsonObject, asked: string | undefined, log: Log): Source {
  if (hasTasks(root) && asked === undefined) return readTag(root, '', log);
  const tags = tagsOf(root);
  const tag = chosenTag(tags, asked);
  const body = tag === undefined ? undefined : root.entries.get(tag);
  if (tag === undefined || body?.kind !== 'object') {
    log.problem(root.line, noTag(asked, tags));
    return nothing;
  }
  for (const other of tags.filter((own) => own !== tag))
    log.count(`tag ${quote(other)}`, undefined, root.entries.get(other)?.line ?? 1);
  return readTag(body, tag, log);
}

function chosenTag(tags: readonly string[], asked: string | undefined): string | undefined {
  const name = asked ?? (tags.length === 1 ? tags[0] : 'master');
  return tags.find((tag) => tag === name);
}

function noTag(asked: string | undefined, tags: readonly string[]): string {
  const missing = asked === undefined ? 'name a tag with --tag' : `there is no tag ${quote(asked)}`;
  return `${missing}: ${tags.length === 0 ? 'the file has none' : tags.map(quote).join(', ')}`;
}

function readTag(body: JsonObject, name: string, log: Log): Source {
  const row = rowOf(body, '', log);
  const tasks = row.rows('tasks', 'a task').flatMap((task) => familyOf(task, log));
  const about = row.row('metadata');
  const title = about?.text('projectName', 'title of the plan') ?? '';
  const preamble = about?.text('description', 'text before the tasks') ?? '';
  about?.leave();
  row.leave();
  return { title: title === '' ? name : title, preamble, tasks };
}

const states: Readonly<Record<string, DraftState>> = {
  done: 'done',
  completed: 'done',
  cancelled: 'skipped',
  deferred: 'skipped',
  pending: 'pending',
  'in-progress': 'pending',
  review: 'pending',
  blocked: 'pending',
};

const ranks: Readonly<Record<string, number>> = { critical: 0, high: 1, medium: 2, low: 3 };

/** A task with its subtasks before it. */
function familyOf(row: Row, log: Log): readonly SourceTask[] {
  const own = taskOf(row, log);
  const read = row.rows('subtasks', 'a task `5.1` each').map((subtask) => {
    const task = taskOf(subtask, log);
    subtask.leave();
    return task;
  });
  row.leave();
  const siblings = new Set(read.map(({ id }) => id));
  const subtasks = read.map((task) => subtaskOf(task, own, siblings, log));
  const inner = subtasks.flatMap(({ id, line }) => (id === undefined ? [] : [{ id, line }]));
  const needs = [...(own.needs ?? []), ...inner];
  return [...subtasks, { ...own, needs, allowEmpty: subtasks.length > 0 }];
}

/** Its own id is a number within its task, and so are those that it needs, where a sibling has that number. */
function subtaskOf(
  task: SourceTask,
  parent: SourceTask,
  siblings: ReadonlySet<string | undefined>,
  log: Log,
): SourceTask {
  const within = (id: string): string => (id.includes('.') ? id : `${parent.id ?? ''}.${id}`);
  const id = task.id === undefined ? undefined : within(task.id);
  const needs = (task.needs ?? []).map((need) =>
    siblings.has(need.id) ? { ...need, id: within(need.id) } : need,
  );
  const state = task.state === 'pending' ? parent.state : task.state;
  if (state !== task.state)
    log.notice(task.line, `${quote(id ?? '')} is ${state}, because its task is`);
  return { ...task, id, state, needs: [...(parent.needs ?? []), ...needs], rank: parent.rank };
}

function taskOf(row: Row, log: Log): SourceTask {
  return {
    ...bareTask,
    id: row.word('id', 'id'),
    title: row.text('title', 'title'),
    state: stateOf(row, log),
    needs: row.words('dependencies', 'needs').map(({ text, line }) => ({ id: text, line })),
    text: paragraphs(
      ['', row.text('description', 'text')],
      ['Details', row.text('details', 'text')],
    ),
    acceptance: [
      ...criteriaIn(row.text('testStrategy', 'acceptance, as boxes')),
      ...acceptanceOf(row),
    ],
    line: row.line,
    rank: ranks[row.text('priority', 'order').toLowerCase()] ?? ranks['medium'] ?? 0,
  };
}

/** Written as one text by some versions, as a list by others. */
function acceptanceOf(row: Row): SourceTask['acceptance'] {
  const key = 'acceptanceCriteria';
  if (!row.has(key)) return [];
  return row.isList(key)
    ? row.words(key, 'acceptance, as boxes').map(({ text }) => ({ text, done: false }))
    : criteriaIn(row.text(key, 'acceptance, as boxes'));
}

function stateOf(row: Row, log: Log): DraftState {
  const said = row.text('status', 'state');
  const known = said === '' ? 'pending' : states[said.toLowerCase()];
  if (known === undefined) log.notice(row.line, `the status ${quote(said)} is not known: pending`);
  else if (known === 'pending' && !['', 'pending'].includes(said))
    log.notice(row.line, `the status ${quote(said)} is pending here`);
  return known ?? 'pending';
}
