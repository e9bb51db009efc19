import { isRequirements, type TopFacts } from './find-stacks.ts';
import type { Setup } from './node-project.ts';

/** What the files at the top say of a Python project. */
export interface PythonProject {
  /** Undefined where nothing says what its tests need: then they run in the environment that is there. */
  readonly setup: Setup | undefined;
  readonly notices: readonly string[];
}

/** By the lock file that says all. */
const locked: readonly (readonly [lock: string, run: string, tool: string])[] = [
  ['uv.lock', 'uv sync --frozen', 'pipx install uv'],
  ['poetry.lock', 'poetry install', 'pipx install poetry'],
  ['Pipfile.lock', 'PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev', 'pipx install pipenv'],
];

const manifests = ['pyproject.toml', 'setup.py', 'setup.cfg'];

/** Reads what says how a clean environment is made; pip is the way where no lock file names another. */
export function readPythonProject(top: TopFacts): PythonProject {
  const [lock, run, tool] = locked.find(([name]) => top.files.has(name)) ?? [];
  if (lock === undefined || run === undefined) return byPip(top);
  const own = lock === 'Pipfile.lock' ? 'Pipfile' : 'pyproject.toml';
  return { setup: { run, ...(tool !== undefined && { tool }), files: [own, lock] }, notices: [] };
}

function byPip(top: TopFacts): PythonProject {
  const lists = [...top.files].filter(isRequirements).sort();
  const isPackage = hasPackage(top);
  const isBlocked = isPackage && isGuessed(top);
  const notices = isBlocked ? [guessNotice] : [];
  const groups = isPackage && !isBlocked ? groupsOf(top) : [];
  const wanted = [
    ...lists.map((name) => `-r ${name}`),
    ...(isPackage && !isBlocked ? [`-e ${extrasOf(top)}`] : []),
    ...groups.map((name) => `--group ${name}`),
  ];
  if (wanted.length === 0) return { setup: undefined, notices: [...notices, inPlaceNotice] };
  const pip = '.venv/bin/python -m pip install';
  // The pip of an older Python knows no groups.
  const newer = groups.length > 0 ? [`${pip} 'pip>=25.1'`] : [];
  const steps = ['python3 -m venv .venv', ...newer, `${pip} ${wanted.join(' ')}`];
  const files = [...lists, ...manifests.filter((name) => top.files.has(name))];
  return {
    setup: { run: steps.join(' && '), files },
    notices: [...notices, ...pytestNotice(top, files)],
  };
}

const inPlaceNotice =
  'nothing here says what the Python tests need (requirements.txt, pyproject.toml with [project], a lock file): they run in your .venv, and a task that edits a test is red until setup: in PLAN.md makes one';

const guessNotice =
  'pip cannot build this project beside a folder gates/, since setuptools takes it for a second package: name yours in pyproject.toml, [tool.setuptools] packages, then add -e . to setup: in PLAN.md';

function pytestNotice({ texts }: TopFacts, files: readonly string[]): readonly string[] {
  if (files.some((name) => texts.get(name)?.includes('pytest'))) return [];
  return [
    `setup: in PLAN.md installs what ${files.join(', ')} names, which is no pytest: if the tests need more, name it there`,
  ];
}

/** Something that `pip install -e .` makes: not where pyproject.toml only holds settings of tools, nor what Poetry alone understands. */
function hasPackage({ files, texts }: TopFacts): boolean {
  const says = (name: string, what: RegExp): boolean => what.test(texts.get(name) ?? '');
  return (
    files.has('setup.py') ||
    says('pyproject.toml', /^\[project\]/m) ||
    says('setup.cfg', /^\[metadata\]/m)
  );
}

/** Whether setuptools would look for the packages itself, among the folders at the top. */
function isGuessed({ texts, near }: TopFacts): boolean {
  const said = manifests.map((name) => texts.get(name) ?? '').join('\n');
  const backend = /^build-backend\s*=\s*["']([\w.]*)/m.exec(said)?.[1] ?? 'setuptools';
  const isSaid = /^\[tool\.setuptools|\b(?:packages|py[-_]modules)\s*=/m.test(said);
  const isFlat = near.some((path) =>
    /^(?!tests?\/|docs?\/|examples?\/|scripts\/|tools\/)\w+\/[^/]*\.py$/.test(path),
  );
  const hasSource = near.some((path) => path.startsWith('src/'));
  return backend.startsWith('setuptools') && !isSaid && isFlat && !hasSource;
}

function extrasOf(top: TopFacts): string {
  const extras = namesIn(top, 'project.optional-dependencies');
  return extras.length === 0 ? '.' : `'.[${extras.join(',')}]'`;
}

function groupsOf(top: TopFacts): readonly string[] {
  return namesIn(top, 'dependency-groups');
}

/** Keys of a table of pyproject.toml by which tests are usually called. */
function namesIn({ texts }: TopFacts, table: string): readonly string[] {
  const [, rest = ''] = (texts.get('pyproject.toml') ?? '')
    .replaceAll('\r', '')
    .split(`\n[${table}]\n`);
  const body = rest.replace(/^\[[^]*/m, '');
  return [...body.matchAll(/^(tests?|testing|dev)\s*=/gm)].flatMap(([, name]) => name ?? []);
}
