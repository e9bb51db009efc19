/** Issues of beads: a line of JSON each, or the list that `bd list --json` prints. */
import { quote } from '../plan/problem.ts';
import { criteriaIn, paragraphs, type ReadOptions } from './dialect.ts';
import { bareTask } from './draft.ts';
import type { DraftState, Source, SourceNeed, SourceTask } from './draft.ts';
import { JsonError, readJson, type JsonNode } from './json.ts';
import { rowOf, type Row } from './json-row.ts';
import type { Log } from './log.ts';

export function isBeadsIssue(node: JsonNode | undefined): boolean {
  if (node?.kind !== 'object') return false;
  const has = (key: string): boolean => node.entries.has(key);
  return has('id') && has('title') && ['issue_type', 'status', 'priority'].some(has);
}

/** An export, with one object a line, or a list. Throws JsonError. */
function readIssues(text: string): readonly JsonNode[] {
  if (text.trimStart().startsWith('[')) {
    const list = readJson(text);
    return list.kind === 'array' ? list.items : [];
  }
  return text
    .split(/\r\n?|\n/)
    .flatMap((line, index) => (line.trim() === '' ? [] : [readJson(line, index + 1)]));
}

/** Kinds that are no work of their own. */
const noWork = [
  'epic',
  'message',
  'gate',
  'template',
  'molecule',
  'wisp',
  'event',
  'agent',
  'role',
];

const states: Readonly<Record<string, DraftState>> = {
  closed: 'done',
  deferred: 'skipped',
  open: 'pending',
  in_progress: 'pending',
  blocked: 'pending',
  pinned: 'pending',
  hooked: 'pending',
};

const blocking = ['blocks', 'conditional-blocks', 'waits-for'];

interface Issue {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly row: Row;
  readonly edges: readonly Edge[];
}

interface Edge {
  readonly id: string;
  readonly type: string;
  readonly line: number;
}

/** Epics are no tasks: who needs one needs its children. Priorities 0 to 4 are the order. */
export function readBeads(text: string, { log }: ReadOptions): Source {
  const issues = readIssues(text).flatMap((node) => {
    if (node.kind === 'object') return [issueOf(rowOf(node, '', log), log)];
    throw new JsonError(node.line, 'expected an object for each issue');
  });
  const isLeft = ({ kind, status }: Issue): boolean =>
    noWork.includes(kind) || status === 'tombstone';
  const left = new Set(issues.filter(isLeft).map(({ id }) => id));
  const children = childrenOf(issues);
  const tasks = issues.flatMap((issue) => {
    if (!left.has(issue.id)) return [taskOf(issue, { left, children, log })];
    const what = issue.status === 'tombstone' ? 'tombstone' : issue.kind;
    log.count(`issue of type ${quote(what)}`, undefined, issue.row.line);
    return [];
  });
  return { title: '', preamble: '', tasks };
}

function issueOf(row: Row, log: Log): Issue {
  const edges = row.rows('dependencies', 'needs, where the type blocks').flatMap((edge): Edge[] => {
    const on = edge.word('depends_on_id', 'needs') ?? edge.word('id', 'needs');
    const type = edge.text('type', 'kind of need') || edge.text('dependency_type', 'kind of need');
    edge.word('issue_id', 'the task that needs');
    edge.leave();
    if (on === undefined) log.problem(edge.line, 'a dependency without `depends_on_id`');
    return on === undefined ? [] : [{ id: on, type: type || 'blocks', line: edge.line }];
  });
  const id = row.word('id', 'id') ?? '';
  const kind = row.text('issue_type', 'which issues are tasks').toLowerCase();
  return { id, kind, status: row.text('status', 'state').toLowerCase(), row, edges };
}

/** By a parent-child edge, or by the id: `bd-a1.2` is a child of `bd-a1`. */
function childrenOf(issues: readonly Issue[]): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>();
  for (const { id, edges } of issues) {
    const parents = edges.filter(({ type }) => type === 'parent-child').map((edge) => edge.id);
    const named = /^(.+)\.\d+$/.exec(id)?.[1];
    for (const parent of new Set([...parents, ...(named === undefined ? [] : [named])]))
      children.set(parent, [...(children.get(parent) ?? []), id]);
  }
  return children;
}

interface Around {
  /** Issues that are no tasks. */
  readonly left: ReadonlySet<string>;
  readonly children: ReadonlyMap<string, readonly string[]>;
  readonly log: Log;
}

function taskOf({ id, status, row, edges }: Issue, around: Around): SourceTask {
  const { log } = around;
  const known = status === '' ? 'pending' : states[status];
  if (known === undefined)
    log.notice(row.line, `the status ${quote(status)} is not known: pending`);
  else if (known === 'pending' && !['', 'open'].includes(status))
    log.notice(row.line, `the status ${quote(status)} is pending here`);
  const task: SourceTask = {
    ...bareTask,
    id,
    title: row.text('title', 'title'),
    state: known ?? 'pending',
    needs: edges.flatMap((edge) => needsOf(edge, id, around)),
    text: paragraphs(
      ['', row.text('description', 'text')],
      ['Design', row.text('design', 'text')],
      ['Notes', row.text('notes', 'text')],
      ['Labels', labelsOf(row)],
    ),
    acceptance: criteriaIn(row.text('acceptance_criteria', 'acceptance, as boxes')),
    line: row.line,
    rank: row.number('priority', 'order') ?? 2,
  };
  row.leave();
  return task;
}

function labelsOf(row: Row): string {
  return row
    .words('labels', 'text')
    .map(({ text }) => text)
    .join(', ');
}

function needsOf(edge: Edge, self: string, { left, children, log }: Around): readonly SourceNeed[] {
  const { id, type, line } = edge;
  if (!blocking.includes(type)) {
    log.count(`dependency of type ${quote(type)}`, undefined, line);
    return [];
  }
  if (!left.has(id)) return [{ id, line }];
  const work = workUnder(id, left, children).filter((child) => child !== self);
  const instead =
    work.length === 0 ? 'nothing, it has no children here' : work.map(quote).join(', ');
  log.notice(line, `needs ${quote(id)}, which is no task: ${instead} instead`);
  return work.map((child) => ({ id: child, line }));
}

/** Epics may hold epics, and, in broken files, themselves. */
function workUnder(
  root: string,
  left: ReadonlySet<string>,
  children: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const seen = new Set([root]);
  for (const id of seen) {
    if (!left.has(id)) continue;
    for (const child of children.get(id) ?? []) seen.add(child);
  }
  return [...seen].filter((id) => !left.has(id));
}
