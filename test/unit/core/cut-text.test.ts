import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutMark, cutText } from '../../../src/core/cut-text.ts';

test('a text that fits is left as it is', () => {
  expect(cutText('abc', 3)).toBe('abc');
});

test('of a longer one the beginning and the end stay, cut between lines, and the cut says how much is gone', () => {
  const text = Array.from({ length: 1000 }, (_, at) => `line ${at}\n`).join('');
  const cut = cutText(text, 300);
  const gone = text.length - (cut.length - `\n${cutMark}8,700 characters left out …]\n`.length);
  expect(cut).toMatch(/^line 0\n/);
  expect(cut).toMatch(/line 999\n$/);
  expect(cut).toContain(`${cutMark}${gone.toLocaleString('en')} characters left out …]`);
  expect(cut.split('\n').every((line) => /^(line \d+|\[….*\])?$/.test(line))).toBe(true);
});

test('never more than was asked for, but the line that states it; never half a character', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\n', '😀'), maxLength: 200 });
  fc.assert(
    fc.property(text, fc.integer({ min: 3, max: 100 }), (whole, most) => {
      const cut = cutText(whole, most);
      expect(cut.length).toBeLessThanOrEqual(Math.max(most, most + 60));
      expect(cut).not.toMatch(/[\ud800-\udfff]/u);
    }),
  );
});
