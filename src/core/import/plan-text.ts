import type { Criterion, Draft, DraftState, DraftTask } from './draft.ts';
import { boxLine, writableLine } from './writable.ts';

/**
 * PLAN.md of a settled draft, as a plan of boxes. What a source says in its own words stands in quotes, which the parser
 * does not look into: no heading, box, fence, comment or `key: value` in it means anything.
 */
export function planText({ title, preamble, tasks }: Draft): string {
  return [
    '---\ntasks: boxes\n---',
    `# ${writableLine(title) || 'Plan'}`,
    ...(preamble === '' ? [] : [quoted(preamble, '')]),
    ...tasks.map(taskText),
  ]
    .map((part) => `${part}\n`)
    .join('\n');
}

const marks: Readonly<Record<DraftState, string>> = { pending: ' ', done: 'x', skipped: '-' };

function taskText(task: DraftTask): string {
  const { id, title, state, needs, files, text, acceptance, allowEmpty } = task;
  const head = [
    `- [${marks[state]}] ${boxLine(title, id)}`,
    ...(needs === undefined ? [] : [`  needs: ${needs.join(', ') || 'none'}`]),
    ...(files.length === 0 ? [] : [`  files: ${files.join(', ')}`]),
    ...(allowEmpty ? ['  allow_empty: true'] : []),
  ];
  const parts = [
    head.join('\n'),
    ...(text === '' ? [] : [quoted(text, '  ')]),
    ...(acceptance.length === 0 ? [] : [acceptance.map(criterionLine).join('\n')]),
  ];
  return parts.join('\n\n');
}

function criterionLine({ text, done }: Criterion): string {
  return `  - [${done ? 'x' : ' '}] ${text}`;
}

function quoted(text: string, indent: string): string {
  return text
    .split('\n')
    .map((line) => (line.trim() === '' ? `${indent}>` : `${indent}> ${line}`))
    .join('\n');
}
