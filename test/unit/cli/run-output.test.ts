import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { openRunOutput } from '../../../cli/run-output.ts';
import type { RunOutputOptions } from '../../../cli/run-output.ts';
import { fakeIo } from '../../support/fake-io.ts';
import type { FakeIo, FakeProcess } from '../../support/fake-io.ts';
import {
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
} from '../../support/history.ts';
import type { EventOf } from '../../../src/core/history.ts';
import type { Entry } from '../../support/history.ts';

const story: readonly Entry[] = [
  ofRun(runStarted()),
  ofRun({ type: 'baseline.finished', verdict: 'fail', gates: [red] }),
  taskStarted('a'),
  ...rejected('a', 1),
  ...passed('a', 2),
  taskFinished('a', 'passed'),
  taskStarted('b'),
  ...rejected('b', 1),
  taskFinished('b', 'failed'),
  taskFinished('c', 'blocked', 'waits for b'),
  ofRun(
    runFinished({
      status: 1,
      why: 'failed',
      counts: { passed: 1, failed: 1, blocked: 1, skipped: 0, unjudged: 0, pending: 0 },
    }),
  ),
];

function tell(
  entries: readonly Entry[],
  options: Partial<RunOutputOptions> = {},
  process: FakeProcess = {},
): FakeIo {
  const io = fakeIo(process);
  const all = { json: false, quiet: false, verbose: false, planOption: '', again: 'skeleton run' };
  const output = openRunOutput({ ...all, ...options }, io);
  for (const recorded of record(entries)) output.onEvent(recorded);
  output.close();
  return io;
}

describe('without a terminal', () => {
  test('a run is told in plain lines, all on standard error', () => {
    const io = tell(story);
    expect(io.stdout()).toBe('');
    expect(io.stderr()).toBe(
      `PLAN.md: at worst 3 tasks × 5 attempts × (30m agent + 15m gates) = 11h 15m, cut off after 8h; no budget set
branch main; until the run ends the work tree is the run's: what you save there counts as the attempt's
notice  gates are red before the first task: check.sh (exit 1)
a  attempt 1/5: Title of a
a  agent: exit 0, 2.0s
a  gate check.sh: fail (exit 1), 0.5s
✗ a  attempt 1/5 rejected by check.sh
    │ one
    │ error: two is not three
    │ four
    check.sh: exit 1
    kept, with all output: skeleton show a#1
a  attempt 2/5
a  agent: exit 0, 2.0s
a  gate check.sh: pass (exit 0), 0.5s
✔ a  passed  2 attempts, 8.0s  skeleton/plan/0002-a
b  attempt 1/5: Title of b
b  agent: exit 0, 2.0s
b  gate check.sh: fail (exit 1), 0.5s
✗ b  attempt 1/5 rejected by check.sh
    │ one
    │ error: two is not three
    │ four
    check.sh: exit 1
    kept, with all output: skeleton show b#1
✗ b  failed  1 attempt, 4.0s
- c  blocked: waits for b

task  attempts  time  verdict                       checkpoint
a     2         8.0s  passed                        skeleton/plan/0002-a
b     1         4.0s  failed: rejected by check.sh
c                     blocked: waits for b

1 passed, 1 failed, 1 blocked in 22s; cost unknown; the tree is at skeleton/plan/0002-a (exit 1)
next: skeleton show b#1
`,
    );
  });

  test('nothing in it moves a cursor or has a colour', () => {
    expect(tell(story).stderr()).not.toMatch(/[\u001b\r]/);
  });

  test('FORCE_COLOR colours it and still moves no cursor', () => {
    const colourful = tell(story, {}, { env: { FORCE_COLOR: '1' } }).stderr();
    expect(colourful).toContain('\u001b[31m');
    expect(stripVTControlCharacters(colourful)).toBe(tell(story).stderr());
    // eslint wants no control characters in a pattern: the clearing sequence, and the return to the line's start.
    expect(colourful).not.toContain('\u001b[2K');
    expect(colourful).not.toContain('\r');
  });

  test('what is left to do is offered as it was typed', () => {
    const stopped = [ofRun(runStarted()), ofRun(runFinished({ status: 130, why: 'interrupted' }))];
    const lines = tell(stopped, { again: "skeleton run --agent-command 'a b'" }).stderr();
    expect(lines).toContain('nothing done in 1.0s; stopped: interrupted (exit 130)\n');
    expect(lines).toContain("next: skeleton run --agent-command 'a b'\n");
  });

  test('after a run that its limit ended well, the same again; after all, a look back', () => {
    const ended = (pending: number, options = {}): string => {
      const counts = { passed: 1, failed: 0, blocked: 0, skipped: 0, unjudged: 0, pending };
      return tell([ofRun(runStarted()), ofRun(runFinished({ counts }))], options).stderr();
    };
    expect(ended(2)).toContain('1 passed, 2 pending in 1.0s (exit 0)\nnext: skeleton run\n');
    expect(ended(0)).toContain('next: git log --oneline --decorate\n');
    const taken = { again: 'skeleton take a', onward: 'skeleton run' };
    expect(ended(1, taken)).toContain('next: skeleton run\n');
  });

  test('the plan that was asked for is asked for again', () => {
    const lines = tell(story, { planOption: ' --plan docs/B.md' }).stderr();
    expect(lines).toContain('next: skeleton show b#1 --plan docs/B.md\n');
    expect(lines).toContain('    kept, with all output: skeleton show a#1 --plan docs/B.md\n');
  });
});

describe('--quiet', () => {
  test('leaves problems and the last line', () => {
    const quiet = tell(story, { quiet: true }).stderr().split('\n');
    expect(quiet[0]).toMatch(/^notice {2}gates are red/);
    expect(quiet.filter((line) => line.includes('passed'))).toEqual([
      '1 passed, 1 failed, 1 blocked in 22s; cost unknown; the tree is at skeleton/plan/0002-a (exit 1)',
    ]);
    expect(quiet.join('\n')).toContain('✗ b  attempt 1/5 rejected by check.sh');
    expect(quiet.join('\n')).not.toContain('until the run ends');
  });
});

describe('--json', () => {
  test('writes each event on standard output, and lines of a dry run beside it', () => {
    const io = tell(story, { json: true });
    const types = io
      .stdout()
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { readonly type: string }).type);
    expect(types).toEqual(story.map(({ event }) => event.type));
    const output = openRunOutput(
      { json: true, quiet: false, verbose: false, planOption: '', again: '' },
      io,
    );
    output.onLine('nothing to do');
    expect(io.stderr()).toContain('nothing to do\n');
  });
});

describe('on a terminal', () => {
  const terminal = { isTerminal: true, env: { TERM: 'xterm' } };

  test('a wait is counted down', () => {
    const io = fakeIo(terminal);
    const output = openRunOutput(
      { json: false, quiet: false, verbose: false, planOption: '', again: '' },
      io,
    );
    const until = new Date(Date.now() + 90_500).toISOString();
    const nowhere = { attempt: 0, attempts: 0, name: 'claude' };
    output.onProgress({ type: 'step', task: 'a', ...nowhere, step: 'wait', until });
    output.close();
    expect(io.stderr()).toContain('waiting for claude · 1m 30s left');
  });

  test('one line is redrawn with what runs now; lines that stay push it down', () => {
    const io = fakeIo(terminal);
    const output = openRunOutput(
      { json: false, quiet: false, verbose: false, planOption: '', again: '' },
      io,
    );
    const before = io.stderr();
    output.onProgress({
      type: 'step',
      task: 'a',
      attempt: 2,
      attempts: 5,
      step: 'gate',
      name: 'x',
    });
    const drawn = io.stderr().slice(before.length);
    expect(drawn.startsWith('\r\u001b[2K\u001b[?7l')).toBe(true);
    expect(drawn.endsWith('\u001b[?7h')).toBe(true);
    expect(stripVTControlCharacters(drawn).trim()).toBe('● a  attempt 2/5 · gate x');
    const [notice] = record([ofRun({ type: 'notice', message: 'careful' })]);
    if (notice !== undefined) output.onEvent(notice);
    const rest = io.stderr().slice(before.length + drawn.length);
    expect(stripVTControlCharacters(rest).replaceAll('\r', '')).toBe(
      'notice  careful\n● a  attempt 2/5 · gate x',
    );
    output.close();
    expect(io.stderr().endsWith('\r\u001b[2K')).toBe(true);
  });

  test('steps are in that line only', () => {
    const text = stripVTControlCharacters(tell(story, {}, terminal).stderr());
    expect(text).not.toContain('agent: exit 0');
    expect(text).toContain('✗ a  attempt 1/5 rejected by check.sh');
    expect(text).toContain('✔ a  passed  2 attempts, 8.0s');
  });

  test.each([
    ['CI', { TERM: 'xterm', CI: 'true' }],
    ['NO_COLOR', { TERM: 'xterm', NO_COLOR: '1' }],
    ['a dumb terminal', { TERM: 'dumb' }],
  ])('%s makes it plain', (_, env) => {
    const text = tell(story, {}, { isTerminal: true, env }).stderr();
    expect(text).toBe(tell(story).stderr());
  });
});

describe('what others wrote', () => {
  test('cannot move the cursor or fake a line', () => {
    const evil = 'x\u001b[2J\r\n✔ b  passed\u202e';
    const io = tell([
      { ...taskStarted('a'), event: { type: 'task.started', title: evil, line: 1 } },
      ...rejected('a').slice(0, 2),
      { task: 'a', event: gateFinished({ ...red, tail: 'a\u0007b\u009b1mc' }) },
      {
        task: 'a',
        event: { type: 'attempt.rejected', failure: { kind: 'tampered', paths: [evil] } },
      },
      { task: 'a', event: { type: 'notice', message: evil } },
    ]);
    expect(io.stderr()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(
      io
        .stderr()
        .split('\n')
        .filter((line) => line.startsWith('✔')),
    ).toEqual([]);
  });

  test('an agent that is passed on with --verbose has no power over the terminal; split characters stay whole', () => {
    const io = fakeIo();
    const output = openRunOutput(
      { json: false, quiet: false, verbose: true, planOption: '', again: '' },
      io,
    );
    const bytes = new TextEncoder().encode('ä\u001b[2Jb\n');
    output.onAgentOutput(bytes.slice(0, 1));
    output.onAgentOutput(bytes.slice(1));
    expect(io.stderr()).toBe('äb\n');
  });
});

/** On the day of these histories, wherever the test runs. */
function localTime(hours: number, minutes: number): string {
  const day = new Date(Date.UTC(2026, 0, 1));
  return new Date(day.getFullYear(), day.getMonth(), day.getDate(), hours, minutes).toISOString();
}

function localDay(hours: number): string {
  const day = new Date(localTime(hours, 0));
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

const throttled = (away: Omit<EventOf<'agent.throttled'>, 'type'>): Entry => {
  return { task: 'a', event: { type: 'agent.throttled', ...away } };
};

describe('single lines', () => {
  const soft = gate({ soft: true, verdict: 'fail', ended: 'exit 2', exit: 2 });

  test.each<[string, readonly Entry[], string]>([
    [
      'a soft gate',
      [{ task: 'a', event: gateFinished(soft) }],
      'notice  a  gate check.sh: fail (exit 2), 0.5s; it is soft and does not reject',
    ],
    [
      'a timeout',
      [
        {
          task: 'a',
          event: { type: 'attempt.rejected', failure: { kind: 'timed-out', detail: 'after 30m' } },
        },
      ],
      '✗ a  its last attempt rejected: the agent ran out of time (after 30m)',
    ],
    [
      'a void',
      [
        ...rejected('a').slice(0, 1),
        { task: 'a', event: { type: 'attempt.voided', why: 'gate-error' } },
      ],
      '! a  attempt 1/5 does not count: a gate could not judge it',
    ],
    [
      'a wait of today',
      [
        ...rejected('a').slice(0, 1),
        { task: 'a', event: { type: 'agent.throttled', until: localTime(4, 10), waits: true } },
        { task: 'a', event: { type: 'attempt.voided', why: 'throttled', until: localTime(4, 10) } },
      ],
      '… a  sh agent.sh is rate limited until 04:10; waiting',
    ],
    [
      'a wait that an earlier run began, until another day',
      [throttled({ until: localTime(24 + 4, 10), waits: true })],
      `… a  the agent is rate limited until ${localDay(24 + 4)} 04:10; waiting`,
    ],
    [
      'a limit with which another agent goes on',
      [throttled({ until: localTime(4, 10), agent: 'claude', why: 'limit', next: 'codex' })],
      '… a  claude is rate limited until 04:10; codex goes on',
    ],
    [
      'an overload of which nobody knows the end',
      [throttled({ until: localTime(4, 10), agent: 'claude', why: 'overload', own: true })],
      '… a  claude is overloaded or cannot be reached, and is asked again at 04:10',
    ],
    [
      'a limit of which nobody knows the end',
      [throttled({ until: localTime(4, 10), agent: 'claude', why: 'limit', own: true })],
      '… a  claude is rate limited, and is asked again at 04:10',
    ],
    [
      'an attempt that cost nothing',
      [
        ...rejected('a').slice(0, 1),
        { task: 'a', event: { type: 'attempt.voided', why: 'throttled' } },
        ...passed('a', 2),
        taskFinished('a', 'passed'),
      ],
      '✔ a  passed  1 attempt, 4.0s  skeleton/plan/0002-a',
    ],
    [
      'an unjudged task',
      [taskStarted('a'), ...passed('a', 1, []), taskFinished('a', 'unjudged')],
      '✔ a  done, unjudged (no gates)  1 attempt, 3.0s  skeleton/plan/0001-a',
    ],
    [
      'a stop',
      [taskStarted('a'), taskFinished('a', 'stopped', 'gate-error')],
      '‖ a  stopped: gate-error',
    ],
    [
      'an attempt that a dead run left',
      [
        {
          task: 'a',
          event: {
            type: 'rollback.done',
            snapshot: { ref: 'refs/skeleton/attempts/plan/a/4', commit: 'f'.repeat(40) },
          },
        },
      ],
      '    kept as refs/skeleton/attempts/plan/a/4',
    ],
  ])('%s', (_, entries, line) => {
    expect(tell(entries).stderr().split('\n')).toContain(line);
  });
});
