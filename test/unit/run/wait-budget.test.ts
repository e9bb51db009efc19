import { expect, test } from 'vitest';
import { openWaitBudget } from '../../../src/run/wait-budget.ts';

test('waits of several tasks at once count once', () => {
  const waits = openWaitBudget(100);
  const first = waits.begin(0);
  const second = waits.begin(10);
  expect(waits.leftMs(20)).toBe(80);
  first(30);
  second(40);
  expect(waits.leftMs(1000)).toBe(60);
  waits.begin(1000)(1010);
  expect(waits.leftMs(2000)).toBe(50);
});
