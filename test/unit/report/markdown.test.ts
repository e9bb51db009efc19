import MarkdownIt from 'markdown-it';
import { describe, expect, test } from 'vitest';
import { reportOf, type AttemptDetails, type RunReport } from '../../../src/core/run-report.ts';
import { byteLength } from '../../../src/core/text.ts';
import { renderMarkdown } from '../../../src/report/markdown.ts';
import {
  begun,
  gate,
  gateFinished,
  ofRun,
  passed,
  record,
  red,
  rejected,
  runFinished,
  runStarted,
  taskFinished,
  taskStarted,
  type Entry,
} from '../../support/history.ts';
import { recordedDetails, recordedReport } from '../../support/recorded-run.ts';

function run(entries: readonly Entry[], status?: number): RunReport {
  const end = status === undefined ? [] : [ofRun(runFinished({ status, why: 'failed' }))];
  const report = reportOf(record([ofRun(runStarted()), ...entries, ...end]));
  if (report === undefined) throw new Error('no run');
  return report;
}

const details = (name: string, output: string): AttemptDetails =>
  new Map([
    [name, { ...recordedDetails.get('split#1'), outputs: new Map([['check.sh', output]]) }],
  ]) as AttemptDetails;

const failing = (id: string): readonly Entry[] => [
  taskStarted(id),
  ...rejected(id),
  taskFinished(id, 'failed'),
];

describe('what it says', () => {
  test('one line first: what passed and failed, time, cost, how it ended', () => {
    const [first = ''] = renderMarkdown(recordedReport, recordedDetails).split('\n');
    expect(first).toBe(
      String.raw`**1 passed, 1 failed, 1 blocked** in 9m 01s; at least 25.8k tokens, at least \$0.16; 1 wait for a provider; exit 1 (run <code>run-1</code> on <code>main</code>)`,
    );
  });

  test('of a failed task the last attempt, with its last lines', () => {
    const output = `${Array.from({ length: 100 }, (_, at) => `line ${at}`).join('\n')}\n`;
    const text = renderMarkdown(run(failing('a'), 1), details('a#1', output));
    expect(text).toContain('a#<!-- -->1: rejected by check.sh');
    expect(text).toContain('line 99\n```');
    expect(text).not.toContain('line 69\n');
  });

  test('of a run that goes on, as far as it came', () => {
    const text = renderMarkdown(
      run([taskStarted('a'), ...passed('a'), taskStarted('b'), ...begun('b')]),
    );
    expect(text).toMatch(/^\*\*1 passed, 1 pending\*\* in .*; goes on, or was cut off/);
    expect(text).toContain('pending: under way, or cut off');
  });

  test('a gate that could not judge is shown, though no task failed', () => {
    const error = gate({ verdict: 'error', ended: 'exit 75', exit: 75, tail: 'no database' });
    const text = renderMarkdown(
      run([
        taskStarted('a'),
        ...begun('a'),
        { task: 'a', event: gateFinished(error) },
        { task: 'a', event: { type: 'attempt.voided', why: 'gate-error' } },
      ]),
    );
    expect(text).toContain('```\nno database\n```');
  });
});

describe('strangers', () => {
  const nasty = 'a | b `c` <b>x</b> @someone #12 GH-12 o/r#1 [l](http://e.x) *s* \n# head';
  const report = run(
    [
      { task: 'a', event: { type: 'task.started', title: nasty, line: 1 } },
      ...begun('a'),
      { task: 'a', event: gateFinished(gate({ ...red, name: nasty, ended: nasty })) },
      {
        task: 'a',
        event: { type: 'attempt.rejected', failure: { kind: 'gate-failed', gates: [nasty] } },
      },
      { task: 'a', event: { type: 'rollback.done', snapshot: { ref: 'refs/x', commit: 'd' } } },
      taskFinished('a', 'failed', nasty),
    ],
    1,
  );
  const text = renderMarkdown(report, details('a#1', `\`\`\`\`\n@someone #12 <script>\n\`\`\`\n`));
  const outside = text.replace(/^(`{3,})\n[^]*?\n\1$/gm, '');

  test('no title, name or reason of theirs is mark-up, pings or leads anywhere', () => {
    expect(outside).not.toMatch(/@someone|#\d|GH-\d|<b>|http:\/\//);
    const html = new MarkdownIt({ html: true }).render(text);
    expect(html).not.toMatch(/<a |<em>|<b>|<h1>|<script>/);
    const cells = [...html.matchAll(/<tr>([^]*?)<\/tr>/g)].map(
      ([row]) => row.match(/<t[dh]/g)?.length,
    );
    expect(new Set(cells)).toEqual(new Set([6]));
  });

  test('an output that has fences stands in a longer one', () => {
    const named = renderMarkdown(
      run(failing('a'), 1),
      details('a#1', '````\n</details>\n```\nend\n'),
    );
    expect(named).toContain('\n`````\n````\n</details>\n```\nend\n`````\n');
  });
});

describe('large runs', () => {
  const ids = Array.from({ length: 300 }, (_, at) => `t${at}`);
  const many = run(
    [
      ...ids.flatMap((id) =>
        id === 't250' ? failing(id) : [taskStarted(id), ...passed(id), taskFinished(id, 'passed')],
      ),
    ],
    1,
  );

  test('fit into a comment, keep what failed, and say what is left out', () => {
    const text = renderMarkdown(many);
    expect(byteLength(text)).toBeLessThan(60_000);
    expect(text).toContain('<code>t250</code>');
    expect(text).toContain('and 200 more');
    expect(text).toContain('<summary>300 attempts, 200 older ones left out</summary>');
  });

  test('outputs beyond the bound are left out whole, and it is said', () => {
    const output = 'x'.repeat(70) + '\n';
    const all = new Map(ids.flatMap((id) => [...details(`${id}#1`, output.repeat(50))]));
    const text = renderMarkdown(run(ids.flatMap(failing), 1), all);
    expect(byteLength(text)).toBeLessThan(60_000);
    expect(text.match(/^```$/gm)?.length).toBeGreaterThan(4);
    expect((text.match(/^```$/gm)?.length ?? 1) % 2).toBe(0);
    expect(text).toMatch(/\d+ parts of this report left out/);
  });
});
