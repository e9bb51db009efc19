import { parse } from 'junit2json';
import { describe, expect, test } from 'vitest';
import type { Event, GateResult } from '../../../src/core/events.ts';
import type { FailureKind, VoidReason } from '../../../src/core/failure.ts';
import { reportOf, type RunReport } from '../../../src/core/run-report.ts';
import { junitCases, type JunitCase } from '../../../src/report/junit-cases.ts';
import { renderJunit } from '../../../src/report/junit.ts';
import {
  attemptStarted,
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
import { hostile, recordedDetails, recordedReport } from '../../support/recorded-run.ts';
import { readXml, type XmlNode } from '../../support/xml-tree.ts';

/** What Jenkins checks a report against: junit-10.xsd of its xUnit plugin, written out. `*`: of any text. */
interface Rule {
  readonly required?: readonly string[];
  readonly optional?: readonly string[];
  readonly children: readonly string[];
}
const told: Rule = { optional: ['type', 'message'], children: [] };
const plain: Rule = { children: [] };
const schema: Readonly<Record<string, Rule>> = {
  testsuites: {
    optional: ['name', 'time', 'tests', 'failures', 'errors'],
    children: ['testsuite'],
  },
  testsuite: {
    required: ['name', 'tests', 'failures', 'errors'],
    optional: ['time', 'skipped', 'timestamp', 'hostname', 'id', 'package', 'file', 'log', 'url'],
    children: ['testsuite', 'properties', 'testcase', 'system-out', 'system-err'],
  },
  testcase: {
    required: ['name'],
    optional: ['time', 'classname', 'group'],
    children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
  },
  failure: told,
  error: told,
  skipped: told,
  'system-out': plain,
};
const withText: ReadonlySet<string> = new Set(['failure', 'error', 'skipped', 'system-out']);

function violations(node: XmlNode): readonly string[] {
  const rule = schema[node.name];
  if (rule === undefined) return [`unknown element ${node.name}`];
  const { required = [], optional = [], children } = rule;
  const names = Object.keys(node.attributes);
  const time = node.attributes['time'] ?? '0';
  return [
    ...required
      .filter((name) => !names.includes(name))
      .map((name) => `${node.name} has no ${name}`),
    ...names
      .filter((name) => ![...required, ...optional].includes(name))
      .map((name) => `${node.name} has ${name}`),
    ...(/^\d*(\.\d*)?$/.test(time) ? [] : [`time ${time}`]),
    ...(withText.has(node.name) || node.text.trim() === '' ? [] : [`text in ${node.name}`]),
    ...node.children
      .filter(({ name }) => !children.includes(name))
      .map(({ name }) => `${name} in ${node.name}`),
    ...node.children.flatMap(violations),
  ];
}

/** A run of these events that has ended with this status; undefined: it goes on. */
function run(entries: readonly Entry[], status?: number): RunReport {
  const end = status === undefined ? [] : [ofRun(runFinished({ status }))];
  const report = reportOf(record([ofRun(runStarted()), ...entries, ...end]));
  if (report === undefined) throw new Error('no run');
  return report;
}

function ending(event: Event): readonly Entry[] {
  const snapshot = { ref: 'refs/skeleton/attempts/plan/a/1', commit: 'd'.repeat(40) };
  return [event, { type: 'rollback.done', snapshot } as const].map((one) => ({
    task: 'a',
    event: one,
  }));
}

function rejectedFor(kind: FailureKind): readonly Entry[] {
  return [...begun('a'), ...ending({ type: 'attempt.rejected', failure: { kind } })];
}

const byGates = ending({ type: 'attempt.rejected', failure: { kind: 'gate-failed' } });

function judged(...gates: readonly GateResult[]): readonly Entry[] {
  return [...begun('a'), ...gates.map((one) => ({ task: 'a', event: gateFinished(one) }))];
}

const start = taskStarted('a');
const error = gate({ verdict: 'error', ended: 'exit 75', exit: 75, tail: 'no database' });
const timeout = gate({ verdict: 'timeout', ended: 'timeout', exit: null });
function voided(why: VoidReason): readonly Entry[] {
  return ending({ type: 'attempt.voided', why });
}

const runs: Readonly<Record<string, RunReport>> = {
  recorded: recordedReport,
  'passed at once': run([start, ...passed('a'), taskFinished('a', 'passed')], 0),
  'rejected, then passed': run(
    [start, ...rejected('a'), ...passed('a', 2), taskFinished('a', 'passed')],
    0,
  ),
  'no change, then passed': run(
    [start, ...rejectedFor('no-change'), ...passed('a', 2), taskFinished('a', 'passed')],
    0,
  ),
  unjudged: run([start, ...passed('a', 1, []), taskFinished('a', 'unjudged')], 0),
  'a soft gate says no': run(
    [
      start,
      ...passed('a', 1, [gate(), gate({ ...red, name: 'soft', soft: true })]),
      taskFinished('a', 'passed'),
    ],
    0,
  ),
  failed: run([start, ...rejected('a'), ...rejected('a', 2), taskFinished('a', 'failed')], 1),
  tampered: run([start, ...rejectedFor('tampered'), taskFinished('a', 'failed')], 1),
  'agent error': run([start, ...rejectedFor('agent-error'), taskFinished('a', 'failed')], 1),
  'failed without a word': run([start, taskFinished('a', 'failed')], 1),
  'timeout of a gate': run([start, ...judged(timeout), ...byGates, taskFinished('a', 'failed')], 1),
  'gate error': run(
    [start, ...judged(error), ...voided('gate-error'), taskFinished('a', 'stopped', 'gate-error')],
    4,
  ),
  'gate error, then passed': run(
    [
      start,
      ...judged(error),
      ...voided('gate-error'),
      { task: 'a', event: { type: 'task.reopened', anew: false } },
      ...passed('a', 2),
      taskFinished('a', 'passed'),
    ],
    0,
  ),
  throttled: run([start, ...begun('a'), ...voided('throttled')], 4),
  'goes on after a rejection': run([
    start,
    ...rejected('a'),
    { task: 'a', event: attemptStarted(2) },
  ]),
  'blocked only': run([taskFinished('b', 'blocked', 'a failed')], 1),
  'nothing done': run([], 0),
};

describe.each(Object.entries(runs))('%s', (name, report) => {
  const xml = renderJunit(report, name === 'recorded' ? recordedDetails : undefined);
  const root = readXml(xml);

  test('is valid', () => {
    expect(violations(root)).toEqual([]);
  });

  test('every suite has a case, every count is true', () => {
    expect(root.children.map((suite) => suite.attributes['name'])).toHaveLength(
      report.tasks.length,
    );
    for (const suite of root.children) {
      const cases = suite.children;
      const of = (kind: string): number =>
        cases.filter(({ children }) => children.some((child) => child.name === kind)).length;
      expect(cases.length).toBeGreaterThan(0);
      expect(suite.attributes).toMatchObject({
        tests: String(cases.length),
        failures: String(of('failure')),
        errors: String(of('error')),
        skipped: String(of('skipped')),
      });
      expect(new Set(cases.map((one) => one.attributes['name'])).size).toBe(cases.length);
    }
    const sum = (key: string): string =>
      String(root.children.reduce((all, suite) => all + Number(suite.attributes[key]), 0));
    for (const key of ['tests', 'failures', 'errors']) expect(root.attributes[key]).toBe(sum(key));
  });

  test('is red exactly where the run ended with 1, or a gate could not judge', () => {
    const reds = junitCases(report)
      .flat()
      .filter(({ result }) => result === 'failure' || result === 'error');
    const isRed = report.run.status === 1 || name === 'gate error';
    expect(reds.length > 0).toBe(isRed);
  });
});

describe('what a case says', () => {
  const casesOf = (name: string): readonly JunitCase[] => {
    const report = runs[name];
    return report === undefined ? [] : junitCases(report).flat();
  };

  test('a rejection on the way to a pass is skipped, says what passed, and keeps its output', () => {
    expect(casesOf('rejected, then passed')).toEqual([
      expect.objectContaining({
        name: 'attempt 1: check.sh',
        result: 'skipped',
        message: 'fail (exit 1); a#2 passed',
        output: red.tail,
      }),
      expect.objectContaining({ name: 'attempt 2: check.sh', result: 'passed' }),
    ]);
  });

  test.each([
    ['failed', 'attempt 2: check.sh', 'failure', 'fail'],
    ['tampered', 'attempt 1: tampered', 'failure', 'tampered'],
    ['agent error', 'attempt 1: agent-error', 'error', 'agent-error'],
    ['failed without a word', 'failed', 'failure', 'failed'],
    ['timeout of a gate', 'attempt 1: check.sh', 'error', 'timeout'],
    ['gate error', 'attempt 1: check.sh', 'error', 'error'],
    ['blocked only', 'blocked', 'failure', 'blocked'],
  ])('%s: %s is a %s', (run, name, result, type) => {
    expect(casesOf(run)).toContainEqual(expect.objectContaining({ name, result, type }));
  });

  test.each([
    ['no change, then passed', 'attempt 1: no-change'],
    ['unjudged', 'attempt 1: unjudged'],
    ['a soft gate says no', 'attempt 1: soft'],
    ['gate error, then passed', 'attempt 1: check.sh'],
    ['throttled', 'attempt 1: throttled'],
    ['goes on after a rejection', 'attempt 2: under way'],
    ['recorded', 'blocked'],
  ])('%s: %s is skipped, with a reason', (run, name) => {
    const message: unknown = expect.stringMatching(/./);
    expect(casesOf(run)).toContainEqual(
      expect.objectContaining({ name, result: 'skipped', message }),
    );
  });

  test('two gates of one name are two cases', () => {
    const twice = run([start, ...passed('a', 1, [gate(), gate()])], 0);
    expect(
      junitCases(twice)
        .flat()
        .map(({ name }) => name),
    ).toEqual(['attempt 1: check.sh', 'attempt 1: check.sh (2)']);
  });
});

describe('hostile texts', () => {
  const title = `${hostile} \ud800 \ufffe \u009f \u202e ]]> "&#0;`;
  const report = run(
    [
      { task: 'a', event: { type: 'task.started', title, line: 1 } },
      ...judged(gate({ ...red, name: title, ended: title, tail: `${title}\n\ttab` })),
      ...byGates,
      taskFinished('a', 'failed'),
    ],
    1,
  );

  test('stay text', () => {
    const root = readXml(renderJunit(report));
    expect(violations(root)).toEqual([]);
    expect(root.children[0]?.attributes['name']).toContain('</script><img src=x');
    expect(root.children[0]?.children[0]?.children[0]?.text).toContain(']]> & "quoted"');
  });

  test('output is bounded, and the cut is stated', () => {
    const output = `begin\n${'long line of output\n'.repeat(30_000)}the end`;
    const details = new Map([
      ['a#1', { ...recordedDetails.get('split#1'), outputs: new Map([[title, output]]) }],
    ]) as typeof recordedDetails;
    const xml = renderJunit(report, details);
    expect(xml.length).toBeLessThan(30_000);
    expect(xml).toMatch(/begin\n[^]*lines left out[^]*the end<\/failure>/);
  });
});

test('a consumer reads what was meant', async () => {
  const read = await parse(renderJunit(recordedReport, recordedDetails));
  if (read === undefined || read === null || !('testsuite' in read)) throw new Error('not read');
  expect(read).toMatchObject({ name: 'skeleton run-1', tests: 8, failures: 2, errors: 0 });
  const [split, other, join] = read.testsuite ?? [];
  expect(split).toMatchObject({ name: 'split: Split words', tests: 4, failures: 0, skipped: 1 });
  expect(other?.name).toContain('<img src=x onerror=alert(1)>');
  const told = JSON.stringify(other?.testcase?.[2]);
  expect(told).toContain('"name":"attempt 3: tests.sh","classname":"hostile","time":12');
  expect(told).toMatch(/"failure":\[\{[^}]*"message":"tests.sh: exit 1"/);
  expect(told).toContain('1 failed, 4 passed');
  expect(join).toMatchObject({
    tests: 1,
    skipped: 1,
    testcase: [{ skipped: [{ message: 'hostile failed' }] }],
  });
});
