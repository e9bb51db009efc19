import { oneLine } from '../core/text.ts';
import { shellLine } from './shell-word.ts';
import type { Style } from './style.ts';
import { renderTable } from './table.ts';

/** What `skeleton import` read and wrote, or would write. */
export interface ImportFacts {
  readonly file: string;
  readonly format: string;
  readonly draft: {
    readonly tasks: readonly {
      readonly id: string;
      readonly title: string;
      readonly state: 'pending' | 'done' | 'skipped';
      readonly needs: readonly string[] | undefined;
    }[];
  };
  readonly fields: readonly {
    readonly field: string;
    readonly became: string | undefined;
    readonly count: number;
    readonly line: number;
  }[];
  readonly notices: readonly { readonly line: number; readonly message: string }[];
  readonly plan: string;
  readonly text: string;
  readonly state: 'written' | 'to write';
  readonly why: string | undefined;
  readonly isIgnored: boolean;
}

/** Notices that are shown; `--json` has all. */
const MOST_NOTICES = 50;

/** How it was read, what became of each field and what of none, what was changed, and what to type next. */
export function renderImport(facts: ImportFacts, style: Style): string {
  const { file, format, fields, draft } = facts;
  const count = (state: string): number =>
    draft.tasks.filter((task) => task.state === state).length;
  const sums = `${count('done')} done, ${count('skipped')} skipped, ${count('pending')} to do`;
  const mapped = fields.filter(({ became }) => became !== undefined);
  return [
    `${oneLine(file)}: read as ${format}; ${draft.tasks.length} tasks: ${sums}`,
    '',
    ...renderTable([
      ['field', 'became', 'count', 'first'].map((text) => ({ text, paint: style.strong })),
      ...mapped.map(({ field, became = '', count: times, line }) =>
        [field, became, String(times), `${file}:${line}`].map((text) => ({ text })),
      ),
    ]),
    '',
    ...unmapped(facts, style),
    ...noticeLines(facts, style),
    ...planLines(facts, style),
  ].join('\n');
}

function unmapped({ file, fields }: ImportFacts, style: Style): readonly string[] {
  const left = fields.filter(({ became }) => became === undefined);
  if (left.length === 0) return [style.good('everything in it is mapped')];
  return [
    style.warn('not mapped:'),
    ...left.map(({ field, count, line }) =>
      oneLine(`${file}:${line}: ${field}${count === 1 ? '' : `, ${count} times`}`),
    ),
  ];
}

function noticeLines({ file, notices }: ImportFacts, style: Style): readonly string[] {
  const more = notices.length - MOST_NOTICES;
  return [
    ...notices
      .slice(0, MOST_NOTICES)
      .map(
        ({ line, message }) =>
          `${oneLine(file)}:${line}: ${style.warn('notice')}: ${oneLine(message)}`,
      ),
    ...(more > 0 ? [`and ${more} more notices: skeleton import --json has them all`] : []),
  ];
}

function planLines(facts: ImportFacts, style: Style): readonly string[] {
  const { plan, state, why, text, isIgnored } = facts;
  const reason = why === undefined ? '' : ` (${oneLine(why)})`;
  if (state === 'to write') return ['', ...shown(text), '', `to write  ${oneLine(plan)}${reason}`];
  return [
    '',
    style.good(`wrote     ${oneLine(plan)}${reason}`),
    ...(isIgnored
      ? [
          `${style.warn('notice')}: ${oneLine(plan)} is ignored, so no run can read it: git check-ignore -v ${oneLine(plan)}`,
        ]
      : []),
    `next      ${nextOf(facts).join('; ')}`,
  ];
}

/** Indented, so that a line of a stranger's is not taken for one of ours. */
function shown(text: string): readonly string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${oneLine(line)}`.trimEnd());
}

function nextOf({ plan }: ImportFacts): readonly string[] {
  const option = plan === 'PLAN.md' ? [] : ['--plan', plan];
  return ['check', 'run'].map((name) => shellLine(['skeleton', name, ...option]));
}

/** The same as data, one object. */
export function importData(facts: ImportFacts): object {
  const { file, format, draft, fields, notices, plan, state, why, text, isIgnored } = facts;
  const mapped = fields.filter(({ became }) => became !== undefined);
  const left = fields.filter(({ became }) => became === undefined);
  return {
    ...{ file, format, plan, state },
    ...(why !== undefined && { why }),
    ...(isIgnored && { ignored: true }),
    tasks: draft.tasks.map((task) => ({
      ...{ id: task.id, title: task.title, state: task.state },
      ...(task.needs !== undefined && { needs: task.needs }),
    })),
    mapped,
    unmapped: left.map(({ field, count, line }) => ({ field, count, line })),
    notices,
    ...(state === 'to write' ? { text } : { next: nextOf(facts) }),
  };
}
