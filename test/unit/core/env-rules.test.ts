import { describe, expect, it } from 'vitest';
import { permittedIn, withoutPassword } from '../../../src/core/env-rules.ts';

const names = (env: Readonly<Record<string, string>>, rules = {}): readonly string[] =>
  Object.keys(permittedIn(env, rules));
const all = (...given: readonly string[]): Record<string, string> =>
  Object.fromEntries(given.map((name) => [name, 'x']));

const shell = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'PWD'],
  'SKELETON_RUN_ID',
];

describe('permittedIn', () => {
  it('gives everything where nothing is said', () => {
    expect(names(all('PATH', 'TOKEN', 'odd.name'))).toEqual(['PATH', 'TOKEN', 'odd.name']);
  });

  it('with `allow`, only what it names and what a shell needs', () => {
    const env = all(...shell, 'NODE_ENV', 'NODE_OPTIONS', 'AWS_SECRET', 'XNODE_ENV', 'NODEXENV');
    expect(names(env, { allow: ['NODE_*'] })).toEqual([...shell, 'NODE_ENV', 'NODE_OPTIONS']);
    expect(names(env, { allow: [] })).toEqual(shell);
    expect(names(all('a.b', 'aXb'), { allow: ['a.b'] })).toEqual(['a.b']);
  });

  it('`deny` beats `allow`, and what a shell needs', () => {
    const env = all('PATH', 'TZ', 'NPM_TOKEN', 'NPM_CONFIG');
    expect(names(env, { allow: ['NPM_*'], deny: ['*TOKEN', 'TZ'] })).toEqual([
      'PATH',
      'NPM_CONFIG',
    ]);
    expect(names(env, { deny: ['NPM_*'] })).toEqual(['PATH', 'TZ']);
  });

  it('nobody is told where the ledger is, whatever is allowed', () => {
    const env = all('PATH', 'SKELETON_LEDGER', 'SKELETON_RUN_ID');
    for (const rules of [{}, { allow: ['SKELETON_*'] }, { allow: ['*'], within: ['*'] }])
      expect(names(env, rules)).toEqual(['PATH', 'SKELETON_RUN_ID']);
  });

  it("the user's own `allow` holds beside the plan's", () => {
    const env = all('PATH', 'A', 'B', 'C');
    expect(names(env, { allow: ['A', 'B'], within: ['B', 'C'] })).toEqual(['PATH', 'B']);
  });
});

describe('withoutPassword', () => {
  it('keeps the password of a shared ledger back, unless it is allowed by its name', () => {
    const env = all('PATH', 'PGPASSWORD', 'PGHOST');
    const left = (rules?: object): readonly string[] => Object.keys(withoutPassword(env, rules));
    for (const rules of [undefined, { allow: ['*'] }, { allow: ['PG*'] }])
      expect(left(rules)).toEqual(['PATH', 'PGHOST']);
    expect(left({ allow: ['PGPASSWORD'] })).toEqual(['PATH', 'PGPASSWORD', 'PGHOST']);
    expect(left({ within: ['PGPASSWORD'] })).toEqual(['PATH', 'PGPASSWORD', 'PGHOST']);
  });
});
