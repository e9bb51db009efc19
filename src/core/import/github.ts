/** What `gh issue list --json number,title,body,state,…` prints. */
import { quote } from '../plan/problem.ts';
import { paragraphs, type ReadOptions } from './dialect.ts';
import { bareTask } from './draft.ts';
import type { DraftState, Source, SourceNeed, SourceTask } from './draft.ts';
import { readJson, type JsonNode } from './json.ts';
import { rowOf, type Row } from './json-row.ts';
import type { Log } from './log.ts';

export function isIssue(node: JsonNode | undefined): boolean {
  return node?.kind === 'object' && node.entries.has('number') && node.entries.has('title');
}

/**
 * By number, since `gh` prints the newest first. Issues stand beside each other: one waits only for those that a line of its
 * body names, `Depends on #7` or `Blocked by: #7, #8`. One that is not in the list is told, and not waited for.
 */
export function readGithub(text: string, { log }: ReadOptions): Source {
  const root = readJson(text);
  if (root.kind !== 'array') {
    log.problem(
      root.line,
      'no issue list: expected what `gh issue list --json number,title,…` prints',
    );
    return { title: '', preamble: '', tasks: [] };
  }
  const rows = root.items.flatMap((node) => {
    if (node.kind === 'object') return [rowOf(node, '', log)];
    log.problem(node.line, 'expected an object for each issue');
    return [];
  });
  const issues = rows.map((row) => ({ row, number: row.word('number', 'id') }));
  const known = new Set(issues.map(({ number }) => number));
  const tasks = issues.map(({ row, number }) => taskOf(row, number, { known, log }));
  return { title: '', preamble: '', tasks };
}

interface Around {
  readonly known: ReadonlySet<string | undefined>;
  readonly log: Log;
}

function taskOf(row: Row, number: string | undefined, { known, log }: Around): SourceTask {
  if (number === undefined) log.problem(row.line, 'an issue without `number`: ask gh for it');
  const body = row.text('body', 'text');
  const task: SourceTask = {
    ...bareTask,
    id: number,
    title: row.text('title', 'title'),
    state: stateOf(row),
    needs: needsIn(body, row.line).filter(({ id, line }) => {
      if (!known.has(id))
        log.notice(line, `needs #${id}, which is not in the list: not waited for`);
      return known.has(id);
    }),
    text: paragraphs(['', body], ['Labels', labelsOf(row)], ['Issue', row.text('url', 'text')]),
    line: row.line,
    rank: Number(number ?? 0) || 0,
  };
  row.leave();
  if (task.needs !== undefined && task.needs.length > 0)
    log.count('body: a line `Depends on #…`', 'needs', row.line);
  return task;
}

function stateOf(row: Row): DraftState {
  const isClosed = row.text('state', 'state').toLowerCase() === 'closed';
  const reason = row.text('stateReason', 'state: NOT_PLANNED is skipped').toLowerCase();
  if (isClosed) return ['not_planned', 'duplicate'].includes(reason) ? 'skipped' : 'done';
  return row.flag('closed', 'state') === true ? 'done' : 'pending';
}

const depends =
  /^[ \t]{0,8}(?:[-*][ \t]{1,4})?(?:\*\*)?(?:depends[ -]on|blocked[ -]by)(?:\*\*)?:?(?:\*\*)?((?:[ \t]{0,4}(?:,|and|&)?[ \t]{0,4}#\d{1,9})+)/gim;

function needsIn(body: string, line: number): readonly SourceNeed[] {
  return [...body.matchAll(depends)].flatMap(([, list = '']) =>
    [...list.matchAll(/#(\d+)/g)].map(([, id = '']) => ({ id, line })),
  );
}

function labelsOf(row: Row): string {
  const names = row.rows('labels', 'text').map((label) => {
    const name = label.text('name', 'text');
    label.leave();
    return name;
  });
  return names.map((name) => quote(name)).join(', ');
}
