import { describe, expect, test } from 'vitest';
import { spellLimit, spellSeconds } from '../../../src/core/duration.ts';
import { renderRunStart } from '../../../src/report/run-start.ts';
import { shellLine, shellWord } from '../../../src/report/shell-word.ts';
import { chooseLook } from '../../../src/report/style.ts';
import { renderTable, widthOf } from '../../../src/report/table.ts';
import { tellingLines } from '../../../src/report/telling-lines.ts';
import type { BudgetConfig } from '../../../src/core/config/config.ts';
import type { EventOf } from '../../../src/core/history.ts';
import { runStarted } from '../../support/history.ts';

describe('durations', () => {
  test.each([
    [0, '0.0s'],
    [0.04, '0.0s'],
    [9.94, '9.9s'],
    [9.96, '10s'],
    [59.4, '59s'],
    [59.6, '1m 00s'],
    [64, '1m 04s'],
    [3599.6, '1h 00m'],
    [7500, '2h 05m'],
    [86_400, '24h 00m'],
  ])('%d seconds', (seconds, spelled) => {
    expect(spellSeconds(seconds)).toBe(spelled);
  });

  test.each([
    [500, '0.5s'],
    [5000, '5s'],
    [90_000, '1m 30s'],
    [1_800_000, '30m'],
    [28_800_000, '8h'],
    [27_000_000, '7h 30m'],
  ])('a limit of %d ms', (limit, spelled) => {
    expect(spellLimit(limit)).toBe(spelled);
  });
});

describe('the first line of a run', () => {
  const first = (options: Record<string, unknown>): string | undefined =>
    renderRunStart(runStarted({ options }) as EventOf<'run.started'>)[0];

  test('one of everything, no gates, and no cut where the run fits into max_time', () => {
    expect(
      first({ tasks: ['a'], attempts: 1, timeout: 60_000, gateTimeout: 0, maxTime: 90_000 }),
    ).toBe('PLAN.md: at worst 1 task × 1 attempt × 1m = 1m; no budget set');
  });

  test('a budget is named', () => {
    const line = (budget: BudgetConfig): string | undefined =>
      first({ tasks: ['a'], attempts: 1, timeout: 60_000, budget });
    expect(line({ usd: 5 })).toMatch(/; budget \$5\.00$/);
    expect(line({ usd: 2.5, tokens: 2e6, per: 'task' })).toMatch(
      /; budget \$2\.50 or 2M tokens a task$/,
    );
  });
});

describe('words for a shell', () => {
  test.each([
    ['plain', 'plain'],
    ['a#1', 'a#1'],
    ['#1', "'#1'"],
    ['größe', 'größe'],
    ['', "''"],
    ['a b', "'a b'"],
    ['$(x)', "'$(x)'"],
    ["it's", String.raw`'it'\''s'`],
    ['a\nb', "'a\nb'"],
    ['~', "'~'"],
  ])('%j', (word, quoted) => {
    expect(shellWord(word)).toBe(quoted);
  });

  test('a line of them', () => {
    expect(shellLine(['skeleton', 'run', 'a b'])).toBe("skeleton run 'a b'");
  });
});

describe('what a stream may show', () => {
  test.each<[Record<string, string>, boolean, boolean, boolean]>([
    [{}, true, true, true],
    [{}, false, false, false],
    [{ CI: '1' }, true, false, false],
    [{ CI: 'false' }, true, true, true],
    [{ CI: '1', FORCE_COLOR: '1' }, false, true, false],
    [{ FORCE_COLOR: '0' }, false, false, false],
    [{ NO_COLOR: '1' }, true, false, false],
    [{ NO_COLOR: '' }, true, true, true],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false, false],
    [{ TERM: 'dumb' }, true, false, false],
  ])('%j, terminal %s: colour %s, live %s', (env, isTerminal, isColoured, isLive) => {
    const look = chooseLook(env, isTerminal);
    expect([look.style.bad('x') !== 'x', look.isLive]).toEqual([isColoured, isLive]);
  });
});

describe('tables', () => {
  const rows = (...texts: readonly (readonly string[])[]): readonly string[] =>
    renderTable(texts.map((row) => row.map((text) => ({ text }))));

  test('columns are aligned by what is seen: wide characters, marks, joined emoji', () => {
    expect(rows(['a', 'x'], ['日本', 'x'], ['e\u0301', 'x'])).toEqual([
      'a     x',
      '日本  x',
      'e\u0301     x',
    ]);
    expect(widthOf('👍')).toBe(2);
  });

  test('no trailing blanks, no line breaks, no endless cells', () => {
    expect(rows(['a', ''], ['b\nc', 'd'])).toEqual(['a', 'b␊c  d']);
    expect(widthOf(rows(['x'.repeat(500)])[0] ?? '')).toBe(60);
    expect(widthOf(rows(['日'.repeat(500)])[0] ?? '')).toBeLessThanOrEqual(60);
    expect(renderTable([[{ text: 'x'.repeat(500), most: 90 }]])).toEqual([`${'x'.repeat(89)}…`]);
  });

  test('colour does not count as width', () => {
    const paint = (text: string): string => `<${text}>`;
    expect(
      renderTable([
        [{ text: 'a', paint }, { text: 'b' }],
        [{ text: 'long' }, { text: 'b' }],
      ]),
    ).toEqual(['<a>     b', 'long  b']);
  });
});

describe('the lines that matter', () => {
  test('all of a short output, without blank ones', () => {
    expect(tellingLines('a\n\n b \n')).toEqual(['a', ' b']);
  });

  test('of a long one: what speaks of errors, each once, and the end, in their order', () => {
    const noise = Array.from({ length: 50 }, (_, at) => `line ${at}`);
    const output = [...noise, 'error TS1: x', ...noise, 'error TS1: x', 'not ok 2', 'a', 'b'].join(
      '\n',
    );
    const lines = tellingLines(output);
    expect(lines).toHaveLength(8);
    expect(lines.filter((line) => line === 'error TS1: x').length).toBeGreaterThan(0);
    expect(lines).toEqual(expect.arrayContaining(['not ok 2', 'a', 'b']));
    expect(lines.at(-1)).toBe('b');
  });

  test('many errors leave room for the end', () => {
    const output = Array.from({ length: 50 }, (_, at) => `error ${at}`).join('\n');
    expect(tellingLines(output)).toEqual([0, 1, 2, 3, 4, 5, 48, 49].map((at) => `error ${at}`));
  });

  test('control characters have no power', () => {
    expect(tellingLines('a\u001b[2Jb\u0007')).toEqual(['ab␇']);
  });
});
