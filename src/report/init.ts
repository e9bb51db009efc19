import { oneLine } from '../core/text.ts';
import type { Style } from './style.ts';

/** What `skeleton init` did, or would do. */
export interface InitFacts {
  readonly top: string;
  readonly stacks: readonly string[];
  readonly files: readonly {
    readonly path: string;
    readonly state: 'written' | 'to write' | 'kept';
    readonly why?: string;
    readonly text?: string;
  }[];
  readonly notices: readonly string[];
  /** Path of the plan; undefined where what lies there can be none. */
  readonly plan: string | undefined;
  readonly isUnborn: boolean;
}

/** What was found, written and kept, what a person has to know, and what to type next. */
export function renderInit(facts: InitFacts, style: Style): string {
  const { stacks, files } = facts;
  const pathsOf = (state: string): string =>
    files.flatMap((file) => (file.state === state ? file.path : [])).join(', ');
  const line = (label: string, text: string): readonly string[] =>
    text === '' ? [] : [`${label.padEnd(8)} ${oneLine(text)}`];
  return [
    ...line('found', stacks.length === 0 ? 'no stack that is known' : stacks.join(', ')),
    ...line('wrote', pathsOf('written')).map(style.good),
    ...line('to write', pathsOf('to write')),
    ...reasons(files).flatMap(([why, paths]) => line('kept', `${paths.join(', ')} (${why})`)),
    ...facts.notices.map((notice) => `${style.warn('notice')}   ${oneLine(notice)}`),
    ...planLines(facts),
    ...line('next', nextOf(facts).join('; ')),
  ].join('\n');
}

/** What is kept, by why it is. */
function reasons(files: InitFacts['files']): readonly (readonly [string, readonly string[]])[] {
  const by = new Map<string, string[]>();
  for (const { why, path } of files)
    if (why !== undefined) by.set(why, [...(by.get(why) ?? []), path]);
  return [...by];
}

/** A dry run shows the one file that a person is going to edit. */
function planLines({ files }: InitFacts): readonly string[] {
  const plan = files.find(({ path, text }) => path === 'PLAN.md' && text !== undefined);
  if (plan?.text === undefined) return [];
  return [
    '',
    ...plan.text
      .trimEnd()
      .split('\n')
      .map((text) => `  ${oneLine(text)}`.trimEnd()),
    '',
  ];
}

function nextOf({ files, stacks, plan, isUnborn }: InitFacts): readonly string[] {
  if (files.some(({ state }) => state === 'to write')) return ['skeleton init'];
  if (plan === undefined) return ['put a plain file in the place of PLAN.md', 'skeleton init'];
  const edit = stacks.length === 0 ? `edit ${plan} and gates/` : `edit ${plan}`;
  const first = "git add -A && git commit -m 'first commit'";
  return [edit, ...(isUnborn ? [first] : []), 'skeleton gate', 'skeleton check', 'skeleton run'];
}

/** The same as data, one object. */
export function initData(facts: InitFacts): object {
  return { ...facts, next: nextOf(facts) };
}
