import type { AttemptDetails, ReportedTask, RunReport } from '../core/run-report.ts';
import { excerpt } from '../core/text.ts';
import { junitCases, type JunitCase } from './junit-cases.ts';
import { xmlElement, xmlText } from './xml.ts';

/** Of one case: GitLab reads 30 MB in all, and no page shows more. */
const MOST_OUTPUT = { lines: 400, bytes: 20_000 } as const;

/**
 * A run as JUnit XML, valid against what Jenkins checks (jenkinsci/xunit-plugin, junit-10.xsd): a suite a task, a case for each gate
 * of each attempt. It is red where the run ended with 1 or a gate could not judge: what was
 * rejected on the way to a pass is skipped, with its reason and its output.
 */
export function renderJunit(report: RunReport, details: AttemptDetails = new Map()): string {
  const { run, tasks } = report;
  const cases = junitCases(report, details);
  const { skipped: _skipped, ...counts } = countsOf(cases.flat());
  const attributes = { name: `skeleton ${run.run}`, ...counts, time: spelled(run.seconds) };
  const content = tasks.map((task, at) => `\n  ${suite(task, cases[at] ?? [])}`).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xmlElement('testsuites', attributes, `${content}\n`)}\n`;
}

interface Counts {
  readonly tests: number;
  readonly failures: number;
  readonly errors: number;
  readonly skipped: number;
}

function countsOf(cases: readonly JunitCase[]): Counts {
  const of = (result: JunitCase['result']): number =>
    cases.filter((one) => one.result === result).length;
  return {
    tests: cases.length,
    failures: of('failure'),
    errors: of('error'),
    skipped: of('skipped'),
  };
}

function suite(task: ReportedTask, cases: readonly JunitCase[]): string {
  const attributes = {
    name: task.title === task.id ? task.id : `${task.id}: ${task.title}`,
    ...countsOf(cases),
    // The sum over the cases, as readers check it; the agent's time is no case's.
    time: spelled(cases.reduce((sum, { seconds }) => sum + seconds, 0)),
  };
  const content = cases.map((one) => `\n    ${testcase(task.id, one)}`).join('');
  return xmlElement('testsuite', attributes, `${content}\n  `);
}

function testcase(classname: string, one: JunitCase): string {
  const { name, seconds, result, type, message, output } = one;
  const told = output === undefined ? '' : excerpt(output, output, MOST_OUTPUT);
  const words = { ...(type !== undefined && { type }), ...(message !== undefined && { message }) };
  const content = (): string => {
    if (result === 'passed') return '';
    if (result !== 'skipped') return xmlElement(result, words, xmlText(told));
    const out = told === '' ? '' : xmlElement('system-out', {}, xmlText(told));
    return xmlElement('skipped', words) + out;
  };
  return xmlElement('testcase', { name, classname, time: spelled(seconds) }, content());
}

function spelled(seconds: number): string {
  return seconds.toFixed(3);
}
