import { describe, expect, test } from 'vitest';
import { attemptsOf, summarise } from '../../../src/core/summary.ts';
import type { EventOf } from '../../../src/core/history.ts';
import type { PlannedTask } from '../../../src/core/summary.ts';
import { clockTime } from '../../../src/report/clock-time.ts';
import { renderRunEnd, renderRunTable } from '../../../src/report/run-end.ts';
import { linesOf } from '../../../src/report/run-lines.ts';
import { attemptData, renderLog } from '../../../src/report/log.ts';
import { renderShow, showData } from '../../../src/report/show.ts';
import type { AttemptDetail } from '../../../src/core/run-report.ts';
import { renderStatus, statusData } from '../../../src/report/status.ts';
import type { StatusFacts } from '../../../src/report/status-facts.ts';
import { plainStyle } from '../../../src/report/style.ts';
import {
  attemptStarted,
  begun,
  ofRun,
  passed,
  record,
  rejected,
  runFinished,
  runStarted,
  taskFinished,
} from '../../support/history.ts';
import type { Entry } from '../../support/history.ts';

const plan: readonly PlannedTask[] = [
  { id: 'a', title: 'Alpha', state: 'done', needs: [], line: 3 },
  { id: 'b', title: 'Beta', state: 'pending', needs: ['a'], line: 4 },
  { id: 'c', title: 'Gamma', state: 'pending', needs: ['b'], line: 5 },
  { id: 'd', title: 'Delta', state: 'done', needs: [], line: 6 },
  { id: 'e', title: 'Epsilon', state: 'skipped', needs: [], line: 7 },
];

const story: readonly Entry[] = [
  ofRun(runStarted()),
  ...passed('a'),
  ...rejected('b', 1),
  ...rejected('b', 2),
  taskFinished('b', 'failed'),
  taskFinished('c', 'blocked', 'waits for b'),
  { ...ofRun(runFinished({ status: 1 })), at: 754 },
];

const now = '2026-01-01T00:30:00.000Z';

function factsOf(entries: readonly Entry[], changes: Partial<StatusFacts> = {}): StatusFacts {
  const summary = summarise(plan, record(entries));
  return {
    planPath: 'PLAN.md',
    summary,
    problems: 0,
    head: 'c'.repeat(40),
    planOption: '',
    now,
    ...changes,
  };
}

const statusLines = (...args: Parameters<typeof factsOf>): readonly string[] =>
  renderStatus(factsOf(...args), plainStyle).split('\n');

describe('status', () => {
  test('two lines, then the table', () => {
    expect(`${statusLines(story).join('\n')}\n`).toBe(
      `PLAN.md: 1 of 5 passed; 1 ticked by hand; failed: b (check.sh, 2 attempts); blocked: c; 1 skipped; 12m 34s in 1 run; cost unknown; the tree is at skeleton/plan/0001-a
next: skeleton show b#2

task  state                         attempts  time  checkpoint            title
a     passed                        1         4.0s  skeleton/plan/0001-a  Alpha
b     failed: rejected by check.sh  2         8.0s                        Beta
c     blocked: waits for b                                                Gamma
d     ticked                                                              Delta
e     skipped                                                             Epsilon
`,
    );
  });

  test('before any run it offers one', () => {
    const [first, next] = statusLines([], { head: undefined, planOption: ' --plan B.md' });
    expect(first).toBe(
      'PLAN.md: 0 of 5 passed; 2 ticked by hand; 1 skipped; 2 pending; no run yet; no commit yet',
    );
    expect(next).toBe('next: skeleton run --plan B.md');
  });

  test('when all is done it offers to look back', () => {
    const done = plan.filter(({ state }) => state !== 'pending');
    const summary = summarise(done, record(passed('a')));
    const facts = {
      planPath: 'PLAN.md',
      summary,
      problems: 0,
      head: 'f'.repeat(40),
      planOption: '',
      now,
    };
    const [first, next] = renderStatus(facts, plainStyle).split('\n');
    expect(next).toBe('next: skeleton log');
    expect(first).toContain('the tree is at ffffffffff (last checkpoint skeleton/plan/0001-a)');
  });

  test('a plan with problems is to be checked first', () => {
    const [first, next] = statusLines([], { problems: 2 });
    expect(first).toContain('; 2 problems in the plan; ');
    expect(next).toBe('next: skeleton check');
  });

  test('an attempt under way is told, and the task is pending', () => {
    const lines = statusLines([...passed('a'), ...begun('b')]);
    expect(lines[0]).toContain('2 pending');
    expect(lines.find((line) => line.startsWith('b '))).toContain(
      'pending: attempt 1/5 under way, or cut off',
    );
  });

  const turnedAway = (until: string): readonly Entry[] => [
    ...passed('a'),
    ...begun('b').slice(0, 1),
    { task: 'b', event: { type: 'agent.throttled', until, agent: 'claude' } },
    { task: 'b', event: { type: 'attempt.voided', why: 'throttled', until } },
    { task: 'b', event: { type: 'rollback.done', snapshot: { ref: '', commit: '' } } },
    taskFinished('b', 'stopped'),
  ];

  test('a limit is told with its agent, and that the same command would wait for it', () => {
    const until = '2026-01-01T01:00:00.000Z';
    const at = clockTime(until, now);
    const lines = statusLines(turnedAway(until));
    expect(lines[1]).toBe(
      `next: skeleton run  # waits for claude until ${at}; another --agent goes on at once`,
    );
    expect(lines.find((line) => line.startsWith('b '))).toContain(
      `pending: waiting for claude until ${at} `,
    );
    expect(statusLines(turnedAway('2026-01-01T00:20:00.000Z'))[1]).toBe('next: skeleton run');
  });

  test('a task’s budget that is reached has to be raised first', () => {
    const why = "the task's budget of $1.00 is reached: $1.20 spent";
    const lines = statusLines([...rejected('b'), taskFinished('b', 'stopped', why)]);
    expect(lines[1]).toBe(
      'next: skeleton run  # stops again until the budget is raised: `budget:`, or --budget USD',
    );
  });

  test('unjudged is its own word', () => {
    const lines = statusLines(passed('a', 1, []));
    expect(lines[0]).toContain('0 of 5 passed; 1 unjudged');
    expect(lines.find((line) => line.startsWith('a '))).toContain('unjudged');
  });

  test('many names are cut, and ids that a shell would read are quoted', () => {
    const many = Array.from({ length: 8 }, (_, at) => ({
      id: `it's ${at}`,
      title: '',
      state: 'pending' as const,
      needs: [],
      line: at + 1,
    }));
    const failures = many.flatMap(({ id }) => [
      { task: id, event: attemptStarted(1) },
      taskFinished(id, 'failed'),
    ]);
    const summary = summarise(many, record(failures));
    const facts = { ...factsOf([], { head: undefined }), summary };
    const [first, next] = renderStatus(facts, plainStyle).split('\n');
    expect(first).toContain("it's 4 (1 attempt) and 3 more");
    expect(next).toBe(String.raw`next: skeleton show 'it'\''s 0#1'`);
  });

  test('as data it holds the same', () => {
    expect(statusData(factsOf(story))).toMatchObject({
      plan: 'PLAN.md',
      next: 'skeleton show b#2',
      counts: { passed: 1, ticked: 1, failed: 1, blocked: 1, skipped: 1, pending: 0 },
      tasks: [
        {
          id: 'a',
          state: 'passed',
          attempts: 1,
          checkpoint: { tag: 'refs/tags/skeleton/plan/0001-a' },
        },
        { id: 'b', state: 'failed', attempts: 2, checkpoint: null },
        { id: 'c', state: 'blocked', why: 'waits for b' },
        { id: 'd', state: 'ticked' },
        { id: 'e', state: 'skipped' },
      ],
      runs: [{ run: 'run-1', status: 1 }],
    });
  });
});

describe('log', () => {
  test('one attempt a line, newest last', () => {
    const attempts = attemptsOf(summarise(plan, record(story)));
    expect(`${renderLog(attempts, plainStyle)}\n`).toBe(
      `attempt  when (UTC)           verdict   time  kept as                          why
a#1      2026-01-01 00:00:01  passed    4.0s  skeleton/plan/0001-a
b#1      2026-01-01 00:00:06  rejected  4.0s  refs/skeleton/attempts/plan/b/1  rejected by check.sh
b#2      2026-01-01 00:00:11  rejected  4.0s  refs/skeleton/attempts/plan/b/2  rejected by check.sh
`,
    );
  });

  test('of nothing says so', () => {
    expect(renderLog([], plainStyle)).toBe('no attempt yet');
  });

  test('as data it holds the same', () => {
    const attempts = attemptsOf(summarise(plan, record(story)));
    expect(attempts.map(attemptData)).toMatchObject([
      { task: 'a', number: 1, verdict: 'passed', snapshot: null },
      {
        task: 'b',
        number: 1,
        verdict: 'rejected',
        failure: { kind: 'gate-failed' },
        checkpoint: null,
      },
      { task: 'b', number: 2, snapshot: { ref: 'refs/skeleton/attempts/plan/b/2' } },
    ]);
  });
});

describe('show', () => {
  const [attempt] = attemptsOf(summarise(plan, record(rejected('b'))));
  if (attempt === undefined) throw new Error('the story has an attempt');
  const shown: AttemptDetail = {
    attempt,
    title: 'Beta',
    prompt: 'Do it.\n',
    diff: 'diff --git a/x b/x\n+evil\u001b[2J\n',
    outputs: new Map([['check.sh', 'all of it\n']]),
    agentLog: '/state/agent.log',
  };

  test('has what it was asked, what it did, what it was told', () => {
    expect(`${renderShow(shown, plainStyle)}\n`).toBe(
      `b#1
title      Beta
verdict    rejected by check.sh
attempt    1 of 5, 4.0s
begun      2026-01-01T00:00:00.000Z in run run-1
from       aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
kept as    refs/skeleton/attempts/plan/b/1
agent      sh agent.sh: exit 0
used       cost unknown
agent log  /state/agent.log

── prompt
Do it.

── diff
diff --git a/x b/x
+evil

── gate check.sh: fail (exit 1), 0.5s
all of it
`,
    );
  });

  test('of an output that is not there any more shows the lines that were kept', () => {
    const text = renderShow({ ...shown, outputs: new Map(), prompt: undefined }, plainStyle);
    expect(text).toContain('── gate check.sh: fail (exit 1), 0.5s\none\nerror: two is not three');
    expect(text).toContain('── prompt\n(not kept)');
  });

  test('as data it holds texts as they are', () => {
    expect(showData(shown)).toMatchObject({
      task: 'b',
      number: 1,
      prompt: 'Do it.\n',
      diff: shown.diff,
      gates: [{ name: 'check.sh', output: 'all of it\n' }],
    });
  });
});

describe('what agents took', () => {
  const took = { usage: { input: 1200, output: 80, usd: 0.05 } };
  const told = record([
    ofRun(runStarted()),
    ...passed('a').map((entry) =>
      entry.event.type === 'agent.finished'
        ? { ...entry, event: { ...entry.event, ...took } }
        : entry,
    ),
    ...rejected('b', 1),
    ofRun(runFinished({ status: 4, why: 'limit' })),
  ]);
  const summary = summarise(plan, told);

  test('is in status, as far as it is known', () => {
    const facts = { ...factsOf([], { head: undefined }), summary };
    const lines = renderStatus(facts, plainStyle).split('\n');
    expect(lines[0]).toContain(' in 1 run; at least 1.3k tokens, at least $0.05; ');
    expect(lines.find((line) => line.startsWith('task '))).toContain('time  used ');
    expect(lines.find((line) => line.startsWith('a '))).toContain('4.0s  1.3k tokens, $0.05  ');
    expect(lines.find((line) => line.startsWith('b '))).toContain('cost unknown');
    expect(statusData(facts)).toMatchObject({
      usage: { usd: 0.05, steps: 2, unknown: { tokens: 1, usd: 1 } },
      tasks: [{ usage: took.usage }, { usage: { steps: 1 } }, {}, {}, {}],
      runs: [{ usage: took.usage }],
    });
  });

  test('is in log and show', () => {
    const attempts = attemptsOf(summary);
    const [, first, second] = renderLog(attempts, plainStyle).split('\n');
    expect(first).toContain('4.0s  1.3k tokens, $0.05  skeleton/plan/0001-a');
    expect(second).toContain('cost unknown');
    expect(attempts.map(attemptData)).toMatchObject([took, { usage: {} }]);
    const [attempt] = attempts;
    if (attempt === undefined) throw new Error('the story has an attempt');
    const shown = { attempt, title: 'A', prompt: '', diff: '', outputs: new Map(), agentLog: '' };
    expect(renderShow(shown, plainStyle)).toContain('used       1.3k tokens, $0.05\n');
  });

  test('a run that a limit ended says whose it was, until when', () => {
    const until = '2026-01-01T05:00:00.000Z';
    const away = { type: 'agent.throttled', until, agent: 'claude', why: 'limit' } as const;
    const ended = record([ofRun(runStarted()), { task: 'a', event: away }]);
    const finished = runFinished({ status: 4, why: 'limit' }) as EventOf<'run.finished'>;
    const summary = summarise(undefined, ended);
    const facts = { summary, finished, again: 'skeleton run', onward: '', planOption: '' };
    const at = clockTime(until, ended[0]?.at ?? '');
    const [last, next] = renderRunEnd(facts, plainStyle);
    expect(last).toContain(`stopped: a limit was reached (claude is rate limited until ${at})`);
    expect(next).toContain(`next: skeleton run  # waits for claude until ${at};`);
  });

  test('a run among machines names what failed elsewhere, and where its tree is by now', () => {
    const own = summarise(undefined, record([ofRun(runStarted())]));
    const tree = 'refs/tags/skeleton/plan/0004-delta';
    const team = { tree, failed: ['b'] };
    const finished = runFinished({ status: 1, why: 'failed', team }) as EventOf<'run.finished'>;
    const facts = { summary: own, finished, again: '', onward: '', planOption: '' };
    const [last, next] = renderRunEnd(facts, plainStyle);
    expect(last).toContain(
      '; failed elsewhere: b; the tree is at skeleton/plan/0004-delta (exit 1)',
    );
    expect(next).toBe('next: skeleton status --failed');
    const atCommit = { ...finished, team: { ...team, tree: 'c0ffee00'.repeat(5) } };
    expect(renderRunEnd({ ...facts, finished: atCommit }, plainStyle)[0]).toContain(
      '; the tree is at c0ffee00c0 (exit 1)',
    );
  });

  test('a failed task that a machine has begun anew is under way, and not failed', () => {
    const failed = record([...rejected('a'), taskFinished('a', 'failed')]);
    const holder = { task: 'a', host: 'h', pid: 1, run: 'r2', since: '2026-01-01T00:00:00.000Z' };
    const team = { ledger: 'postgres://h/db', held: [holder], runOption: '' };
    const before = { ...factsOf([]), summary: summarise(undefined, failed), team };
    expect(statusData({ ...before, team: { ...team, held: [] } })).toMatchObject({
      counts: { failed: 1 },
    });
    expect(statusData(before)).toMatchObject({
      counts: { failed: 0, pending: 1 },
      next: 'skeleton run',
    });
    const [first] = renderStatus(before, plainStyle).split('\n');
    expect(first).toContain('under way: a');
    expect(first).not.toContain('failed');
  });

  test('is in the lines of a run', () => {
    const end = told.find(({ event }) => event.type === 'agent.finished');
    const telling = { style: plainStyle, planOption: '' };
    const [line] = end === undefined ? [] : linesOf(new Map(), end, telling);
    expect(line?.text).toBe('a  agent: exit 0, 2.0s, 1.3k tokens, $0.05');
    const finished = runFinished() as EventOf<'run.finished'>;
    const facts = { summary, finished, again: '', onward: '', planOption: '' };
    expect(renderRunEnd(facts, plainStyle)[0]).toContain(
      '; at least 1.3k tokens, at least $0.05; ',
    );
    expect(renderRunTable(summary, plainStyle).join('\n')).toContain('1.3k tokens, $0.05');
  });
});
