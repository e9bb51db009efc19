import { describe, expect, it } from 'vitest';
import { keepLast } from '../../../src/exec/output-record.ts';
import { outputText } from '../../../src/exec/output-text.ts';

const whole = { start: false, end: false };
const bytes = (text: string): Uint8Array => Buffer.from(text);

describe('the last bytes', () => {
  it.each([1, 2, 3, 5, 16])('of a memory of %d are kept, however they come', (limit) => {
    for (const piece of [1, 2, 3, 4, 7, 40]) {
      const kept = keepLast(limit);
      const text = '0123456789abcdefghij';
      for (let at = 0; at < text.length; at += piece) {
        kept.take(bytes(text.slice(at, at + piece)));
        const seen = text.slice(0, at + piece).slice(-limit);
        expect(Buffer.from(kept.bytes()).toString()).toBe(seen);
      }
    }
  });
});

describe('output as text', () => {
  it('keeps what it is given: escapes, NULs, carriage returns, a BOM', () => {
    const text = '\uFEFF\u001B[31mred\u001B[0m\0 50 %\r100 %\r\n';
    expect(outputText(bytes(text), whole)).toBe(text);
  });

  it('shows what is no UTF-8', () => {
    expect(outputText(Uint8Array.of(0x41, 0xff, 0x42, 0xe2, 0x82), whole)).toBe('A\uFFFDB\uFFFD');
  });

  it('cut at the start, begins with a whole line', () => {
    expect(outputText(bytes('rest\nline\nline'), { start: true, end: false })).toBe('line\nline');
    expect(outputText(bytes('one long line\n'), { start: true, end: false })).toBe(
      'one long line\n',
    );
  });

  it('cut at either end, splits no character', () => {
    const smile = bytes('😀😀😀');
    for (const cut of [1, 2, 3]) {
      expect(outputText(smile.subarray(cut), { start: true, end: false })).toBe('😀😀');
      expect(outputText(smile.subarray(0, -cut), { start: false, end: true })).toBe('😀😀');
    }
  });

  it('of continuation bytes alone is not lost', () => {
    expect(outputText(new Uint8Array(5).fill(0x80), { start: true, end: false })).toBe(
      '\uFFFD'.repeat(5),
    );
  });
});
