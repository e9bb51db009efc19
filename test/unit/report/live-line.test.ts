import { expect, test } from 'vitest';
import { renderLiveTasks, type LiveStep } from '../../../src/report/live-line.ts';
import { plainStyle } from '../../../src/report/style.ts';

const step = (task: string, more: Partial<LiveStep> = {}): LiveStep => ({
  ...{ task, attempt: 1, attempts: 5, step: 'agent', name: 'claude' },
  ...more,
});

test('one task has a line of its own, several share one', () => {
  const b = { live: step('b'), seconds: 40 };
  const c = { live: step('c', { step: 'gate', name: 'check.sh' }), seconds: 0 };
  const d = { live: step('d', { attempt: 2 }), seconds: 3.4 };
  expect(renderLiveTasks([b], plainStyle)).toBe('● b  attempt 1/5 · agent claude · 40s');
  expect(renderLiveTasks([b, c, d], plainStyle)).toBe(
    '● 3 at work: b agent 1/5 40s · c gate check.sh · d agent 2/5 3s',
  );
});
