import { makefiles } from '../gate-holes.ts';

/** What a project at the top of a work tree is built with, as far as `init` has a gate for it. */
export interface Stack {
  readonly name: StackName;
  /** The shipped gate that judges it. */
  readonly gate: string;
  /** Files at the top that give it away. */
  readonly signs: readonly string[];
  /** Globs of what its tools obey: files that are not there yet can weaken a gate as well. */
  readonly obeys: readonly string[];
  /** The same, but listed only where they are there: its tools make them by themselves. */
  readonly locks: readonly string[];
  readonly tests: readonly string[];
  /** Lines for `.gitignore`: what its tools leave in the tree whenever they run. */
  readonly leaves: readonly string[];
}

export type StackName = 'node' | 'python' | 'go' | 'rust' | 'maven' | 'make';

export const nodeLocks: readonly string[] = [
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'yarn.lock',
  '.yarnrc.yml',
  'bun.lock',
  'bun.lockb',
];

/** Python runs what lies at the top before what is installed, and pytest loads plugins from there. */
const runnersOfPython: readonly string[] = [
  'pytest.py',
  'pytest/**',
  '_pytest/**',
  'unittest.py',
  'unittest/**',
  'sitecustomize.py',
  'usercustomize.py',
  '*.dist-info/**',
  '*.egg-info/entry_points.txt',
];

/** In the order in which their gates are told. */
export const stacks: readonly Stack[] = [
  {
    name: 'node',
    gate: 'node.sh',
    signs: ['package.json'],
    // .npmrc names the shell that runs every script.
    obeys: ['package.json', '.npmrc'],
    locks: nodeLocks,
    // What node --test, vitest, jest, mocha, ava, bun and jasmine take for tests where nobody says which.
    tests: [
      '**/test/**',
      '**/tests/**',
      '**/__tests__/**',
      '**/*.{test,spec}.*',
      '**/*[-_]{test,spec}.*',
      '**/test-*.*',
      '**/test.*',
      'spec/**',
    ],
    leaves: ['node_modules/'],
  },
  {
    name: 'python',
    gate: 'python.sh',
    signs: ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', 'Pipfile', 'tox.ini'],
    obeys: [
      'pyproject.toml',
      'setup.py',
      'setup.cfg',
      'tox.ini',
      'pytest.ini',
      '.pytest.ini',
      '**/conftest.py',
      '*requirements*.txt',
      'requirements/**',
      'ruff.toml',
      '.ruff.toml',
      '.flake8',
      'mypy.ini',
      '.mypy.ini',
      ...runnersOfPython,
    ],
    locks: ['Pipfile', 'Pipfile.lock', 'poetry.lock', 'uv.lock', 'pdm.lock'],
    tests: ['**/test/**', '**/tests/**', '**/test*.py', '**/*_test.py'],
    leaves: ['__pycache__/', '.venv/'],
  },
  {
    name: 'go',
    gate: 'go.sh',
    signs: ['go.mod', 'go.work'],
    obeys: ['**/go.mod', 'go.work', 'vendor/**', '.golangci.*'],
    locks: ['go.sum', 'go.work.sum'],
    tests: ['**/*_test.go', '**/testdata/**'],
    leaves: [],
  },
  {
    name: 'rust',
    gate: 'rust.sh',
    signs: ['Cargo.toml'],
    obeys: [
      '**/Cargo.toml',
      '**/build.rs',
      '.cargo/**',
      'rust-toolchain*',
      '**/clippy.toml',
      '**/.clippy.toml',
      '**/rustfmt.toml',
      '**/.rustfmt.toml',
    ],
    locks: ['Cargo.lock'],
    tests: ['**/tests/**', '**/tests.rs', '**/*_tests.rs', '**/test.rs', '**/*_test.rs'],
    leaves: ['target/'],
  },
  {
    name: 'maven',
    gate: 'maven.sh',
    signs: ['pom.xml'],
    obeys: ['**/pom.xml', '.mvn/**', 'mvnw', 'mvnw.cmd'],
    locks: [],
    tests: ['**/src/test/**'],
    leaves: ['target/'],
  },
  {
    name: 'make',
    gate: 'make.sh',
    signs: makefiles,
    // All three: make takes the first of them that is there.
    obeys: makefiles,
    locks: [],
    tests: ['**/test/**', '**/tests/**', 't/**'],
    leaves: [],
  },
];

/** A file that gives a stack away, wherever it lies. Makefiles are everywhere and mean nothing below the top. */
export const manifests: readonly string[] = stacks
  .filter(({ name }) => name !== 'make')
  .flatMap(({ signs }) => signs);
