import { expect, test } from 'vitest';
import { usedUpSinceEnd } from '../../../src/core/used-up.ts';
import {
  begun,
  ofRun,
  passed,
  record,
  rejected,
  runFinished,
  runStarted,
  taskFinished,
} from '../../support/history.ts';
import type { Entry } from '../../support/history.ts';

const fiveTimes = (task: string): readonly Entry[] =>
  [1, 2, 3, 4, 5].flatMap((number) => rejected(task, number));

test.each<[string, readonly Entry[], readonly string[]]>([
  ['in a run that died', [ofRun(runStarted()), ...fiveTimes('a'), ...begun('b')], ['a']],
  ['and a recovery that died too', [...fiveTimes('a'), ofRun(runStarted())], ['a']],
  ['in a run that came to its end', [...fiveTimes('a'), ofRun(runFinished({ status: 1 }))], []],
  [
    'and given up by what resumed it, which died',
    [...fiveTimes('a'), ofRun(runFinished()), taskFinished('a', 'failed'), ofRun(runStarted())],
    ['a'],
  ],
  ['not: one attempt is left', [ofRun(runStarted()), ...rejected('a')], []],
  ['not: it passed', [ofRun(runStarted()), ...rejected('a'), ...passed('a', 2)], []],
])('a task has used up its attempts %s', (_, entries, expected) => {
  expect([...usedUpSinceEnd(record(entries))]).toEqual(expected);
});
