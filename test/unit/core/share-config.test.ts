import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/core/plan/plan.ts';
import { parsePlan } from '../../../src/core/plan/parse-plan.ts';

const parse = (front: string): Plan =>
  parsePlan(Buffer.from(`---\n${front}\n---\n- [ ] a\n`), 'PLAN.md');

describe('share', () => {
  it.each([
    ['node_modules', [{ path: 'node_modules' }]],
    ['[./a/b, {path: c}]', [{ path: 'a/b' }, { path: 'c' }]],
    ['{path: a, how: symlink}', [{ path: 'a', how: 'symlink' }]],
  ])('%s', (text, share) => {
    expect(parse(`share: ${text}`).config).toEqual({ share });
  });

  it.each([
    ['/etc', 'a path inside the repository'],
    ['[../a]', 'a path inside the repository'],
    ['{how: copy}', 'path in it'],
    ['{path: a, how: hardlink}', 'copy or symlink'],
    ['{path: a, to: b}', 'known are path, how'],
  ])('%s is refused', (text, words) => {
    const { problems } = parse(`share: ${text}`);
    expect(problems.map(({ message }) => message).join()).toContain(words);
  });
});
