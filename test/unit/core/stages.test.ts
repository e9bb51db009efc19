import { describe, expect, test } from 'vitest';
import type { StageOf, TaskEvent } from '../../../src/core/events.ts';
import type { Failure } from '../../../src/core/failure.ts';
import { initial, replay, type State } from '../../../src/core/machine.ts';
import { parsePlan } from '../../../src/core/plan/parse-plan.ts';
import { repeatsIn } from '../../../src/core/stagnation.ts';
import { isRepeated, openFindings, reviewUnderWay } from '../../../src/core/stages/past.ts';
import { stagesOf, taskStageProblems } from '../../../src/core/stages/stages.ts';
import { blockingOf, readVerdict, type Finding } from '../../../src/core/stages/verdict.ts';

const bad: Finding = { file: 'a', line: 2, severity: 'major', message: 'wrong' };
const answer = JSON.stringify({ verdict: 'block', findings: [bad] });

describe('a verdict', () => {
  test.each([
    ['alone', answer],
    [
      'after prose with braces',
      `I {looked} at { "it": 1 }.\n\n\`\`\`json\n${answer}\n\`\`\`\nThat is all.`,
    ],
    ['after the prompt', `{"verdict": "pass" | "block", "findings": []}\n${answer}\ncost: 1`],
    ['with NULs and a carriage return', `\0${answer.replace('{', '{\0')}\r\n\0`],
    ['after a megabyte', `${'x{'.repeat(500_000)}${answer}`],
    [
      'with null for what may be left out',
      answer.replace('"line":2', '"line":2,"suggestion":null'),
    ],
  ])('is read %s', (_, text) => {
    expect(readVerdict(text)).toEqual({ verdict: 'block', findings: [bad] });
  });

  test.each([
    ['', 'there is no JSON object'],
    ['fine by me', 'there is no JSON object'],
    ['{"verdict": "pass"', 'there is no JSON object'],
    ['["pass"]', 'there is no JSON object'],
    ['{"verdict": "ok", "findings": []}', '`verdict` has to be'],
    ['{"verdict": "pass"}', '`findings` has to be a list'],
    ['{"verdict": "pass", "findings": ["bad"]}', 'findings[0] has to be an object'],
    [answer.replace('"major"', '"huge"'), 'findings[0].severity has to be one of'],
    [answer.replace('2', '"2"'), 'findings[0].line has to be a whole number'],
    [answer.replace('2', '0'), 'findings[0].line'],
    [answer.replace('"wrong"', '" "'), 'findings[0].message has to be a text'],
    [answer.replace('"a"', '{}'), 'findings[0].file has to be a path'],
  ])('is not %s', (text, problem) => {
    const read = readVerdict(text);
    expect('problems' in read ? read.problems.join('\n') : 'none').toContain(problem);
  });

  const pass = '{"verdict":"pass","findings":[]}';
  const open = '{"verdict":"block","findings":[{"severity":"major","message":"';
  test.each([
    ['two of them', `${pass}\n${answer}`],
    ['a block, and what a pass looks like', `${answer}\nelse:\n${pass}`],
    ['a block that quotes a pass', `${open}prints ${pass} and more"}]}`],
    ['a block that ends in a pass', `${open}prints ${pass}`],
    ['a block that lost its end', `${open}wrong"}\n\n\`\`\`json\n${pass}\n\`\`\``],
    ['a block with its word last', `{"findings":[{"message":"prints }} ${pass}`],
    ['a block that is no JSON', `{verdict: 'block', findings: [{message: '}} ${pass}\n'}]}`],
    ['the end of a block', `gs":[{"message":"${pass}\n"}]}`],
    ['a piece of a list', `[1, ${pass}\n]`],
    ['in an object', `{"result": ${pass}}`],
    ['in a sentence', `I would say ${pass} but I cannot.`],
  ])('is not %s', (_, text) => {
    expect(readVerdict(text)).toEqual({ problems: [expect.stringContaining('no JSON object')] });
  });

  test.each(['{"a":', '{"a":{', '"{', '\\"{"', '}', '{"verdict":', '{}'])(
    'is looked for in no time in a lot of %s',
    (part) => {
      const begin = performance.now();
      readVerdict(part.repeat(300_000 / part.length) + '}'.repeat(20));
      expect(performance.now() - begin).toBeLessThan(1000);
    },
  );

  test('is looked for in no time in what has many beginnings and ends', () => {
    const begin = performance.now();
    readVerdict(`${'{"a":'.repeat(400)}"${String.raw`\n`.repeat(118_000)}"!${'} '.repeat(10)}`);
    expect(performance.now() - begin).toBeLessThan(250);
  });

  test('of too many findings is none, and too long ones are cut', () => {
    const many = { verdict: 'pass', findings: Array.from({ length: 51 }, () => bad) };
    expect(readVerdict(JSON.stringify(many))).toMatchObject({ problems: ['at most 50 findings'] });
    const long = { verdict: 'pass', findings: [{ ...bad, message: 'm'.repeat(9000) }] };
    const read = readVerdict(JSON.stringify(long));
    expect('findings' in read && (read.findings[0]?.message.length ?? 0)).toBeLessThan(2100);
  });

  test('blocks from a severity on', () => {
    const findings = (['note', 'minor', 'critical'] as const).map((severity) => ({
      ...bad,
      severity,
    }));
    expect(blockingOf({ findings }, 'major').map(({ severity }) => severity)).toEqual(['critical']);
    expect(blockingOf({ findings }, 'note')).toHaveLength(3);
  });
});

describe('stages', () => {
  const read = (front: string, task = ''): ReturnType<typeof parsePlan> =>
    parsePlan(new TextEncoder().encode(`---\n${front}\n---\n- [ ] a\n${task}`), 'PLAN.md');

  test('are none where nobody names any', () => {
    expect(stagesOf({}, undefined)).toEqual([]);
  });

  test('know what the shipped ones are, and a task picks those of the plan', () => {
    const { config, tasks, problems } = read(
      'stages: [implement, { name: review, block: note }, { name: mine, prompt: p.md }]',
      '  stages: implement, mine, security\n',
    );
    expect(problems).toEqual([]);
    expect(stagesOf(tasks[0]?.config ?? {}, config.stages)).toMatchObject([
      { name: 'implement', verdict: false },
      { name: 'mine', prompt: 'p.md', verdict: false },
      { name: 'security', verdict: true, block: 'major', rounds: 3 },
    ]);
    expect(taskStageProblems(tasks[0]?.config ?? {}, config.stages)).toEqual([]);
    expect(taskStageProblems({ stages: [{ name: 'nope' }] }, config.stages)).toEqual([
      expect.stringContaining('no stage is called nope'),
    ]);
    expect(taskStageProblems({ stages: [{ name: 'review' }] }, undefined)).toEqual([
      expect.stringContaining('only judges'),
    ]);
  });

  test.each([
    ['stages: []', 'expected 1 to 8 stages, not 0'],
    ['stages: [implement, { prompt: a.md }]', 'name in it'],
    ['stages: [implement, { name: review, gates: [x] }]', 'judged by none'],
    ['stages: [implement, { name: docs, block: minor }]', 'no verdict stage'],
    ['stages: [implement, { name: docs, rounds: 9 }]', 'at most 5'],
    ['stages: [implement, { name: docs, verdct: true }]', 'did you mean `verdict`'],
  ])('%s', (front, message) => {
    expect(read(front).problems).toEqual([
      { line: 2, message: expect.stringContaining(message) as string },
    ]);
  });
});

const at = (ref: string): { ref: string; commit: string } => ({ ref, commit: `c-${ref}` });

function started(number: number, stage: StageOf, more: object = {}): TaskEvent {
  return {
    ...{ type: 'attempt.started', number, attempt: 1, attempts: 5, base: 'b', agent: 'a' },
    ...{ token: 't', worktree: 'w', stage, ...more },
  };
}
const finished: TaskEvent = {
  type: 'agent.finished',
  seconds: 1,
  ended: 'exit 0',
  exit: 0,
  log: '',
};
const rolled = (ref: string): TaskEvent => ({ type: 'rollback.done', snapshot: at(ref) });
const rejected = (kind: Failure['kind'], more: object = {}): TaskEvent => ({
  type: 'attempt.rejected',
  failure: { kind },
  ...more,
});
const voided = (why: 'stage' | 'sent-back' | 'interrupted'): TaskEvent => ({
  type: 'attempt.voided',
  why,
});
const found = (tree: string): TaskEvent => ({
  type: 'review.finished',
  verdict: 'block',
  findings: [bad],
  tree,
});

const make: StageOf = { nth: 0, name: 'implement', of: 2 };
const look: StageOf = { nth: 1, name: 'review', of: 2, reviews: 0 };
const made = [started(1, make), finished, voided('stage'), rolled('1')];
const after = (...events: readonly TaskEvent[]): State => replay(events);

describe('the machine', () => {
  test('goes on to the next stage with what the last one made, at no cost', () => {
    expect(after(...made)).toEqual({
      ...initial,
      ...{ charged: 0, number: 1, stage: 1, work: at('1') },
    });
  });

  test('goes back to who made it where a review rejects, and stays where the reviewer failed', () => {
    const review = [...made, started(2, look, { onto: at('1') }), finished];
    expect(after(...review, rejected('reviewed'), rolled('2'))).toMatchObject({
      ...{ phase: 'pending', charged: 1, stage: 0, work: at('1') },
    });
    expect(after(...review, rejected('agent-error'), rolled('2'))).toMatchObject({
      ...{ phase: 'pending', charged: 1, stage: 1, work: at('1') },
    });
    expect(after(...review, rejected('reviewed', { isLast: true }), rolled('2')).phase).toBe(
      'failed',
    );
    expect(after(...review, voided('interrupted'), rolled('2'))).toMatchObject({
      ...{ phase: 'stopped', charged: 0, stage: 1, work: at('1') },
    });
  });

  test('has the work judged after a review that comes last, and sends it back from there', () => {
    const reviewed = [...made, started(2, look, { onto: at('1') }), finished, voided('stage')];
    expect(after(...reviewed, rolled('2'))).toMatchObject({ phase: 'pending', judge: at('1') });
    const judged = [...reviewed, rolled('2'), started(3, look, { judge: at('1') })];
    expect(after(...judged, rejected('gate-failed'), rolled('3'))).toMatchObject({
      ...{ phase: 'pending', charged: 1, stage: 0, work: at('1') },
    });
    expect(after(...judged, rejected('crashed'), rolled('3'))).toMatchObject({
      ...{ phase: 'pending', judge: at('1'), stage: 1 },
    });
  });

  test('begins anew where the work does not go onto what lies there, and where a task is reopened', () => {
    const { stage, work } = after(
      ...[...made, started(2, look, { onto: at('1') }), voided('sent-back'), rolled('2')],
    );
    expect([stage, work]).toEqual([undefined, undefined]);
    const failed = [
      started(2, look, { onto: at('1'), attempts: 1 }),
      rejected('crashed'),
      rolled('2'),
    ];
    expect(after(...made, ...failed, { type: 'task.reopened', anew: true })).toEqual({
      ...{ phase: 'pending', charged: 0, number: 2 },
    });
  });
});

describe('an argument', () => {
  const round = (number: number, tree: string): readonly TaskEvent[] => [
    ...[started(number, look), finished, found(tree)],
  ];

  test('is one that repeats itself only on the same tree', () => {
    const first = [...round(1, 'x'), rejected('reviewed'), rolled('1')];
    const [same, other] = [
      [...first, ...round(2, 'x')],
      [...first, ...round(2, 'y')],
    ];
    const repeated = (events: readonly TaskEvent[]): boolean => {
      const review = reviewUnderWay(events);
      return review !== undefined && isRepeated(events, review);
    };
    expect([repeated(same), repeated(other)]).toEqual([true, false]);
    const anew: TaskEvent = { type: 'task.reopened', anew: true };
    expect(repeated([...first, anew, ...round(2, 'x')])).toBe(false);
  });

  const isAgain = (events: readonly TaskEvent[]): boolean =>
    isRepeated(events, found('x') as never);

  test('is none where the earlier review was of another stage, was cut off, or let pass', () => {
    const other = started(1, { ...look, name: 'security' });
    const again = round(2, 'x');
    expect(isAgain([other, finished, found('x'), rejected('reviewed'), ...again])).toBe(false);
    expect(isAgain([...round(1, 'x'), rejected('crashed'), rolled('1'), ...again])).toBe(false);
    expect(isAgain([...round(1, 'x'), voided('stage'), rolled('1'), ...again])).toBe(false);
  });

  test('is not forgotten where mending it fails', () => {
    const mend = (number: number): TaskEvent => started(number, make, { onto: at('1') });
    const blocked = [...made, started(2, look, { onto: at('1') }), finished, found('x')];
    const failed = [...blocked, rejected('reviewed'), mend(3), rejected('gate-failed')];
    expect(openFindings(failed)).toEqual([bad]);
    expect(openFindings([...failed, mend(4), voided('interrupted'), mend(5)])).toEqual([bad]);
    const asked = [...failed, mend(4), voided('stage'), started(5, look, { onto: at('2') })];
    expect(openFindings([...asked, finished, rejected('agent-error')])).toEqual([bad]);
    expect(openFindings([...asked, finished, voided('stage')])).toEqual([]);
    expect(openFindings([...failed, started(4, make)])).toEqual([]);
    expect(openFindings([...blocked, rejected('crashed')])).toEqual([]);
  });

  test('stagnates where all gates say the same after the last review, in each round', () => {
    const judged = (number: number, left: string): readonly TaskEvent[] => [
      ...[started(number, make), finished, voided('stage'), rolled('1')],
      ...[started(number + 1, look, { onto: at('1') }), finished, voided('stage'), rolled('2')],
      started(number + 2, look, { judge: at('1') }),
      rejected('gate-failed', { left }),
    ];
    const rounds = [...judged(1, 'x'), ...judged(4, 'x'), ...judged(7, 'x')];
    expect(repeatsIn(rounds)).toEqual({ what: 'tree', times: 3 });
    expect(repeatsIn([...judged(1, 'x'), ...judged(4, 'y')])).toBeUndefined();
  });

  test('stagnates where a review comes to no verdict again and again', () => {
    const none = (detail: string): TaskEvent => ({
      type: 'attempt.rejected',
      failure: { kind: 'agent-error', detail },
    });
    const asked = started(2, look, { onto: at('1') });
    const twice = [...made, asked, none('no verdict: a'), asked, none('no verdict: a')];
    expect(repeatsIn(twice)).toEqual({ what: 'answer', times: 2 });
    expect(repeatsIn([...twice, asked, none('no verdict: b')])).toBeUndefined();
  });

  test('is no stagnation of attempts', () => {
    const left = rejected('gate-failed', { left: 'tree' });
    expect(repeatsIn([started(1, make), left, started(2, make), left])).toMatchObject({ times: 2 });
    expect(repeatsIn([started(1, make), left, rejected('reviewed'), left])).toBeUndefined();
    expect(repeatsIn([started(1, make), left, voided('stage'), left])).toBeUndefined();
  });
});
