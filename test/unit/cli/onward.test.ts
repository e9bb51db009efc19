import { Option } from 'commander';
import { expect, test } from 'vitest';
import { withoutSelection } from '../../../cli/onward.ts';

const options = [
  new Option('--from <task>'),
  new Option('--limit <n>'),
  new Option('--json'),
  new Option('-C <dir>'),
];

test.each([
  ['run 1', ['1'], 'run'],
  ['run --json 1 2', ['1', '2'], 'run --json'],
  ['run 1 --limit 1', ['1'], 'run --limit 1'],
  ['-C run run run -C a', ['run'], '-C run run -C a'],
  ['run --from 3 --json', [], 'run --json'],
  ['run --from=3', [], 'run'],
])('%s, once %o are done: %s', (typed, tasks, onward) => {
  expect(withoutSelection(typed.split(' '), tasks, options).join(' ')).toBe(onward);
});
