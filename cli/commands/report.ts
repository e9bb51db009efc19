import { resolve } from 'node:path';
import { maskDetails, maskReport } from '../../src/core/mask-report.ts';
import { openMask } from '../../src/core/mask.ts';
import type { AttemptDetails, RunReport } from '../../src/core/run-report.ts';
import { secretsIn } from '../../src/core/secrets.ts';
import { readReport } from '../../src/index.ts';
import { renderPage } from '../../src/report/html/page.ts';
import { jsonLine } from '../../src/report/json.ts';
import { renderJunit } from '../../src/report/junit.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import type { ReportFormat } from '../../src/report/report-format.ts';
import { reportData } from '../../src/report/report-json.ts';
import type { Io } from '../io.ts';
import { readPageAssets } from '../page-assets.ts';
import { tellNotice } from '../tell-notice.ts';
import { writeResult } from '../write-result.ts';
import type { LookCommand } from './status.ts';

export interface ReportCommand extends LookCommand {
  /** Id of a run; undefined: the last. */
  readonly run: string | undefined;
  readonly format: ReportFormat;
  /** As it was typed, relative to `cwd`; undefined: standard output. */
  readonly file: string | undefined;
}

/**
 * `skeleton report`: one run, in a form for a browser, a CI page, a pull request or a program. Takes no lock. Throws Refusal(2) where
 * there is no such run, and where the file cannot be written for a reason that a person has to mend.
 */
export async function report(command: ReportCommand, io: Io): Promise<number> {
  const { cwd, plan: planPath, run, format, file } = command;
  const read = await readReport({
    cwd,
    env: io.env,
    texts: texts[format],
    ...(planPath !== undefined && { planPath }),
    ...(run !== undefined && { run }),
  });
  tellNotice(read.history.notice, io);
  const mask = openMask(secretsIn(io.env));
  const text = await rendered(command, {
    report: maskReport(read.report, mask),
    details: maskDetails(read.details, mask),
    planPath: read.history.planPath,
    hasDied: read.hasDied,
    notice: read.history.notice,
  });
  if (file === undefined) io.out.write(text);
  // As what is printed: once more as a whole, but what programs look things up by.
  else await writeResult(resolve(cwd, file), format === 'json' ? text : mask.text(text));
  return 0;
}

/** What each format shows; the rest is not read. */
const texts = { html: 'all', junit: 'outputs', markdown: 'outputs', json: 'none' } as const;

interface Masked {
  readonly report: RunReport;
  readonly details: AttemptDetails;
  readonly planPath: string;
  readonly hasDied: boolean;
  readonly notice: string | undefined;
}

async function rendered(
  { format, planOption }: ReportCommand,
  { report: run, details, planPath, hasDied, notice }: Masked,
): Promise<string> {
  switch (format) {
    case 'html': {
      const now = new Date().toISOString();
      const facts = { planPath, planOption, now, hasDied, ...(notice !== undefined && { notice }) };
      return renderPage(run, details, { ...(await readPageAssets()), ...facts });
    }
    case 'junit':
      return renderJunit(run, details);
    case 'markdown':
      return renderMarkdown(run, details);
    case 'json':
      return `${jsonLine(reportData(run, details))}\n`;
  }
}
