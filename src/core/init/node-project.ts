import type { TopFacts } from './find-stacks.ts';
import { pathMatcher } from '../globs.ts';
import { nodeLocks, stacks } from './stacks.ts';

/** A command that installs what a stack needs, and the files that it depends on. */
export interface Setup {
  readonly run: string;
  readonly files: readonly string[];
  /** Installs the tool itself first, where a runner of CI has none; undefined where it has. */
  readonly tool?: string;
}

/** What package.json says, and the files beside it. */
export interface NodeProject {
  /** Undefined where its gate has no test to run. */
  readonly testScript: string | undefined;
  readonly scripts: readonly string[];
  /** Undefined where it needs nothing installed. */
  readonly setup: Setup | undefined;
  /** Globs of what the tools that it names obey. */
  readonly obeys: readonly string[];
  /** Globs of folders that its test script names and that hold tests under names of their own. */
  readonly tests: readonly string[];
  /** Line of package.json where it is no JSON object; undefined where it is one. */
  readonly wrongAt: number | undefined;
}

/** Globs by the tool that obeys them. */
const settings: readonly (readonly [tool: RegExp, globs: readonly string[]])[] = [
  [/typescript|\btsc\b/, ['tsconfig*.json']],
  [/eslint/, ['eslint.config.*', '.eslintrc*', '.eslintignore']],
  [/vitest/, ['vitest.{config,workspace,setup}.*', 'vite.config.*']],
  [/jest/, ['jest.{config,setup}.*']],
  [/babel|jest/, ['babel.config.*', '.babelrc*']],
  [/mocha/, ['.mocharc.*']],
  [/\bava\b/, ['ava.config.*']],
  [/playwright/, ['playwright.config.*']],
  [/biome/, ['biome.json*']],
  [/prettier/, ['.prettierrc*', 'prettier.config.*', '.prettierignore']],
];

/** Reads package.json; one that is no JSON object says nothing but where it is wrong. */
export function readNodeProject({ files, texts, near }: TopFacts): NodeProject {
  const { object: manifest, wrongAt } = parseObject(texts.get('package.json') ?? '');
  const named = objectOf(manifest['scripts']);
  const scripts = scriptsIn(texts.get('package.json') ?? '');
  const needs = ['dependencies', 'devDependencies'].flatMap((key) =>
    Object.keys(objectOf(manifest[key])),
  );
  const isMany = manifest['workspaces'] !== undefined || files.has('pnpm-workspace.yaml');
  const words = [...scripts, ...needs].join('\n');
  return {
    testScript: testScriptOf(named['test']),
    scripts,
    setup: needs.length === 0 && !isMany ? undefined : setupOf(files, manifest['packageManager']),
    obeys: [
      ...(isMany ? ['**/package.json'] : []),
      ...settings
        .flatMap(([tool, globs]) => (tool.test(words) ? globs : []))
        .map((glob) => (isMany ? `**/${glob}` : glob)),
    ],
    tests: testFolders(named, near),
    wrongAt,
  };
}

/** `node --test checks`: where nothing in the folder has the name of a test, all of it is tests. */
function testFolders(
  scripts: Readonly<Record<string, unknown>>,
  near: readonly string[],
): readonly string[] {
  const isNamed = pathMatcher(stacks.find(({ name }) => name === 'node')?.tests ?? []);
  const code = Object.entries(scripts).flatMap(([name, script]) =>
    /^(?:test|unit)\b/.test(name) && typeof script === 'string' ? [script] : [],
  );
  const words = code.join(' ').match(/[\w.@/-]+/g) ?? [];
  const folders = words
    .map((word) => word.replace(/^(?:\.\/)+|\/+$/g, ''))
    .filter((word) => {
      const inside = near.filter((path) => path.startsWith(`${word}/`));
      return (
        !/^(?:src|lib|app|packages)?$/.test(word) && inside.length > 0 && !inside.some(isNamed)
      );
    });
  return [...new Set(folders)].map((folder) => `${folder}/**`);
}

/** Commands of a package.json; none where it is no JSON object. */
export function scriptsIn(text: string): readonly string[] {
  const scripts = objectOf(parseObject(text).object['scripts']);
  return Object.values(scripts).filter((value) => typeof value === 'string');
}

/** What `npm init` writes is no test. */
function testScriptOf(script: unknown): string | undefined {
  const isReal = typeof script === 'string' && !script.includes('no test specified');
  return isReal && script.trim() !== '' ? script : undefined;
}

function setupOf(files: ReadonlySet<string>, manager: unknown): Setup {
  const run = installer(files, typeof manager === 'string' ? manager : '');
  const tool = /^(?:pnpm|bun) /.exec(run)?.[0].trimEnd();
  return {
    run,
    ...(tool !== undefined && { tool: `npm install --global ${tool}` }),
    files: ['package.json', ...nodeLocks.filter((name) => files.has(name))],
  };
}

interface Manager {
  readonly name: string;
  readonly locks: readonly string[];
  /** What installs exactly what the lock file says. */
  readonly exact: string;
  /** What installs without a lock file, and writes none. */
  readonly loose: string;
}

/** npm is last: it is taken where nothing names another. */
const managers: readonly Manager[] = [
  {
    name: 'pnpm',
    locks: ['pnpm-lock.yaml'],
    exact: 'pnpm install --frozen-lockfile',
    loose: 'pnpm install --no-lockfile',
  },
  {
    name: 'yarn',
    locks: ['yarn.lock'],
    exact: 'yarn install --frozen-lockfile',
    loose: 'yarn install --no-lockfile',
  },
  {
    name: 'bun',
    locks: ['bun.lock', 'bun.lockb'],
    exact: 'bun install --frozen-lockfile',
    loose: 'bun install --no-save',
  },
  {
    name: 'npm',
    locks: ['package-lock.json', 'npm-shrinkwrap.json'],
    exact: 'npm ci',
    loose: 'npm install --no-package-lock',
  },
];

/** Lock files decide, then the field `packageManager`. */
function installer(files: ReadonlySet<string>, manager: string): string {
  const locked = managers.find(({ locks }) => locks.some((lock) => files.has(lock)));
  if (locked?.name === 'yarn' && files.has('.yarnrc.yml')) return 'yarn install --immutable';
  if (locked !== undefined) return locked.exact;
  const named = managers.find(({ name }) => manager.startsWith(`${name}@`)) ?? managers.at(-1);
  return named?.loose ?? '';
}

interface Manifest {
  readonly object: Readonly<Record<string, unknown>>;
  readonly wrongAt: number | undefined;
}

function parseObject(text: string): Manifest {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return { object: objectOf(value), wrongAt: isObject(value) ? undefined : 1 };
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const [, position] = /position (\d+)/.exec(message) ?? [];
    const before = position === undefined ? text.trimEnd() : text.slice(0, Number(position));
    return { object: {}, wrongAt: before.split('\n').length };
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? { ...value } : {};
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
