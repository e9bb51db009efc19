import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearest } from '../../../src/core/config/nearest.ts';
import { parsePlan } from '../../../src/core/plan/parse-plan.ts';
import type { Plan } from '../../../src/core/plan/plan.ts';

const withFront = (yaml: string): Plan =>
  parsePlan(new TextEncoder().encode(`---\n${yaml}\n---\n- [ ] a\n`), 'PLAN.md');

describe('a value', () => {
  it.each([
    ['attempts: 0', 'at least 1 and at most 5'],
    ['attempts: 6', 'at least 1 and at most 5'],
    ['attempts: -1', 'at least 1 and at most 5'],
    ['attempts: 1.5', 'at least 1 and at most 5'],
    ['attempts: many', 'at least 1 and at most 5'],
    ['attempts: [3]', 'not a list'],
    ['attempts:', 'not nothing'],
    ['attempts: ~', 'not `~`'],
    ['limit: 0', 'at least 1'],
    ['timeout: 30', 'a time with its unit'],
    ['timeout: 0s', 'a time with its unit'],
    ['timeout: -5m', 'a time with its unit'],
    ['max_time: 30d', 'at most 24 days'],
    ['keep_going: maybe', 'true or false'],
    ['baseline: never', 'run, require or skip'],
    ['tasks: heading-1', 'heading-2, heading-3, heading-4 or boxes'],
    ['max_file: big', 'a size'],
    ['protect: ../x', 'paths or globs'],
    ['protect: {a: b}', 'not a map'],
    ['prompt: /etc/passwd', 'inside the repository'],
    ['prompt: a/../../b', 'inside the repository'],
    ['branch: "a\\nb"', 'one line'],
    ['agent: {}', 'a map with either command or api in it'],
    ['agent: {comand: x}', 'did you mean `command`?'],
    ['setup: {files: a}', 'run in it'],
    ['gates: [{soft: true}]', 'name or run in it'],
    ['gates: [[a]]', 'not a list'],
    ['gates: [""]', 'a command'],
    ['gates: [{name: a, retries: 11}]', 'at most 10'],
    ['gates: [{name: a, timout: 1m}]', 'did you mean `timeout`?'],
    ['agent: a\nagent_command: b', 'exclude each other'],
    ['agent: {command: a}\nagent_command: b', 'exclude each other'],
  ])('%s is refused: %s', (yaml, says) => {
    const { problems } = withFront(yaml);
    expect(problems).toHaveLength(1);
    const key = /^\w+/.exec(yaml)?.[0] ?? '';
    expect(problems[0]?.message).toContain(key);
    expect(problems[0]?.message).toContain(says);
    expect(problems[0]?.line).toBe(yaml.split('\n').length + 1);
  });

  it('of a gate is refused at its own line', () => {
    const { problems } = withFront(
      'gates:\n  - npm test\n  -\n    run: x\n    timeout: 5\n  - null\n',
    );
    expect(problems.map(({ line }) => line)).toEqual([6, 7]);
    expect(problems[0]?.message).toContain('gates[2].timeout');
  });
});

describe('an unknown key', () => {
  it.each([
    ['atempts', 'did you mean `attempts`?'],
    ['Attempts', 'did you mean `attempts`?'],
    ['keep-going', 'did you mean `keep_going`?'],
    ['keepgoing', 'did you mean `keep_going`?'],
    ['time_out', 'did you mean `timeout`?'],
    ['protects', 'did you mean `protect`?'],
    ['sandbox', 'config.schema.json'],
    ['__proto__', 'config.schema.json'],
    ['toString', 'config.schema.json'],
    ['needs', 'belongs to a task'],
    ['gate', 'belongs to a task'],
    ['x'.repeat(10_000), 'config.schema.json'],
  ])('%s is named, with what was meant', (key, says) => {
    const { problems } = withFront(`limit: 1\n${key}: 3`);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.line).toBe(3);
    expect(problems[0]?.message).toContain(`unknown key \`${key.slice(0, 70)}`);
    expect(problems[0]?.message).toContain(says);
  });

  it('is never suggested for itself, and nothing far is', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), (word) => {
        const names = ['attempts', 'agent', 'timeout'];
        const near = nearest(word, names);
        expect(near === undefined || names.includes(near)).toBe(true);
        expect(near === undefined || Math.abs(near.length - word.length) <= 2).toBe(true);
      }),
    );
  });
});
