import { existsSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bareSystem, copyExample, type ExampleProject } from '../../support/example-project.ts';

/** Gives the project a yarn that prints this as the output of any script: each runner's own words, without the runner. */
function sayInTests({ outside, write }: ExampleProject, output: string): NodeJS.ProcessEnv {
  write('yarn.lock', '');
  write('../outside/bin/output', output);
  write('../outside/bin/yarn', '#!/bin/sh\nexec cat "${0%/*}/output"\n');
  return { PATH: `${join(outside, 'bin')}:${process.env['PATH'] ?? ''}` };
}

function writePackage({ write }: ExampleProject, content: object): void {
  write('package.json', JSON.stringify(content));
}

/** What runners print, and the last line of the gate. */
const runners = [
  [
    'vitest',
    ' Test Files  1 passed (1)\n      Tests  2 passed | 1 skipped (3)\n',
    'accepted: 2 tests passed, 1 skipped',
  ],
  ['jest', 'Tests:       1 skipped, 2 passed, 3 total\n', 'accepted: 2 tests passed, 1 skipped'],
  ['mocha', '\n  3 passing (5ms)\n  1 pending\n', 'accepted: 3 tests passed, 1 skipped'],
  ['ava', '\n  2 tests passed\n  1 test skipped\n', 'accepted: 2 tests passed, 1 skipped'],
  [
    'bun',
    ' 3 pass\n 1 skip\n 0 fail\nRan 4 tests across 1 file.\n',
    'accepted: 3 tests passed, 1 skipped',
  ],
  ['playwright', '  1 skipped\n  2 passed (2.1s)\n', 'accepted: 2 tests passed, 1 skipped'],
  ['jasmine', '3 specs, 0 failures, 1 pending spec\n', 'accepted: 2 tests passed, 1 skipped'],
  [
    'node',
    '✔ adds (1ms)\nℹ tests 2\nℹ suites 0\nℹ pass 2\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\n',
    'accepted: 2 tests passed, 0 skipped',
  ],
  ['colours', '\u001b[32m  3 passing\u001b[0m (5ms)\n', 'accepted: 3 tests passed, 0 skipped'],
  [
    'workspaces',
    '# tests 2\n# pass 2\n# fail 0\n# tests 0\n# pass 0\n# fail 0\n',
    'accepted: 2 tests passed, 0 skipped',
  ],
  [
    'a test that prints failures, node',
    '# fail 1\nok 1 - a\n# tests 1\n# pass 1\n# fail 0\n# skipped 0\n',
    'accepted: 1 tests passed, 0 skipped',
  ],
  [
    'a test that prints failures, mocha',
    '  3 failing\n    ✔ a\n\n  1 passing (5ms)\n\n',
    'accepted: 1 tests passed, 0 skipped',
  ],
  [
    'a test that prints failures, vitest',
    'stdout | a.test.ts > b\nTests: 1 failed, 2 total\n\n      Tests  2 passed (2)\n',
    'accepted: 2 tests passed, 0 skipped',
  ],
  [
    'a skipped test that prints what passed, node',
    '# pass 3\nok 1 - a # SKIP\n# tests 1\n# pass 0\n# fail 0\n# skipped 1\n# todo 0\n',
    'rejected: all 1 tests are skipped',
  ],
  [
    'a skipped test that prints what passed, vitest',
    ' Tests  5 passed (5)\n\n      Tests  1 skipped (1)\n',
    'rejected: all 1 tests are skipped',
  ],
  [
    'a failure, playwright',
    '  1 failed\n    a.spec.ts:3:1 › x ────\n  2 passed (2.1s)\n',
    'rejected: 1 tests failed, and the test script ended with 0 all the same',
  ],
  ['no test of vitest', 'No test files found, exiting with code 0\n', 'rejected: no test ran'],
  ['no test of jest', 'No tests found, exiting with code 0\n', 'rejected: no test ran'],
  ['no test of mocha', '\n  0 passing (1ms)\n', 'rejected: no test ran'],
  ['skipped ones only', 'Tests:       2 skipped, 2 total\n', 'rejected: all 2 tests are skipped'],
  [
    'a failure',
    'Tests:       1 failed, 2 passed, 3 total\n',
    'rejected: 1 tests failed, and the test script ended with 0 all the same',
  ],
] as const;

describe('the gate node', () => {
  test('accepts the green example, by its name', async (lease) => {
    const { status, stdout } = await copyExample(lease, 'node', 'green').judgeByName();
    expect([status, stdout]).toEqual([0, expect.stringContaining('✔ node  pass')]);
  });

  test('rejects the red example with what the test said', (lease) => {
    const { status, said, left } = copyExample(lease, 'node', 'red').judge();
    expect([status, left]).toEqual([1, '']);
    expect(said).toContain('not ok 1 - adds');
    expect(said).toMatch(/^node: rejected: test failed$/m);
  });

  test('rejects a file of tests without a test, which node --test counts as one that passed', (lease) => {
    const { status, said } = copyExample(lease, 'node', 'no-tests').judge();
    expect([status, said]).toEqual([1, expect.stringContaining('node: rejected: no test ran')]);
  });

  test.for([
    ['no test script', { build: 'true' }, 'has no test script'],
    ['what npm init writes', { test: 'echo "Error: no test specified" && exit 1' }, 'test failed'],
    ['a script that only ends well', { test: 'echo all good' }, 'says nothing of tests that ran'],
    ['a status that is thrown away', { test: 'node --test || true' }, '1 tests failed, and'],
    ['a build that fails', { build: 'false', test: 'node --test' }, 'rejected: build failed'],
  ] as const)('rejects %s', ([, scripts, words], lease) => {
    const project = copyExample(lease, 'node', 'red');
    writePackage(project, { type: 'module', scripts });
    const { status, said } = project.judge();
    expect([status, said]).toEqual([1, expect.stringContaining(words)]);
  });

  test('reads the words of the usual runners', (lease) => {
    const project = copyExample(lease, 'node', 'green');
    const read = runners.map(([name, output]) => {
      const { said } = project.judge(sayInTests(project, output));
      return [name, said.trimEnd().split('\n').at(-1)?.replace('node: ', '')];
    });
    expect(read).toEqual(runners.map(([name, , verdict]) => [name, verdict]));
  });

  test('goes by the exit status alone where it is told to', (lease) => {
    const project = copyExample(lease, 'node', 'green');
    const env = { ...sayInTests(project, 'fine\n'), NODE_UNCOUNTED: 'accept' };
    expect(project.judge(env)).toMatchObject({ status: 0 });
  });

  test('checks types where there is a tsconfig.json, and runs tests and lint all the same', (lease) => {
    const project = copyExample(lease, 'node', 'green');
    writePackage(project, {
      ...{ type: 'module', devDependencies: { typescript: '*' } },
      scripts: { lint: 'echo sum.js:1:1: ugly; exit 1', test: 'node --test' },
    });
    project.write('.gitignore', 'node_modules\n');
    project.write('tsconfig.json', '{ "files": [], "references": [{ "path": "./p" }] }');
    project.write(
      'p/tsconfig.json',
      '{ "files": ["more.ts"], "compilerOptions": { "composite": true, "outDir": "out", "types": [], "lib": ["es5"] } }',
    );
    project.write('p/more.ts', 'export const more: number = 1;\n');
    expect(project.judge().said).toMatch(/not installed: typescript\n.*run: npm install/);
    symlinkSync(resolve('node_modules'), join(project.top, 'node_modules'));
    const green = project.judge();
    expect(green.said).toMatch(/types: ok\n(.*\n)*test: ok\nnode: rejected: lint failed/);
    expect([green.left.includes('?? p/'), existsSync(join(project.top, 'p/out'))]).toEqual([
      true,
      false,
    ]);
    project.write('p/more.ts', "export const more: number = '1';\n");
    const { status, said } = project.judge({ NODE_SKIP: 'lint' });
    expect(status).toBe(1);
    expect(said).toContain('p/more.ts(1,14): error TS2322');
    expect(said).toContain('lint: left out (NODE_SKIP)\ntest: ok\nnode: rejected: types failed');
  });

  test('rejects where node or the package manager of the lock file is missing, with what installs it', (lease) => {
    const project = copyExample(lease, 'node', 'green');
    project.write('pnpm-lock.yaml', '');
    const noPnpm = project.judge({ PATH: bareSystem(project, 'node') });
    expect([noPnpm.status, noPnpm.said]).toEqual([
      1,
      expect.stringContaining('pnpm is not installed: npm install --global pnpm'),
    ]);
    const noNode = project.judge({ PATH: bareSystem(project) });
    expect([noNode.status, noNode.said]).toEqual([
      1,
      expect.stringContaining('node is not installed: https://'),
    ]);
  });
});
