import { describe, expect, test } from 'vitest';
import { pathMatcher } from '../../../src/core/globs.ts';
import { holesIn } from '../../../src/core/gate-holes.ts';
import { draftFiles, gatesFor, type Draft } from '../../../src/core/init/draft-files.ts';
import type { TopFacts } from '../../../src/core/init/find-stacks.ts';
import { isUnwritten } from '../../../src/core/init/unwritten-gate.ts';
import { ownerNotice, workflowText } from '../../../src/core/init/workflow-text.ts';
import { parsePlan } from '../../../src/core/plan/parse-plan.ts';
import type { Plan } from '../../../src/core/plan/plan.ts';
import { initData, renderInit, type InitFacts } from '../../../src/report/init.ts';
import { plainStyle } from '../../../src/report/style.ts';

/** The top as its files say; a path with a folder in it is only there. */
function topOf(files: Readonly<Record<string, string>>): TopFacts {
  const paths = Object.keys(files);
  const isAtTop = (path: string): boolean => !path.includes('/');
  return {
    files: new Set(paths.filter(isAtTop)),
    texts: new Map(Object.entries(files).filter(([path]) => isAtTop(path))),
    below: paths.filter((path) => !isAtTop(path)),
    near: paths.filter((path) => !isAtTop(path)),
  };
}

const template =
  'on: push\nbranches: [main]\n      # What your gates need comes here: x\n      - uses: y\n';

function draftOf(
  files: Readonly<Record<string, string>>,
  more: {
    readonly agent?: string;
    readonly gate?: string;
    readonly there?: readonly string[];
  } = {},
): Draft {
  const top = topOf(files);
  return draftFiles({
    top,
    gates: new Map(gatesFor(top).map((name) => [name, more.gate ?? '#!/bin/sh\n'])),
    workflow: template,
    branch: 'main',
    agent: more.agent,
    exists: (path) => path in files || (more.there ?? []).includes(path),
  });
}

function planOf(draft: Draft): Plan {
  const text = draft.files.find(({ path }) => path === 'PLAN.md')?.text ?? '';
  return parsePlan(new TextEncoder().encode(text), 'PLAN.md');
}

const tested = '{"scripts":{"test":"node --test"}}';

describe('what is found', () => {
  test.each([
    ['node', { 'package.json': tested }, ['node']],
    ['python by pyproject', { 'pyproject.toml': '' }, ['python']],
    ['python by requirements', { 'requirements.txt': '' }, ['python']],
    ['go', { 'go.mod': '' }, ['go']],
    ['rust', { 'Cargo.toml': '' }, ['rust']],
    ['maven', { 'pom.xml': '' }, ['maven']],
    ['a makefile alone', { Makefile: 'all:\n\ttrue\n' }, ['make']],
    ['a makefile of shortcuts', { Makefile: 'run:\n\tgo run .\n', 'go.mod': '' }, ['go']],
    ['a makefile that judges', { Makefile: 'test: build\n', 'go.mod': '' }, ['go', 'make']],
    ['a makefile with a variable', { Makefile: 'test := x\n', 'go.mod': '' }, ['go']],
    ['several', { 'package.json': tested, 'pom.xml': '' }, ['node', 'maven']],
    ['nothing', { 'README.md': '' }, []],
    ['only further down', { 'web/package.json': '' }, []],
  ])('%s', (_, files, stacks) => {
    const draft = draftOf(files);
    expect(draft.stacks).toEqual(stacks);
    const gates = draft.files.filter(({ path }) => /^gates\/.*\.sh$/.test(path));
    expect(gates.map(({ path }) => path)).toEqual(
      [...(stacks.length > 0 ? stacks : ['project']), 'no-conflict-markers', 'no-secrets'].map(
        (name) => `gates/${name}.sh`,
      ),
    );
    expect(gates.every(({ executable }) => executable)).toBe(true);
  });

  test('what lies further down is said, not guessed at', () => {
    const below = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`${name}/go.mod`, ''] as const);
    const { notices } = draftOf({ 'go.work': '', ...Object.fromEntries(below) });
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain('a/go.mod, b/go.mod, c/go.mod, d/go.mod, e/go.mod and 1 more');
  });

  test.each([
    ['{', 1],
    ['[]', 1],
    ['null', 1],
    ['{\n  "scripts": {},\n  x\n}', 3],
  ])('a package.json that is no JSON object is told with its line: %s', (text, line) => {
    const draft = draftOf({ 'package.json': text });
    const plan = planOf(draft);
    expect(draft.stacks).toEqual(['node']);
    expect(draft.notices).toEqual([
      `package.json is no JSON object (line ${line}): gates/node.sh is red until it is one`,
    ]);
    expect([plan.problems, plan.tasks[0]?.config.mayChange]).toEqual([[], undefined]);
    expect(plan.config.baseline).toBe('require');
  });

  test('a makefile without a target that judges is told, unless it may be in what it includes', () => {
    const draft = draftOf({ Makefile: 'all:\n\ttrue\n' });
    expect(draft.notices).toEqual([
      'Makefile has no target test or check: gates/make.sh is red until it has one',
    ]);
    expect(planOf(draft).config.baseline).toBe('require');
    for (const text of ['all check: x\n', 'include more.mk\n'])
      expect(draftOf({ Makefile: text }).notices).toEqual([]);
  });

  test('what no list can protect is told', () => {
    expect(draftOf({ 'Cargo.toml': '' }).notices.join()).toContain('#[cfg(test)]');
  });
});

describe('the plan', () => {
  test.each([
    ['node', { 'package.json': tested }],
    ['python', { 'pyproject.toml': '', 'uv.lock': '' }],
    [
      'everything',
      { 'package.json': '{"devDependencies":{"jest":"1"}}', 'go.mod': '', 'a b/pom.xml': '' },
    ],
    ['nothing', {}],
  ])('of %s is read without a problem, as one task', (_, files) => {
    const plan = planOf(draftOf(files));
    expect([plan.problems, plan.notices, plan.ignored]).toEqual([[], [], []]);
    expect(plan.tasks.map(({ state }) => state)).toEqual(['pending']);
  });

  test('comes last, so that it never lies there without its gates', () => {
    expect(draftOf({ 'go.mod': '' }).files.at(-1)?.path).toBe('PLAN.md');
  });

  test('names the agent where it is known', () => {
    expect(planOf(draftOf({}, { agent: 'codex' })).config.agent).toBe('codex');
    expect(planOf(draftOf({})).config.agent).toBeUndefined();
  });

  test('without a stack no agent is called while the gates are red', () => {
    const draft = draftOf({});
    expect(planOf(draft).config.baseline).toBe('require');
    expect(planOf(draftOf({ 'go.mod': '' })).config.baseline).toBeUndefined();
    const gate = draft.files.find(({ path }) => path === 'gates/project.sh');
    expect(isUnwritten(gate?.text ?? '')).toBe(true);
    expect(gate?.text).toMatch(/^exit 75$/m);
  });

  test('a project without a test gets one first, and may change package.json for that', () => {
    const npmInit = '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}';
    for (const text of [npmInit, '{}', '{"scripts":{"test":" "}}']) {
      const draft = draftOf({ 'package.json': text });
      expect(planOf(draft).tasks[0]?.config.mayChange).toEqual(['package.json']);
      expect(draft.notices).toEqual([
        'package.json has no test script: gates/node.sh is red until it has one',
      ]);
    }
    const fine = draftOf({ 'package.json': tested });
    expect([planOf(fine).tasks[0]?.config.mayChange, fine.notices]).toEqual([undefined, []]);
  });
});

describe('what is protected', () => {
  test('scripts, lock files that are there, settings of the tools that are used', () => {
    const manifest = '{"scripts":{"test":"vitest run"},"devDependencies":{"typescript":"5"}}';
    const { protect, tests } = planOf(
      draftOf({ 'package.json': manifest, 'pnpm-lock.yaml': '', 'Cargo.toml': '' }),
    ).config;
    for (const glob of ['package.json', '.npmrc', 'pnpm-lock.yaml', 'tsconfig*.json'])
      expect(protect).toContain(glob);
    expect(protect).toContain('vitest.{config,workspace,setup}.*');
    expect(protect).toContain('**/Cargo.toml');
    for (const glob of ['package-lock.json', 'Cargo.lock', 'jest.config.*'])
      expect(protect).not.toContain(glob);
    expect(tests).toContain('**/test.*');
  });

  test.each([
    ['Makefile', ['GNUmakefile', 'makefile', 'test.sh', 'sub/Makefile', 'mk/x.mk']],
    ['Cargo.toml', ['crates/a/Cargo.toml', 'crates/a/build.rs', 'crates/a/rustfmt.toml']],
    ['pom.xml', ['a/pom.xml', 'mvnw.cmd', '.mvn/jvm.config']],
    ['go.mod', ['a/go.mod', 'vendor/x/y.go']],
    ['requirements.txt', ['tests/conftest.py', 'pytest.py', 'unittest.py', '_pytest/main.py']],
    ['requirements.txt', ['.flake8', 'x.dist-info/entry_points.txt', 'requirements-dev.txt']],
    ['package.json', ['babel.config.js', '.eslintignore', "scripts/it's.sh", 'scripts/[a].js']],
    ['package.json', ['my scripts/run tests.sh', 'packages/a/tsconfig.json']],
  ])('beside %s: %j', (sign, paths) => {
    const scripts = {
      test: `sh "my scripts/run tests.sh"; sh "scripts/it's.sh"; node scripts/[a].js; jest; eslint; tsc`,
    };
    const text = {
      'package.json': JSON.stringify({ scripts, workspaces: ['packages/*'] }),
      Makefile: 'include mk/x.mk\ntest: ; sh test.sh\n\tmake -C sub\n',
    }[sign];
    const draft = draftOf({ [sign]: text ?? '' }, { there: paths });
    const isProtected = pathMatcher(planOf(draft).config.protect ?? []);
    expect(paths.filter((path) => !isProtected(path))).toEqual([]);
  });

  test('under tests: whatever a runner takes for one, and folders that a script names', () => {
    const script = JSON.stringify({ scripts: { test: 'node --test t ./checks/*.js lib src' } });
    const isTest = (files: Readonly<Record<string, string>>): ((path: string) => boolean) =>
      pathMatcher(planOf(draftOf(files)).config.tests ?? []);
    const near = { 't/a.js': '', 'checks/b.js': '', 'src/c.js': '', 'lib/d.js': '' };
    const node = isTest({ 'package.json': script, ...near });
    const names = ['a/add-test.js', 'add_test.mjs', 'test-add.js', 'test.js', 'a/test/x.js'];
    expect([...names, 't/a.js', 'checks/b.js'].filter((path) => !node(path))).toEqual([]);
    expect(['src/c.js', 'lib/d.js', 'latest.js', 'contest.js'].filter(node)).toEqual([]);
    const mixed = isTest({ 'package.json': script, 't/a.test.js': '', 't/a.js': '' });
    expect(mixed('t/a.js')).toBe(false);
    expect(isTest({ 'Cargo.toml': '' })('src/tests.rs')).toBe(true);
    expect(isTest({ 'setup.py': '' })('app/tests.py')).toBe(true);
  });

  test('what a gate or a script calls, where it is there, but no test', () => {
    const { protect } = planOf(
      draftOf(
        {
          'package.json':
            '{"scripts":{"lint":"node tools/lint.mjs && sh x.sh","test":"node test/a.test.mjs"}}',
        },
        { there: ['tools/lint.mjs', 'test/a.test.mjs', 'ci/own.sh'], gate: 'sh ci/own.sh' },
      ),
    ).config;
    expect(protect).toContain('tools/lint.mjs');
    expect(protect).toContain('ci/own.sh');
    expect(protect).not.toContain('test/a.test.mjs');
    expect(protect).not.toContain('x.sh');
  });

  test('check finds no hole in it', () => {
    const there = ['package.json', 'eslint.config.js', 'pytest.ini', 'pyproject.toml', 'tox.ini'];
    const text = 'npm test; npx eslint .; pytest; tox; make; mvn; cargo test; sh scripts/t.sh';
    const files = Object.fromEntries(
      [...there, 'Makefile', 'scripts/t.sh'].map((name) => [name, '']),
    );
    const { protect = [] } = planOf(draftOf(files, { gate: text })).config;
    expect(holesIn([{ name: 'g', text }], protect, (path) => path in files)).toEqual([]);
  });

  test('in a workspace of packages each one of them', () => {
    const { protect, setup } = planOf(
      draftOf({
        'package.json': '{"workspaces":["packages/*"]}',
        'yarn.lock': '',
        '.yarnrc.yml': '',
      }),
    ).config;
    expect(protect).toContain('**/package.json');
    expect(setup?.run).toBe('yarn install --immutable');
  });
});

describe('what makes a clean worktree ready', () => {
  const needs = '{"devDependencies":{"vitest":"4"}}';
  test.each([
    [{ 'package-lock.json': '' }, 'npm ci', ['package.json', 'package-lock.json']],
    [
      { 'pnpm-lock.yaml': '' },
      'pnpm install --frozen-lockfile',
      ['package.json', 'pnpm-lock.yaml'],
    ],
    [{ 'yarn.lock': '' }, 'yarn install --frozen-lockfile', ['package.json', 'yarn.lock']],
    [{ 'bun.lock': '' }, 'bun install --frozen-lockfile', ['package.json', 'bun.lock']],
    [{}, 'npm install --no-package-lock', ['package.json']],
  ])('%o: %s', (locks, run, files) => {
    const { setup } = planOf(draftOf({ 'package.json': needs, ...locks })).config;
    expect([setup?.run, setup?.files]).toEqual([run, files]);
  });

  test('packageManager decides where there is no lock file', () => {
    const named = '{"packageManager":"pnpm@9.0.0","dependencies":{"a":"1"}}';
    expect(planOf(draftOf({ 'package.json': named })).config.setup?.run).toBe(
      'pnpm install --no-lockfile',
    );
  });

  test('nothing where nothing has to be installed, but for node_modules not to be forged', () => {
    expect(planOf(draftOf({ 'go.mod': '' })).config.setup).toBeUndefined();
    const bare = draftOf({ 'package.json': tested });
    expect(planOf(bare).config.setup?.run).toBe('true');
    expect(bare.files.find(({ path }) => path.endsWith('.yml'))?.text).toBe(template);
  });

  const venv = 'python3 -m venv .venv && .venv/bin/python -m pip install';
  const project = '[project]\nname = "a"\n';
  test.each([
    [
      { 'requirements.txt': '', 'requirements-dev.txt': '' },
      '-r requirements-dev.txt -r requirements.txt',
    ],
    [{ 'pyproject.toml': project }, '-e .'],
    [
      { 'pyproject.toml': `${project}[project.optional-dependencies]\ntest = [\n "pytest"]\n` },
      "-e '.[test]'",
    ],
    [
      { 'pyproject.toml': `${project}\n[dependency-groups]\ndev = []\n` },
      "'pip>=25.1' && .venv/bin/python -m pip install -e . --group dev",
    ],
    [{ 'setup.py': 'setup(packages=["a"])', 'a/a.py': '' }, '-e .'],
    [{ 'setup.py': '', 'requirements.txt': '', 'src/a/a.py': '' }, '-r requirements.txt -e .'],
    [{ 'pyproject.toml': project, 'a/a.py': '', 'requirements.txt': '' }, '-r requirements.txt'],
  ])('python: %j: pip install %s', (files, args) => {
    const { setup, protect } = planOf(draftOf(files)).config;
    expect(setup?.run).toBe(`${venv} ${args}`);
    expect(protect).not.toContain('.venv/**');
  });

  test('of Python that says nothing the environment in place is protected, and that is told', () => {
    const draft = draftOf({ 'pyproject.toml': '[tool.ruff]\n', 'package.json': tested });
    const { setup, protect } = planOf(draft).config;
    expect(setup).toBeUndefined();
    for (const glob of ['.venv/**', 'venv/**', 'node_modules/**']) expect(protect).toContain(glob);
    expect(draft.notices.join()).toContain('they run in your .venv');
  });

  test('where a folder gates/ keeps setuptools from finding the package, that is told', () => {
    const flat = { 'pyproject.toml': project, 'a/a.py': '' };
    expect(draftOf(flat).notices[0]).toContain('[tool.setuptools] packages');
    expect(planOf(draftOf(flat)).config.setup).toBeUndefined();
    const said = `${project}[build-system]\nbuild-backend = "hatchling.build"\n`;
    expect(draftOf({ ...flat, 'pyproject.toml': said }).notices.join()).not.toContain('setuptools');
  });

  test('of two stacks one after the other', () => {
    const both = {
      'package.json': needs,
      'package-lock.json': '',
      'uv.lock': '',
      'pyproject.toml': '',
    };
    expect(planOf(draftOf(both)).config.setup).toEqual({
      run: 'npm ci && uv sync --frozen',
      files: ['package.json', 'package-lock.json', 'pyproject.toml', 'uv.lock'],
    });
  });
});

describe('the workflow', () => {
  const workflowOf = (files: Readonly<Record<string, string>>): string =>
    draftOf(files).files.find(({ path }) => path.endsWith('.yml'))?.text ?? '';

  test('installs what the gates need, the tool that does it included', () => {
    expect(workflowOf({ 'go.mod': '' })).toBe(template);
    const python = { 'pyproject.toml': '' };
    const needs = {
      'package.json': '{"devDependencies":{"a":"1"}}',
      'pnpm-lock.yaml': '',
      ...python,
    };
    expect(workflowOf({ ...needs, 'uv.lock': '' })).toBe(
      template.replace(
        '      - uses',
        [
          '      - run: npm install --global pnpm && pnpm install --frozen-lockfile',
          '      - run: pipx install uv && uv sync --frozen',
          '      - uses',
        ].join('\n'),
      ),
    );
  });

  test('goes by the branch that everything is merged into', () => {
    const on = (branch: string | undefined): string =>
      workflowText(template, { setups: [], branch });
    expect(on('master')).toContain('branches: [master]');
    for (const branch of ['main', 'feature', undefined]) expect(on(branch)).toBe(template);
  });

  test('with a name left open says so', () => {
    expect(ownerNotice('w.yml', 'uses: OWNER/x@v1')).toEqual([
      'w.yml needs a name in place of OWNER: who publishes the action that you use',
    ]);
    expect(ownerNotice('w.yml', 'uses: me/x@v1')).toEqual([]);
  });
});

describe('.gitignore', () => {
  const ignoreOf = (draft: Draft): string | undefined =>
    draft.files.find(({ path }) => path === '.gitignore')?.text;

  test('only what the tools leave behind', () => {
    expect(ignoreOf(draftOf({ 'package.json': tested }))).toBe('node_modules/\n');
    expect(ignoreOf(draftOf({ 'Cargo.toml': '', 'pom.xml': '' }))).toBe('target/\n');
    expect(ignoreOf(draftOf({ 'go.mod': '' }))).toBeUndefined();
  });

  test('of one that is there only what it lacks is said', () => {
    const notices = (text: string): readonly string[] =>
      draftOf({ 'uv.lock': '', 'setup.py': '', '.gitignore': text }).notices;
    expect(notices('*.log\n/.venv\n')).toEqual([
      '.gitignore does not name __pycache__/: add it, or an agent commits it',
    ]);
    expect(notices('**/__pycache__/\r\n.venv\r\n')).toEqual([]);
  });
});

describe('what is said', () => {
  const facts: InitFacts = {
    top: '/x',
    stacks: ['go'],
    files: [
      { path: 'gates/go.sh', state: 'written' },
      { path: 'PLAN.md', state: 'kept', why: 'there already' },
    ],
    plan: 'PLAN.md',
    notices: ['an \u001b[31mevil\u001b[0m\nname'],
    isUnborn: false,
  };

  test('written, kept, notices and the next command; names of strangers stay on their line', () => {
    expect(renderInit(facts, plainStyle).split('\n')).toEqual([
      'found    go',
      'wrote    gates/go.sh',
      'kept     PLAN.md (there already)',
      'notice   an evil␊name',
      'next     edit PLAN.md; skeleton gate; skeleton check; skeleton run',
    ]);
  });

  test('a repository without a commit needs one before a run', () => {
    const { next } = initData({ ...facts, stacks: [], isUnborn: true }) as { next: unknown };
    expect(next).toEqual([
      'edit PLAN.md and gates/',
      "git add -A && git commit -m 'first commit'",
      'skeleton gate',
      'skeleton check',
      'skeleton run',
    ]);
  });

  test('the plan is where it is; where none can be, that comes first', () => {
    const next = (plan: string | undefined): string =>
      renderInit({ ...facts, plan }, plainStyle)
        .split('\n')
        .at(-1) ?? '';
    expect(next('docs/PLAN.md')).toContain('edit docs/PLAN.md; ');
    expect(next(undefined)).toBe(
      'next     put a plain file in the place of PLAN.md; skeleton init',
    );
  });

  test('a dry run shows the plan and says nothing of a run', () => {
    const text = '---\n---\n- [ ] One\n';
    const said = renderInit(
      { ...facts, files: [{ path: 'PLAN.md', state: 'to write', text }] },
      plainStyle,
    );
    expect(said).toContain('to write PLAN.md');
    expect(said).toContain('\n  - [ ] One\n');
    expect(said).not.toContain('skeleton run');
  });
});
