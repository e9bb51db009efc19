import { describe, expect, it } from 'vitest';
import { pathMatcher } from '../../../src/core/globs.ts';

describe('pathMatcher', () => {
  it.each([
    [['tests/**'], 'tests/a/.b/c.ts', true],
    [['tests/**'], 'src/tests/a', false],
    [['tests'], 'tests/a', true],
    [['tests/'], 'tests/a/b', true],
    [['./tests'], 'tests/a', true],
    [['/tests'], 'tests/a', true],
    [['*.md'], 'docs/a.md', false],
    [['**/*.md'], 'a.md', true],
    [['.env*'], '.env.local', true],
    [['**', '!docs/**'], 'docs/a', false],
    [['**', '!docs/**'], 'src/a', true],
    [['!docs/**'], 'src/a', false],
    [['a[1].ts', 'a b*'], 'a b\nc', true],
    [[], 'a', false],
    [[''], 'a', false],
  ] as const)('%o and %s: %s', (globs, path, matches) => {
    expect(pathMatcher(globs)(path)).toBe(matches);
  });
});
