import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteLength, clip, excerpt, oneLine, visible } from '../../../src/core/text.ts';

describe('visible', () => {
  it.each([
    ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
    ['a colour of eight bits', '\u009b31mred', 'red'],
    ['a cursor that goes up and clears', 'a\u001b[2A\u001b[2Kb', 'ab'],
    ['a link, its text kept', '\u001b]8;;http://x\u0007text\u001b]8;;\u001b\\', 'text'],
    ['a character set', '\u001b(B', ''],
    ['a sequence that never ends', '\u001b[31', '␛[31'],
    ['a title that never ends', '\u001b]0;owned', '␛]0;owned'],
    ['bell, backspace, NUL, delete', '\u0007\b\0\u007f', '␇␈␀␡'],
    ['a carriage return that overwrites', 'bad\rgood', 'bad␍good'],
    ['line ends of Windows', 'a\r\nb', 'a\nb'],
    ['text that turns round', 'a\u202eb\u2066c', 'a\\u202eb\\u2066c'],
    ['line separators', 'a\u2028b\u0085', 'a\\u2028b\\x85'],
    ['text of people', 'naïve 日本語 🎉\tx\ny', 'naïve 日本語 🎉\tx\ny'],
  ])('%s', (_, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it('leaves nothing that a terminal obeys, whatever comes', () => {
    const nasty = fc.string({
      unit: fc.oneof(
        fc.constantFrom('\u001b', '[', ']', '\u009b', '\u0007', '\\', '\r', ';', 'm', 'P'),
        fc.string(),
      ),
    });
    fc.assert(
      fc.property(nasty, (text) => {
        expect(visible(text)).not.toMatch(/(?![\n\t])\p{Cc}|\p{Bidi_Control}/u);
      }),
    );
  });

  it('is linear in hostile input', () => {
    const started = performance.now();
    visible('\u001b]'.repeat(500_000));
    visible('\u001b[' + '1;'.repeat(500_000));
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('on one line, shows line ends', () => {
    expect(oneLine('a\nb\tc\r\nd')).toBe('a␊b␉c␊d');
  });
});

describe('clip', () => {
  it('cuts between characters and says so', () => {
    expect(clip('häuser', 6)).toBe('hä…');
    expect(clip('🎉🎉', 7)).toBe('🎉…');
    expect(clip('short', 5)).toBe('short');
  });

  it('never gives more bytes than asked for, nor half a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 3, max: 30 }),
        (text, most) => {
          const cut = clip(text, most);
          expect(byteLength(cut)).toBeLessThanOrEqual(most);
          expect(text.startsWith(cut.replace(/…$/, ''))).toBe(true);
        },
      ),
    );
  });
});

describe('excerpt', () => {
  const most = { lines: 6, bytes: 1000 };
  const lines = (from: number, to: number): string =>
    Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}`).join('\n');

  it('is all of a short output, without the blank lines around it', () => {
    expect(excerpt('\n\none\n\ntwo\n', '\n\none\n\ntwo\n', most)).toBe('one\n\ntwo');
    expect(excerpt('', '', most)).toBe('');
    expect(excerpt('\n \n', '\n \n', most)).toBe('');
  });

  it('is the first third and the last two thirds of a long one', () => {
    expect(excerpt(lines(1, 20), lines(1, 20), most)).toBe(
      'line 1\nline 2\n[… 14 lines left out …]\nline 17\nline 18\nline 19\nline 20',
    );
  });

  it('joins a beginning and an end between which something is missing', () => {
    expect(excerpt(lines(1, 9), lines(91, 99), most)).toBe(
      'line 1\nline 2\n[… more left out …]\nline 96\nline 97\nline 98\nline 99',
    );
  });

  it('shows what a progress bar overwrote', () => {
    expect(excerpt('10%\r20%\rdone', '10%\r20%\rdone', most)).toBe('10%\n20%\ndone');
  });

  it('is bounded in bytes, also with lines of a megabyte', () => {
    const long = `${'x'.repeat(1_000_000)}\n`.repeat(10);
    expect(byteLength(excerpt(long, long, { lines: 40, bytes: 4096 }))).toBeLessThan(4200);
  });
});
