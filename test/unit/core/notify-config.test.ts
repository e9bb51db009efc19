import { describe, expect, it } from 'vitest';
import { parsePlan } from '../../../src/core/plan/parse-plan.ts';
import type { Plan, Problem } from '../../../src/core/plan/plan.ts';

const withFront = (yaml: string): Plan =>
  parsePlan(new TextEncoder().encode(`---\n${yaml}\n---\n- [ ] a\n`), 'PLAN.md');
const told = (problems: readonly Problem[]): readonly string[] =>
  problems.map(({ line, message }) => `${line} ${message}`);

describe('who is told', () => {
  it.each([
    ['say done', [{ command: 'say done' }]],
    ['https://ntfy.sh/abc', [{ webhook: 'https://ntfy.sh/abc' }]],
    ['{ webhook: "${HOOK}", on: done }', [{ webhook: '${HOOK}', on: ['done'] }]],
    ['[a, { command: b }]', [{ command: 'a' }, { command: 'b' }]],
    ['[]', []],
  ])('%s', (text, notify) => {
    const { config, problems } = withFront(`notify: ${text}`);
    expect(config.notify).toEqual(notify);
    expect(problems).toEqual([]);
  });

  it.each([
    '{ on: done }',
    '{ command: a, webhook: $B }',
    '{ webhook: ftp://host/SECRET }',
    'https://[SECRET',
    '{ command: a, on: ended }',
    '{ command: a, to: b }',
    '',
  ])('%s is none, and no address is repeated', (text) => {
    const { config, problems } = withFront(`notify: ${text}`);
    expect(config.notify).toBeUndefined();
    expect(problems).not.toEqual([]);
    expect(told(problems).join()).not.toContain('SECRET');
  });
});
