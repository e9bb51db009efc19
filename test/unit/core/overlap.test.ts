import { expect, test } from 'vitest';
import { mayOverlap } from '../../../src/core/overlap.ts';

test.each([
  [['src/a.ts'], ['src/a.ts'], true],
  [['src'], ['src/a.ts'], true],
  [['./src/'], ['src/a.ts'], true],
  [['src/a.ts'], ['src/a.tsx'], false],
  [['src/**'], ['src/core/a.ts'], true],
  [['src/core/*.ts'], ['src'], true],
  [['src/core/*.ts'], ['src/git/*.ts'], false],
  [['src/c*'], ['src/core/a.ts'], true],
  [['**/*.md'], ['src/a.ts'], true],
  [['{a,b}.ts'], ['c.ts'], true],
  [[], ['src/a.ts'], false],
  [['docs', 'src/a.ts'], ['test', 'src/a.ts'], true],
])('%j and %j: %s', (a, b, expected) => {
  expect(mayOverlap(a, b)).toBe(expected);
  expect(mayOverlap(b, a)).toBe(expected);
});
