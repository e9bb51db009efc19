import { expect, it } from 'vitest';
import { openMatcher } from '../../../../src/agent/built-in/matcher.ts';

it('names the lines that match', () => {
  const matcher = openMatcher('^b', 5000);
  expect([...(matcher.in(['a', 'b', 'bb']) ?? [])]).toEqual([1, 2]);
  expect([...(matcher.in(['a']) ?? [])]).toEqual([]);
});

it('gives an expression up that goes on for ever, and every search after the time', () => {
  const matcher = openMatcher('(a+)+$', 200);
  const begun = performance.now();
  expect(matcher.in([`${'a'.repeat(60)}b`])).toBeUndefined();
  expect(performance.now() - begun).toBeLessThan(5000);
  expect(matcher.in(['a'])).toBeUndefined();
});

it('says what is wrong with an expression', () => {
  expect(() => openMatcher('(', 200)).toThrow('Unterminated group');
});
