/** Where no shipped gate fits: a gate that accepts nothing until a person has said what good work is. */
export const unwrittenGate = 'gates/project.sh';

const mark = 'nothing here says what good work is';

export const unwrittenText: string = [
  '#!/bin/sh',
  '# Exit status 0 accepts the work, 75 says that it cannot be judged, anything else rejects it.',
  '# Put the commands here that build, lint and test this project, in place of the last two lines. For example:',
  '#   set -eu',
  '#   make lint',
  '#   make test',
  `echo "${unwrittenGate}: ${mark}: edit it" >&2`,
  'exit 75',
  '',
].join('\n');

/** Whether a gate is still as `init` wrote it. */
export function isUnwritten(text: string): boolean {
  return text.includes(mark);
}
