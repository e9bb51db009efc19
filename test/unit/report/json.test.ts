import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import type { Event } from '../../../src/core/events.ts';
import { failureKinds } from '../../../src/core/failure.ts';
import type { EventOf } from '../../../src/core/history.ts';
import { eventLine } from '../../../src/report/json.ts';
import schema from '../../../schema/events.schema.json' with { type: 'json' };
import {
  agentFinished,
  attemptStarted,
  gate,
  gateFinished,
  ofRun,
  passed,
  record,
  red,
  runFinished,
  runStarted,
} from '../../support/history.ts';

const snapshot = { ref: 'refs/skeleton/attempts/plan/a/1', commit: 'd'.repeat(40) };
const until = '2026-01-01T00:00:00.000Z';

const gatesPassed = passed('a').find(({ event }) => event.type === 'gates.passed')
  ?.event as EventOf<'gates.passed'>;

/** At least one of each type: a new one does not compile before it has an example here. */
const examples: { readonly [T in Event['type']]: readonly [EventOf<T>, ...EventOf<T>[]] } = {
  'run.started': [runStarted() as EventOf<'run.started'>],
  'baseline.finished': [
    {
      type: 'baseline.finished',
      verdict: 'fail',
      gates: [red, gate({ verdict: 'skipped', exit: null, log: '' })],
    },
    { type: 'baseline.finished', verdict: 'skipped', gates: [] },
  ],
  'task.started': [
    { type: 'task.started', title: 'Title', line: 3 },
    { type: 'task.started', title: 'Title', line: 3, mark: '00' },
  ],
  'task.told': [{ type: 'task.told', note: 'n1', text: 'a note', by: 'a@b' }],
  'run.paused': [{ type: 'run.paused', since: until, by: 'a@b' }],
  'run.resumed': [{ type: 'run.resumed' }],
  'plan.changed': [
    {
      ...{ type: 'plan.changed', commit: 'd'.repeat(40) },
      ...{ added: ['a'], removed: ['b'], changed: [] },
    },
  ],
  'attempt.started': [
    attemptStarted(1) as EventOf<'attempt.started'>,
    { ...(attemptStarted(7, 2) as EventOf<'attempt.started'>), judge: snapshot },
    {
      ...(attemptStarted(8, 2) as EventOf<'attempt.started'>),
      ...{ continues: snapshot, model: 'small', slot: 2 },
    },
    {
      ...(attemptStarted(9, 2) as EventOf<'attempt.started'>),
      ...{ stage: { nth: 1, name: 'review', of: 2, reviews: 0 }, onto: snapshot },
    },
  ],
  'review.finished': [
    { type: 'review.finished', verdict: 'pass', findings: [], tree: 'e'.repeat(40) },
    {
      ...{ type: 'review.finished', verdict: 'block', tree: '' },
      findings: [
        { file: 'a', line: 1, severity: 'critical', message: 'm', suggestion: 's' },
        { file: '', severity: 'note', message: 'm' },
      ],
    },
  ],
  'agent.finished': [
    agentFinished as EventOf<'agent.finished'>,
    { ...(agentFinished as EventOf<'agent.finished'>), exit: null, ended: 'signal SIGKILL' },
    { ...(agentFinished as EventOf<'agent.finished'>), usage: { input: 3, atLeast: true } },
    {
      ...(agentFinished as EventOf<'agent.finished'>),
      ...{
        usage: { input: 3, output: 1, usd: 0.5 },
        session: 's',
        key: `sha256:${'0'.repeat(64)}`,
      },
    },
  ],
  'agent.throttled': [
    { type: 'agent.throttled', until },
    { type: 'agent.throttled', until, agent: 'claude', why: 'limit', next: 'codex' },
    { type: 'agent.throttled', until, agent: 'claude', why: 'overload', own: true, waits: true },
  ],
  'gate.finished': [gateFinished(red) as EventOf<'gate.finished'>],
  'gates.passed': [gatesPassed, { ...gatesPassed, left: 'd'.repeat(40) }],
  'attempt.rejected': [
    { type: 'attempt.rejected', failure: { kind: 'timed-out', detail: 'after 30m' } },
    { type: 'attempt.rejected', failure: { kind: 'gate-failed' }, left: 'd'.repeat(40) },
    ...failureKinds.map((kind) => {
      return { type: 'attempt.rejected', failure: { kind, paths: ['a'], gates: ['b'] } } as const;
    }),
  ],
  'attempt.voided': [
    { type: 'attempt.voided', why: 'throttled', until },
    ...(['interrupted', 'gate-error', 'over-budget', 'signed-out', 'sent-back'] as const).map(
      (why) => ({ type: 'attempt.voided', why }) as const,
    ),
    {
      ...{ type: 'attempt.voided', why: 'ahead' },
      judged: { tree: 'd'.repeat(40), gatesHash: `sha256:${'0'.repeat(64)}` },
    },
    { type: 'attempt.voided', why: 'stage', left: 'e'.repeat(40) },
    { type: 'attempt.voided', why: 'sent-back', failure: { kind: 'conflict', paths: ['a'] } },
  ],
  'rollback.done': [
    { type: 'rollback.done', snapshot },
    { type: 'rollback.done', snapshot, kept: true },
  ],
  'checkpoint.created': [
    { type: 'checkpoint.created', tag: 'refs/tags/skeleton/plan/0001-a', commit: 'c'.repeat(40) },
  ],
  'checkpoint.verified': [
    { type: 'checkpoint.verified', tag: 'refs/tags/skeleton/plan/0001-a', commit: 'c'.repeat(40) },
  ],
  'wait.over': [{ type: 'wait.over' }],
  'task.reopened': [{ type: 'task.reopened', anew: true }],
  'task.finished': [
    { type: 'task.finished', state: 'blocked', why: 'waits for a' },
    ...(['passed', 'unjudged', 'failed', 'stopped'] as const).map(
      (state) => ({ type: 'task.finished', state }) as const,
    ),
  ],
  notice: [{ type: 'notice', message: 'careful' }],
  'run.finished': [runFinished() as EventOf<'run.finished'>],
};

const isOfRun = (type: string): boolean => /^(?:run|plan|baseline)\./.test(type);
const lines = Object.values(examples)
  .flat()
  .map((event) => {
    const [recorded] = record([isOfRun(event.type) ? ofRun(event) : { task: 'a', event }]);
    return recorded === undefined ? '' : eventLine(recorded);
  });

describe('an event on standard output', () => {
  const validate = new Ajv().compile(schema);

  test.each(lines)('meets the shipped schema: %s', (line) => {
    const isValid = validate(JSON.parse(line));
    expect(validate.errors ?? []).toEqual([]);
    expect(isValid).toBe(true);
  });

  test('a notice of the run has no task', () => {
    const [notice] = record([ofRun({ type: 'notice', message: 'careful' })]);
    const object = JSON.parse(notice === undefined ? '' : eventLine(notice)) as object;
    expect(object).toEqual({
      type: 'notice',
      run: 'run-1',
      at: '2026-01-01T00:00:00.000Z',
      plan: 'plan',
      message: 'careful',
    });
    expect(validate(object)).toBe(true);
  });

  test('the schema knows each type, and no other', () => {
    const known = schema.oneOf.map((one) => one.title).sort();
    expect(known).toEqual(Object.keys(examples).sort());
  });

  test.each([
    ['without its run', { run: undefined }],
    ['of an unknown type', { type: 'run.hurried' }],
    ['with a field that nobody decided on', { mood: 'good' }],
  ])('an event %s is refused', (_, change) => {
    const event = JSON.parse(lines[0] ?? '') as object;
    expect(validate(JSON.parse(JSON.stringify({ ...event, ...change })))).toBe(false);
  });

  test('is one line, whatever it holds', () => {
    const [hostile] = record([
      { task: 'a\nb', event: { type: 'notice', message: '\r\n\u2028\u001b[2J' } },
    ]);
    expect(hostile === undefined ? '' : eventLine(hostile)).not.toMatch(/[\n\r\u2028]/);
  });
});
