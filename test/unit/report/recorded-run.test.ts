import { describe, expect, test } from 'vitest';
import { jsonLine } from '../../../src/report/json.ts';
import { renderPage } from '../../../src/report/html/page.ts';
import { renderJunit } from '../../../src/report/junit.ts';
import { renderMarkdown } from '../../../src/report/markdown.ts';
import { reportData } from '../../../src/report/report-json.ts';
import { recordedDetails, recordedReport } from '../../support/recorded-run.ts';

/** One recorded run (a pass, a reject, a final failure, a wait) in every format: a change of any of them shows here. */
describe('the recorded run', () => {
  const asset = (text: string): { readonly text: string; readonly sha256: string } => ({
    text,
    sha256: 'AAAA',
  });

  test.each([
    [
      'html',
      renderPage(recordedReport, recordedDetails, {
        style: asset('/* page.css */'),
        script: asset('// page.js\n'),
        planPath: 'PLAN.md',
        planOption: '',
      }),
    ],
    ['xml', renderJunit(recordedReport, recordedDetails)],
    ['md', renderMarkdown(recordedReport, recordedDetails)],
    ['json', `${JSON.stringify(reportData(recordedReport, recordedDetails), null, 2)}\n`],
  ])('as %s', async (extension, text) => {
    await expect(text).toMatchFileSnapshot(`../../fixtures/reports/recorded-run.${extension}`);
  });

  test('as json: what a program relies on is there, also where nothing is known', () => {
    const data = JSON.parse(jsonLine(reportData(recordedReport))) as Record<string, unknown>;
    expect(data).toMatchObject({
      schema: 1,
      run: { run: 'run-1', status: 1, counts: { passed: 1, failed: 1, blocked: 1 } },
      tasks: [
        { id: 'split', state: 'passed', attempts: [{ name: 'split#1' }, { name: 'split#2' }] },
        { id: 'hostile', state: 'failed', checkpoint: null, waits: [{ agent: 'claude' }] },
        { id: 'join', state: 'blocked', why: 'hostile failed', attempts: [] },
      ],
    });
  });
});
