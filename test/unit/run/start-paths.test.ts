import { expect, test } from 'vitest';
import { startPaths } from '../../../src/run/prepare.ts';

const paths = (...dirt: readonly (readonly [code: string, path: string])[]): readonly string[] =>
  startPaths(
    dirt.map(([code, path]) => ({ code, path })),
    'docs/PLAN.md',
  );

test('plan, gates and settings are the start, new or edited', () => {
  expect(
    paths(
      ['??', 'docs/PLAN.md'],
      [' M', 'gates/a.sh'],
      [' D', '.skeleton.yml'],
      ['??', '.skeleton/x'],
    ),
  ).toEqual(['docs/PLAN.md', 'gates/a.sh', '.skeleton.yml', '.skeleton/x']);
});

test('what init writes besides is the start where it and the plan, or a gate, are new', () => {
  const [ignore, flow] = ['.gitignore', '.github/workflows/skeleton.yml'];
  for (const code of ['??', 'A ', 'AM']) {
    expect(paths(['??', 'docs/PLAN.md'], [code, ignore], [code, flow])).toHaveLength(3);
    expect(paths(['A ', 'gates/node.sh'], [code, ignore])).toHaveLength(2);
    expect(() => paths([' M', 'docs/PLAN.md'], [code, ignore])).toThrow(ignore);
  }
});

test.each([
  [' M', '.gitignore'],
  ['M ', '.github/workflows/skeleton.yml'],
  [' D', '.gitignore'],
  ['??', '.github/workflows/ci.yml'],
  ['??', 'src/.gitignore'],
  ['??', 'PLAN.md'],
])('%s %s is the work of a person', (code, path) => {
  expect(() => paths(['??', 'gates/a.sh'], [code, path])).toThrow(path);
});
