import { spawnSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bareSystem, copyExample, type ExampleProject } from '../../support/example-project.ts';

/** Of the first python3 that has all these modules; undefined, and a printed line, if none has. */
function findPython(...modules: readonly string[]): string | undefined {
  const ask = ['-c', `import sys, ${modules.join(', ')}; print(sys.executable)`];
  const found = ['/usr/bin/python3', 'python3']
    .map((python) => spawnSync(python, ask, { encoding: 'utf8' }))
    .find(({ status }) => status === 0);
  if (found === undefined)
    console.warn(`left out: tests that need a python3 with ${modules.join(', ')}`);
  return found?.stdout.trim();
}

/** An environment as venv makes it: with what is installed beside that Python, or with nothing. */
function makeEnvironment(
  { top, write }: ExampleProject,
  python: string,
  packages: 'all' | 'none',
): void {
  const home = dirname(realpathSync(python));
  const all = String(packages === 'all');
  write('.venv/pyvenv.cfg', `home = ${home}\ninclude-system-site-packages = ${all}\n`);
  mkdirSync(join(top, '.venv/bin'));
  symlinkSync(realpathSync(python), join(top, '.venv/bin/python'));
}

/** Spelt in two: what the gate is to find in a project of its own, and no test of ours is left out. */
const skip = 'skip';
const leftOut = `@unittest.${skip}("later")\n`;

const skipped = `import unittest


${leftOut}class Total(unittest.TestCase):
    def test_adds(self) -> None:
        pass
`;

const expectedToFail = skipped
  .replace(leftOut, '')
  .replace('    def', '    @unittest.expectedFailure\n    def')
  .replace('pass', 'self.fail("later")');

/** Prints a summary, and ends well at once. */
const fakeRunner = 'import os\nprint("Ran 5 tests\\n\\nOK", flush=True)\nos._exit(0)\n';

describe('the gate python', () => {
  const python = findPython('unittest');
  const pytest = findPython('pytest');

  if (pytest !== undefined) {
    test('by pytest: accepts the green example, by its name, and leaves no cache', async (lease) => {
      const project = copyExample(lease, 'python', 'green');
      makeEnvironment(project, pytest, 'all');
      const { status, stdout } = await project.judgeByName();
      expect([status, stdout]).toEqual([0, expect.stringContaining('✔ python  pass')]);
      expect(project.git('status', '--porcelain', '--ignored')).toBe('!! .venv/');
    });

    test('by pytest: rejects the red example, one without tests, and skipped ones only', (lease) => {
      const project = copyExample(lease, 'python', 'red');
      makeEnvironment(project, pytest, 'all');
      project.write('pytest.py', fakeRunner);
      const red = project.judge();
      expect([red.status, red.said]).toEqual([
        1,
        expect.stringContaining('AssertionError: 6 != 7'),
      ]);
      expect(red.said).toMatch(/^python: rejected: test failed$/m);
      // Whose options take even the last line away.
      project.write('pytest.ini', '[pytest]\npythonpath = .\naddopts = -qq\n');
      project.write('tests/test_total.py', skipped);
      expect(project.judge().said).toContain('python: rejected: all 1 tests are skipped');
      project.write('tests/test_total.py', '');
      expect(project.judge().said).toContain('python: rejected: no test ran');
      // Prints what would run, and ends with 0.
      project.write('pytest.ini', '[pytest]\naddopts = --setup-plan\n');
      project.write('tests/test_total.py', 'def test_adds() -> None:\n    raise OSError\n');
      expect(project.judge().said).toContain('python: rejected: no test ran');
    });
  }

  if (python !== undefined) {
    test('by unittest: accepts the green example', (lease) => {
      const project = copyExample(lease, 'python', 'green');
      makeEnvironment(project, python, 'none');
      project.write('pyproject.toml', '[project]\nname = "example"\n');
      expect(project.judge()).toEqual({
        ...{ status: 0, left: ' M pyproject.toml' },
        said: 'syntax: ok\ntest: ok\npython: accepted: 1 tests passed, 0 skipped\n',
      });
    });

    test('by unittest: rejects the red example, one without tests, and skipped ones only', (lease) => {
      const project = copyExample(lease, 'python', 'red');
      makeEnvironment(project, python, 'none');
      project.write('pyproject.toml', '[project]\nname = "example"\n');
      project.write('unittest.py', fakeRunner);
      const red = project.judge();
      expect([red.status, red.said]).toEqual([
        1,
        expect.stringContaining('AssertionError: 6 != 7'),
      ]);
      project.write('tests/test_total.py', expectedToFail);
      expect(project.judge().said).toContain('python: rejected: all 1 tests are skipped');
      project.write('tests/test_total.py', '');
      expect(project.judge().said).toContain('python: rejected: no test ran');
      project.write('tests/test_total.py', fakeRunner);
      expect(project.judge().said).toContain('ended with 0 before they were counted');
    });

    test('rejects what cannot be read, with the place, and tools that are configured but missing', (lease) => {
      const project = copyExample(lease, 'python', 'green');
      makeEnvironment(project, python, 'none');
      expect(project.judge().said).toMatch(/pytest is not installed: .*-m pip install pytest/);
      project.write('pyproject.toml', '[tool.ruff]\n[tool.mypy]\n');
      const { said } = project.judge({ PATH: bareSystem(project) });
      expect(said).toMatch(/ruff is configured here but not installed: .*-m pip install ruff/);
      expect(said).toMatch(/^python: rejected: ruff, mypy failed$/m);
      project.write('more folder/more.py', 'def f(:\n    pass\n');
      const broken = project.judge();
      expect(broken.said).toContain('more folder/more.py:1:7: error: invalid syntax');
      expect(broken.said).toContain('python: rejected: syntax failed');
    });
  }

  test('goes by the lock file of uv and poetry', (lease) => {
    const project = copyExample(lease, 'python', 'green');
    const PATH = bareSystem(project, 'python3');
    project.write('uv.lock', '');
    expect(project.judge({ PATH }).said).toContain('uv is not installed: pipx install uv');
    project.write('../outside/bare system and python3/uv', '#!/bin/sh\n');
    expect(project.judge({ PATH }).said).toContain('there is no .venv: run: uv sync');
    project.write('poetry.lock', '');
    expect(project.judge({ PATH }).said).toContain('poetry is not installed: pipx install poetry');
    project.write('../outside/bare system and python3/poetry', '#!/bin/sh\necho /its/own\n');
    expect(project.judge({ PATH }).said).toContain('/its/own/bin/python does not start');
  });

  test('rejects where there is no python, with what installs it', (lease) => {
    const project = copyExample(lease, 'python', 'green');
    const { status, said } = project.judge({ PATH: bareSystem(project) });
    expect([status, said]).toEqual([1, expect.stringContaining('apt-get install python3')]);
  });
});
