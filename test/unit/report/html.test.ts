import { describe, expect, test } from 'vitest';
import { attemptName, reportOf, type AttemptDetails } from '../../../src/core/run-report.ts';
import { shareOf } from '../../../src/report/html/bounded.ts';
import { diffSize, renderDiff } from '../../../src/report/html/diff.ts';
import { headlineOf } from '../../../src/report/html/headline.ts';
import { markup } from '../../../src/report/html/markup.ts';
import type { PageOptions } from '../../../src/report/html/options.ts';
import { pagePolicy, renderMain, renderPage } from '../../../src/report/html/page.ts';
import { ticksOf } from '../../../src/report/html/plot.ts';
import {
  agentFinished,
  attemptStarted,
  ofRun,
  passed,
  record,
  rejected,
  runFinished,
  runStarted,
  taskFinished,
  type Entry,
} from '../../support/history.ts';
import { recordedDetails, recordedReport } from '../../support/recorded-run.ts';

const options: PageOptions = {
  style: { text: 'p{}', sha256: 'STYLE' },
  script: { text: 'void 0;', sha256: 'SCRIPT' },
  planPath: 'PLAN.md',
  planOption: '',
};

function mainOf(entries: readonly Entry[], changes: { readonly diff?: string } = {}): string {
  const report = reportOf(record([ofRun(runStarted()), ...entries]));
  if (report === undefined) throw new Error('no run');
  const details: AttemptDetails = new Map(
    report.tasks.flatMap(({ title, attempts }) =>
      attempts.map((attempt) => {
        const texts = {
          prompt: undefined,
          diff: changes.diff,
          outputs: new Map(),
          agentLog: undefined,
        };
        return [attemptName(attempt), { attempt, title, ...texts }] as const;
      }),
    ),
  );
  return renderMain(report, details, options);
}

describe('the page', () => {
  test('names no other place, allows nothing but itself, and has no style or handler in its elements', () => {
    const page = renderPage(recordedReport, recordedDetails, options);
    const tags = page.match(/<[a-z][^>]*>/g) ?? [];
    const addresses = tags.flatMap((tag) => /\s(?:href|src|action)="([^"]*)"/.exec(tag)?.[1] ?? []);
    expect(addresses.filter((address) => !/^(?:#[\w.-]+|data:,)$/.test(address))).toEqual([]);
    expect(tags.filter((tag) => /\s(?:style|on\w+)=/.test(tag))).toEqual([]);
    expect(page).toContain(pagePolicy(options).replaceAll("'", '&#39;'));
    expect(pagePolicy(options)).toContain(
      "default-src 'none'; style-src 'sha256-STYLE'; script-src 'sha256-SCRIPT'",
    );
    expect(pagePolicy(options)).not.toContain('connect-src');
    expect(pagePolicy({ ...options, live: { events: 'e', main: 'm' } })).toContain(
      "connect-src 'self'",
    );
  });

  test('an id that would like to be mark-up is a name, and the link to it leads there', () => {
    const id = '"><img src=x onerror=alert(1)>';
    const main = mainOf(rejected(id));
    expect(main).not.toContain('<img');
    const [, anchor = ''] = /<article class="task" id="([^"]+)"/.exec(main) ?? [];
    expect(anchor).toMatch(/^task-[\w.-]+$/);
    expect(main).toContain(`<a href="#${anchor}">`);
    expect(new Set(main.match(/ id="[^"]+"/g)).size).toBe(main.match(/ id="[^"]+"/g)?.length);
  });

  test('control and bidirectional characters are shown, not obeyed', () => {
    expect(markup`<p title="${'a\u202eb"'}">${'\u001b[31mred\u0007 & <b>'}</p>`.html).toBe(
      '<p title="a\\u202eb&quot;">red␇ &amp; &lt;b&gt;</p>',
    );
  });

  test('a long text is cut, the cut is stated, head and tail are there', () => {
    const diff = `diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n${'+a line of it\n'.repeat(40_000)}+the end\n`;
    const main = mainOf(rejected('a'), { diff });
    expect(main.length).toBeLessThan(210_000);
    expect(main).toMatch(/\[… [\d,]+ characters left out …\]/);
    expect(main).toContain('+the end');
    expect(main).toContain('the end of a file, after the cut');
  });

  test('all texts together have a bound; short ones are not cut for the long', () => {
    expect(shareOf([10, 1e6])).toBe(200_000);
    expect(shareOf(Array.from({ length: 600 }, () => 1e6))).toBe(20_000);
    expect(
      shareOf([
        ...Array.from({ length: 1000 }, () => 10),
        ...Array.from({ length: 599 }, () => 1e6),
      ]),
    ).toBe(20_016);
    expect(shareOf(Array.from({ length: 1e5 }, () => 1e6))).toBe(2000);
  });

  test('what failed lies open, what passed does not', () => {
    const main = mainOf([...passed('a'), ...rejected('b'), taskFinished('b', 'failed')]);
    expect(main).toMatch(/id="task-a" data-state="passed"><details><summary>/);
    expect(main).toMatch(/id="task-b" data-state="failed"><details open><summary>/);
    expect(main).toMatch(/id="attempt-b-1" data-verdict="rejected" open>/);
    expect(main).toMatch(/class="part gate" id="attempt-b-1-gate-1" data-verdict="fail" open>/);
  });
});

describe('the headline', () => {
  const words = (entries: readonly Entry[]): string => {
    const report = reportOf(record([ofRun(runStarted()), ...entries]));
    const { mark, words: said } =
      report === undefined ? { mark: '', words: '' } : headlineOf(report);
    return `${mark} ${said}`;
  };
  const counts = { passed: 2, failed: 0, blocked: 0, skipped: 0, unjudged: 0, pending: 0 };

  test.each<[string, readonly Entry[]]>([
    ['◐ 0 passed so far, a under way', [{ task: 'a', event: attemptStarted(1) }]],
    [
      '◐ 1 passed so far, 1 failed, c under way',
      [
        ...rejected('b'),
        taskFinished('b', 'failed'),
        ...passed('a'),
        { task: 'c', event: attemptStarted(1) },
      ],
    ],
    ['✔ All 2 tasks passed', [ofRun(runFinished({ counts }))]],
    [
      '■ 2 of 5 tasks passed, 3 pending',
      [ofRun(runFinished({ status: 4, counts: { ...counts, pending: 3 } }))],
    ],
    [
      '✗ 2 of 3 tasks passed, 1 failed',
      [ofRun(runFinished({ status: 1, counts: { ...counts, failed: 1 } }))],
    ],
    ['✔ No task begun', [ofRun(runFinished())]],
  ])('%s', (said, entries) => {
    expect(words(entries)).toBe(said);
  });
});

describe('the timeline', () => {
  test.each([
    [0.2, '0 0.1s 0.2s'],
    [9, '0 2s 4s 6s 8s'],
    [541, '0 2m 4m 6m 8m'],
    [28_800, '0 2h 4h 6h 8h'],
    [700_000, '0 48h 96h 144h 192h'],
  ])('%d seconds have a few round ticks', (seconds, labels) => {
    expect(
      ticksOf(seconds)
        .map(({ label }) => label)
        .join(' '),
    ).toBe(labels);
  });

  test('shows every attempt, however short, as agent and gates, and waits hatched', () => {
    const page = renderPage(recordedReport, recordedDetails, options);
    expect(page.match(/class="bar [^"]+"/g)).toHaveLength(5);
    expect(page.match(/<rect class="gates"/g)).toHaveLength(4);
    expect(page).toMatch(
      /<title>waits for claude until 00:07 UTC: 4m 59s<\/title><rect class="wait"/,
    );
    const widths = [...page.matchAll(/<rect class="agent"[^>]* width="([\d.]+)"/g)].map(
      ([, width]) => Number(width),
    );
    expect(Math.min(...widths)).toBeGreaterThanOrEqual(2);
  });

  test('its legend names what it shows, and nothing else', () => {
    const keys = (main: string): readonly (string | undefined)[] =>
      [...main.matchAll(/class="key ([a-z ]+)"/g)].map(([, key]) => key);
    expect(keys(mainOf(passed('a')))).toEqual(['good', 'agent', 'gates']);
    const all = keys(renderMain(recordedReport, recordedDetails, options));
    expect(all).toEqual(['good', 'bad', 'bad final', 'void', 'wait', 'agent', 'gates']);
  });

  test('a clock that was set back, or cannot be read, leaves numbers in it', () => {
    const started = attemptStarted(1);
    const main = mainOf([
      { task: 'a', event: started, at: -90 },
      { task: 'a', event: agentFinished, at: -400 },
    ]);
    expect(main).not.toMatch(/NaN|Infinity|width="-/);
  });
});

describe('a diff', () => {
  const diff = [
    'diff --git a/old name.ts b/new.ts',
    'similarity index 90%',
    'rename from old name.ts',
    'rename to new.ts',
    '--- a/old name.ts',
    '+++ b/new.ts',
    '@@ -1,2 +1,2 @@',
    '--- a comment, removed',
    '+++ counted',
    ' same',
    'diff --git a/pic.png b/pic.png',
    'index 1..2 100644',
    'Binary files a/pic.png and b/pic.png differ',
    'diff --git a/gone b/gone',
    'deleted file mode 100644',
    '--- a/gone',
    '+++ /dev/null',
    '@@ -1 +0,0 @@',
    '-gone',
    '',
  ].join('\n');

  test('is shown by files, with their names as headings', () => {
    const names = [...renderDiff(diff).html.matchAll(/<h6>(.*?)<\/h6>/g)].map(([, name]) => name);
    expect(names).toEqual(['old name.ts → new.ts', 'pic.png', 'gone (deleted)']);
    expect(diffSize(diff)).toBe('3 files, +1 −2');
  });

  test('lines in a hunk are what their first character says', () => {
    const { html } = renderDiff(diff);
    expect(html).toContain('<span class="del">--- a comment, removed\n</span>');
    expect(html).toContain('<span class="add">+++ counted\n</span>');
  });

  test('of nothing says nothing', () => {
    expect(diffSize('')).toBe('');
  });
});
