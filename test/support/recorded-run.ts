import type { Event, GateResult } from '../../src/core/events.ts';
import { reportOf, attemptName } from '../../src/core/run-report.ts';
import type { AttemptDetail, AttemptDetails, RunReport } from '../../src/core/run-report.ts';
import {
  agentFinished,
  attemptStarted,
  gate,
  gateFinished,
  record,
  runFinished,
  runStarted,
  type Entry,
} from './history.ts';

/**
 * One recorded run with all that a report has to show: a rejected attempt and a pass, a wait for a provider, a task that fails
 * for good, one that it blocks; and titles, paths and outputs that would like to be markup.
 */
export const hostile = '</script><img src=x onerror=alert(1)> ]]> & "quoted" \u001b[31mred\u0000';

const lint: GateResult = gate({ name: 'lint', command: 'npm run lint', seconds: 1.25 });
const tests: GateResult = gate({
  name: 'tests.sh',
  command: 'gates/tests.sh',
  verdict: 'fail',
  ended: 'exit 1',
  exit: 1,
  seconds: 12,
  tail: `src/split.ts:3:7: error: two is not three\n${hostile}\n1 failed, 4 passed`,
  log: 'logs/run-1/split/1/gate-tests.sh.log',
});

const usage = { input: 12_000, output: 900, usd: 0.08 };

/** Seconds after the run's start, task, event. */
const timeline: readonly (readonly [number, string, Event])[] = [
  [0, '', runStarted()],
  [2, '', { type: 'baseline.finished', verdict: 'pass', gates: [lint] }],
  [3, 'split', { type: 'task.started', title: 'Split words', line: 3 }],
  [3, 'split', attemptStarted(1)],
  [60, 'split', { ...agentFinished, type: 'agent.finished', seconds: 57, usage } as Event],
  [62, 'split', gateFinished(lint)],
  [74, 'split', gateFinished(tests)],
  [
    74,
    'split',
    { type: 'attempt.rejected', failure: { kind: 'gate-failed', gates: ['tests.sh'] } },
  ],
  [75, 'split', kept('split', 1)],
  [75, 'split', attemptStarted(2)],
  [140, 'split', { ...agentFinished, type: 'agent.finished', seconds: 65, usage } as Event],
  [141, 'split', gateFinished(lint)],
  [
    150,
    'split',
    gateFinished({ ...tests, verdict: 'pass', ended: 'exit 0', exit: 0, tail: '5 passed' }),
  ],
  [151, 'split', passedBy('split', 1, [lint])],
  [152, 'split', checkpoint('split', 1)],
  [152, 'split', { type: 'task.finished', state: 'passed' }],
  [153, 'hostile', { type: 'task.started', title: hostile, line: 4 }],
  [153, 'hostile', attemptStarted(1)],
  [170, 'hostile', limited(470)],
  [170, 'hostile', { type: 'attempt.voided', why: 'throttled', until: at(470) }],
  [171, 'hostile', kept('hostile', 1)],
  [470, 'hostile', { type: 'wait.over' }],
  ...failing('hostile', 2, 471),
  ...failing('hostile', 3, 500),
  [540, 'hostile', { type: 'task.finished', state: 'failed' }],
  [540, 'join', { type: 'task.finished', state: 'blocked', why: 'hostile failed' }],
  [541, '', finished()],
];

function finished(): Event {
  const counts = { passed: 1, failed: 1, blocked: 1, skipped: 0, unjudged: 0, pending: 0 };
  return runFinished({ status: 1, why: 'failed', counts });
}

function at(second: number): string {
  return new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
}

function limited(until: number): Event {
  return { type: 'agent.throttled', agent: 'claude', until: at(until), waits: true };
}

function kept(task: string, number: number): Event {
  const ref = `refs/skeleton/attempts/plan/${task}/${number}`;
  return { type: 'rollback.done', snapshot: { ref, commit: 'd'.repeat(40) } };
}

function passedBy(task: string, number: number, gates: readonly GateResult[]): Event {
  return {
    type: 'gates.passed',
    commit: 'c'.repeat(40),
    tag: tagOf(task, number),
    proof: `refs/skeleton/proof/plan/000${number}`,
    proofObject: 'e'.repeat(40),
    gates,
  };
}

function checkpoint(task: string, number: number): Event {
  return { type: 'checkpoint.created', tag: tagOf(task, number), commit: 'c'.repeat(40) };
}

function tagOf(task: string, number: number): string {
  return `refs/tags/skeleton/plan/000${number}-${task}`;
}

function failing(
  task: string,
  number: number,
  from: number,
): readonly (readonly [number, string, Event])[] {
  return [
    [from, task, attemptStarted(number, number - 1)],
    [from + 20, task, agentFinished],
    [from + 25, task, gateFinished(tests)],
    [
      from + 25,
      task,
      { type: 'attempt.rejected', failure: { kind: 'gate-failed', gates: ['tests.sh'] } },
    ],
    [from + 26, task, kept(task, number)],
  ];
}

const entries: readonly Entry[] = timeline.map(([second, task, event]) => ({
  task,
  event,
  at: second,
}));

export const recordedEvents: ReturnType<typeof record> = record(entries);

export const planned = [
  { id: 'split', title: 'Split words', state: 'done', needs: [], line: 3 },
  { id: 'hostile', title: hostile, state: 'pending', needs: ['split'], line: 4 },
  { id: 'join', title: 'Join words', state: 'pending', needs: ['hostile'], line: 5 },
] as const;

export const recordedReport: RunReport = required(reportOf(recordedEvents, planned));

export const recordedDetails: AttemptDetails = new Map(
  recordedReport.tasks
    .flatMap((task) => task.attempts.map((attempt) => detailOf(task.title, attempt)))
    .map((detail) => [attemptName(detail.attempt), detail]),
);

function detailOf(title: string, attempt: AttemptDetail['attempt']): AttemptDetail {
  return {
    attempt,
    title,
    prompt: `# ${title}\n\nDo it.\n${hostile}\n`,
    diff: [
      'diff --git a/src/split.ts b/src/split.ts',
      'index 1111111..2222222 100644',
      '--- a/src/split.ts',
      '+++ b/src/split.ts',
      '@@ -1,3 +1,4 @@ export function split',
      ' export function split(text: string): string[] {',
      `-  return [text]; // ${hostile}`,
      "+  if (text === '') return [];",
      "+  return text.split(' ');",
      ' }',
      '',
    ].join('\n'),
    outputs: new Map(attempt.gates.map((one) => [one.name, `${one.tail}\nend of ${one.name}\n`])),
    agentLog: `/repo/.git/skeleton/logs/run-1/${attempt.task}/${attempt.number}/agent.log`,
    pruned: { logs: false, snapshot: false },
  };
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the recorded run is not whole');
  return value;
}
