import type { Event, GateResult, RunCounts } from '../../src/core/events.ts';

export const gate: GateResult = {
  name: '10-tests',
  command: 'npm test',
  verdict: 'fail',
  ended: 'exit 1',
  exit: 1,
  seconds: 0.25,
  soft: false,
  digest: 'sha256:00',
  tail: 'ünïcode, "quotes", \\, a NUL \0, half a pair \ud800\n\u2028 and 🌊',
  log: 'logs/r1/a/1/gate-10-tests.log',
};
export const counts: RunCounts = {
  passed: 1,
  failed: 0,
  blocked: 0,
  skipped: 0,
  unjudged: 0,
  pending: 2,
};
export const snapshot = { ref: 'refs/skeleton/attempts/demo/a/1', commit: 'c0ffee' };
export const voided: Event = { type: 'attempt.voided', why: 'interrupted' };
export const rolledBack: Event = { type: 'rollback.done', snapshot };
export const agentFinished: Event = {
  type: 'agent.finished',
  ...{ seconds: 1, ended: 'exit 0', exit: 0, log: 'agent.log' },
};

export const samples: { readonly [T in Event['type']]: readonly Extract<Event, { type: T }>[] } = {
  'task.started': [
    { type: 'task.started', title: 'First', line: 3 },
    { type: 'task.started', title: 'First', line: 3, mark: '00' },
  ],
  'task.told': [{ type: 'task.told', note: 'n1', text: 'a note', by: 'a@b' }],
  'run.paused': [{ type: 'run.paused', since: '2026-01-01T01:00:00.000Z', by: 'a@b' }],
  'run.resumed': [{ type: 'run.resumed' }],
  'plan.changed': [
    { type: 'plan.changed', commit: 'c1', added: ['a'], removed: [], changed: ['b'] },
  ],
  'attempt.started': [attemptStarted(), { ...attemptStarted(), judge: snapshot }],
  'agent.finished': [
    { type: 'agent.finished', seconds: 12.5, ended: 'exit 0', exit: 0, log: 'agent.log' },
    { type: 'agent.finished', seconds: 0, ended: 'signal SIGSEGV', exit: null, log: '' },
  ],
  'review.finished': [
    {
      ...{ type: 'review.finished', verdict: 'block', tree: 't1' },
      findings: [
        { file: 'a', line: 2, severity: 'major', message: 'wrong', suggestion: 'mend' },
        { file: '', severity: 'note', message: 'odd' },
      ],
    },
  ],
  'agent.throttled': [{ type: 'agent.throttled', until: '2026-01-01T01:00:00.000Z' }],
  'gate.finished': [{ type: 'gate.finished', ...gate }],
  'gates.passed': [
    {
      type: 'gates.passed',
      commit: 'c1',
      tag: 'refs/tags/skeleton/demo/0001-a',
      proof: 'refs/skeleton/proof/demo/0001',
      proofObject: 'p1',
      gates: [gate, { ...gate, verdict: 'pass', exit: null }],
    },
  ],
  'checkpoint.verified': [
    { type: 'checkpoint.verified', tag: 'refs/tags/skeleton/demo/0001-a', commit: 'c1' },
  ],
  'attempt.rejected': [
    { type: 'attempt.rejected', failure: { kind: 'crashed' } },
    {
      type: 'attempt.rejected',
      failure: { kind: 'tampered', detail: 'd', paths: ['gates/a b'], gates: ['x'] },
    },
  ],
  'attempt.voided': [
    { type: 'attempt.voided', why: 'interrupted' },
    { type: 'attempt.voided', why: 'throttled', until: '2026-01-01T01:00:00.000Z' },
  ],
  'rollback.done': [
    { type: 'rollback.done', snapshot },
    { type: 'rollback.done', snapshot, kept: true },
  ],
  'checkpoint.created': [{ type: 'checkpoint.created', tag: 't', commit: 'c1' }],
  'wait.over': [{ type: 'wait.over' }],
  'task.reopened': [{ type: 'task.reopened', anew: true }],
  'task.finished': [
    { type: 'task.finished', state: 'passed' },
    { type: 'task.finished', state: 'blocked', why: 'waits for a' },
    { type: 'task.finished', state: 'skipped', why: 'by a@b' },
  ],
  notice: [{ type: 'notice', message: '' }],
  'run.started': [runStarted('base')],
  'baseline.finished': [{ type: 'baseline.finished', verdict: 'fail', gates: [gate] }],
  'run.finished': [
    { type: 'run.finished', status: 0, counts },
    { type: 'run.finished', status: 130, why: 'interrupted', counts },
  ],
};

/** What a task has behind it when an event of the type is written; of other types nothing. */
export const before: Readonly<Partial<Record<Event['type'], readonly Event[]>>> = {
  'agent.finished': [attemptStarted()],
  'gates.passed': [attemptStarted(), agentFinished],
  'attempt.rejected': [attemptStarted()],
  'attempt.voided': [attemptStarted(), agentFinished],
  'rollback.done': [attemptStarted(), voided],
  'checkpoint.created': [attemptStarted(), agentFinished, ...samples['gates.passed']],
};

export function attemptStarted(
  number = 1,
  worktree = 'w1',
): Extract<Event, { type: 'attempt.started' }> {
  const who = { agent: 'claude', token: 'token', worktree };
  return { type: 'attempt.started', number, attempt: 1, attempts: 5, base: 'base', ...who };
}

export function runStarted(base: string): Extract<Event, { type: 'run.started' }> {
  const where = { plan: 'PLAN.md', base, branch: 'refs/heads/main', start: '' };
  return { type: 'run.started', schema: 1, ...where, options: { attempts: 5, nested: { a: [1] } } };
}
