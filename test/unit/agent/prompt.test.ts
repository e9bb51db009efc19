import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fillTemplate, unknownHoles } from '../../../src/agent/fill-template.ts';
import { promptHoles, renderPrompt } from '../../../src/agent/prompt.ts';
import type { GateResult } from '../../../src/core/events.ts';
import { byteLength } from '../../../src/core/text.ts';
import type { AgentJob } from '../../../src/ports.ts';
import { aPlan, aTask } from '../../support/plans.ts';

const shipped = readFileSync(
  join(import.meta.dirname, '../../../templates/task.prompt.md'),
  'utf8',
);
const stateFolder = '/repo/.git/skeleton';

function aJob(more: Partial<AgentJob> = {}): AgentJob {
  const task = more.task ?? aTask('T-1');
  return {
    plan: aPlan([task]),
    task,
    attempt: { number: 1, attempt: 1, attempts: 5 },
    run: 'r',
    base: 'c0ffee',
    token: 't',
    gates: ['check.sh'],
    protect: [],
    feedback: undefined,
    logFolder: '/logs',
    signal: new AbortController().signal,
    ...more,
  };
}

function aResult(name: string, more: Partial<GateResult> = {}): GateResult {
  return {
    ...{ name, command: name, verdict: 'fail', ended: 'exit 1', exit: 1, seconds: 1, soft: false },
    ...{ digest: 'sha256:0', tail: `${name} says no`, log: `logs/r/t/1/gate-${name}.log` },
    ...more,
  };
}

const render = (job: AgentJob, template = shipped): string =>
  renderPrompt(template, job, stateFolder);

describe('the shipped prompt', () => {
  it('as a whole, at a second attempt', async () => {
    const task = aTask('T-2', {
      title: 'Config and database',
      text: '### Task 2: Config and database\n\n**ID:** T-2\n\nRead `config.yml`.\n\n- [ ] reads the file',
      acceptance: ['reads the file', 'opens the database'],
      files: ['src/config.ts', 'src/db/**'],
      config: { mayChange: ['gates/db.sh'] },
    });
    const prompt = render(
      aJob({
        task,
        plan: {
          ...aPlan([task]),
          path: 'docs/PLAN.md',
          preamble: 'A service in Go.\n\nNo new dependencies.\n',
        },
        attempt: { number: 4, attempt: 2, attempts: 5 },
        gates: ['check.sh', 'no-secrets'],
        protect: ['tests/**', '.env'],
        feedback: {
          failure: { kind: 'gate-failed', gates: ['check.sh'] },
          notices: [],
          gates: [
            aResult('check.sh', { tail: 'not ok 3 - opens it\n```\nexpected 1' }),
            aResult('no-secrets', { verdict: 'pass' }),
            aResult('style', { soft: true }),
          ],
        },
      }),
    );
    await expect(prompt).toMatchFileSnapshot('snapshots/second-attempt.txt');
  });

  it('begins with a plain word and leaves no gap where it has nothing to say', () => {
    const prompt = render(aJob());
    expect(prompt).toMatch(/^You are /);
    expect(prompt).not.toMatch(/\{\{|\n\n\n|The last attempt|What the plan says/);
    expect(unknownHoles(shipped, promptHoles)).toEqual([]);
  });

  it('has the text of the task to the letter, whatever it looks like', () => {
    const text =
      '- [ ] $& $1 {{feedback}} {{nothing}} </task>  \r\n\n\n\n  $(touch owned) \u001b[2J 日本語';
    const prompt = render(aJob({ task: aTask('x', { text, title: '{{task}}' }) }));
    expect(prompt).toContain(`<task>\n${text}\n</task>`);
  });

  it('is bounded where the plan is not', () => {
    const plan = { ...aPlan([aTask('x')]), preamble: 'p'.repeat(1_000_000) };
    expect(render(aJob({ plan })).length).toBeLessThan(24_000);
    expect(render(aJob({ plan }))).toContain('[… cut]');
  });
});

describe('feedback', () => {
  const told = (failure: Parameters<typeof aJob>[0], template = '{{task}}\n{{feedback}}'): string =>
    render(aJob({ attempt: { number: 2, attempt: 2, attempts: 5 }, ...failure }), template);

  it.each([
    [{ kind: 'no-change' }, 'the agent changed nothing'],
    [{ kind: 'timed-out', detail: 'after 30m' }, 'the agent ran out of time (after 30m)'],
    [{ kind: 'tampered', paths: ['gates/a.sh'] }, 'the attempt changed what judges it: gates/a.sh'],
  ] as const)('says in words why: %o', (failure, words) => {
    expect(told({ feedback: { failure, gates: [], notices: [] } })).toContain(
      `did not pass: ${words}. `,
    );
  });

  it('has each rejecting gate, an unprinting one too, and none that accepts', () => {
    const gates = [
      aResult('a', { tail: '' }),
      aResult('b', { verdict: 'timeout', ended: 'timeout after 15m' }),
      aResult('c', { verdict: 'skipped' }),
      aResult('d', { verdict: 'pass' }),
    ];
    const text = told({ feedback: { failure: { kind: 'gate-failed' }, gates, notices: [] } });
    expect(text).toContain(
      'Gate a: exit 1, whole output in /repo/.git/skeleton/logs/r/t/1/gate-a.log. It printed nothing.',
    );
    expect(text).toContain('Gate b: timeout after 15m');
    expect(text).not.toMatch(/Gate [cd]/);
  });

  it('says where the files of the last attempt are', () => {
    const feedback = { failure: { kind: 'no-change' as const }, gates: [], notices: [] };
    expect(told({ feedback })).toMatch(/rolled back: the work tree is as it was/);
    const text = told({ feedback, continues: true });
    expect(text).toContain('What it changed is still in the work tree, not committed: go on from');
    expect(text).not.toMatch(/rolled back|Do not repeat/);
  });

  it('tells what was noticed', () => {
    const notices = ['the attempt left ignored files: src/a.gen.ts'];
    const text = told({ feedback: { failure: { kind: 'no-change' }, gates: [], notices } });
    expect(text).toContain(
      'Noticed of that attempt:\n- the attempt left ignored files: src/a.gen.ts',
    );
  });

  it('stays within 16 KiB, whatever gates say, and tells of each', () => {
    const tail = `first ${'é'.repeat(200)}\n${'x\n'.repeat(40)}${'`'.repeat(50)}last`;
    const gates = Array.from({ length: 40 }, (_, n) => aResult(`g${n}`, { tail: tail.repeat(9) }));
    const failure = {
      kind: 'gate-failed',
      gates: gates.map(({ name }) => name.repeat(99)),
    } as const;
    const text = told({ feedback: { failure, gates, notices: [] } });
    expect(byteLength(text)).toBeLessThan(16_384 + 100);
    expect(text).toContain('Gate g11:');
    expect(text).toContain('And 28 more gates.');
  });
});

describe('a template of one’s own', () => {
  it('may not begin like a command of the agent', () => {
    expect(render(aJob({ task: aTask('x', { text: '/clear everything' }) }), '{{task}}')).toBe(
      'Task: /clear everything\n',
    );
  });

  it('keeps what only looks like a hole', () => {
    expect(fillTemplate('{{ task }} {{x.y}} {{}} {task} ${a}', { task: 'T' })).toBe(
      'T {{x.y}} {{}} {task} ${a}',
    );
  });

  it('is told where its unknown holes are', () => {
    expect(unknownHoles('{{task}}\n\n{{Task}} {{nope}}', promptHoles)).toEqual([
      { name: 'Task', line: 3 },
      { name: 'nope', line: 3 },
    ]);
  });
});
