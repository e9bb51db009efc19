import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkPlan, init as prepare } from '../../src/index.ts';
import type { InitOptions, InitResult } from '../../src/index.ts';
import { inTheWayOf, writeNew } from '../../src/git/new-files.ts';
import { makeUserRepository } from '../support/user-repository.ts';
import type { UserRepository } from '../support/user-repository.ts';

let user: UserRepository;

beforeEach(() => {
  user = makeUserRepository();
});
afterEach(() => {
  user.remove();
});

function commit(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) user.write(path, text);
  user.git('add', '--all');
  user.git('commit', '--quiet', '--message=what is there');
}

/** Nobody is known by name on this PATH. */
const env = { ...process.env, PATH: '/usr/bin:/bin' };

/** Without what is said of the workflow, whatever the project. */
async function init(more: Partial<InitOptions> = {}): Promise<InitResult> {
  const result = await prepare({ cwd: user.top, env, dryRun: false, ...more });
  return { ...result, notices: result.notices.filter((line) => !line.includes('OWNER')) };
}

/** Everything outside of .git, links as links. */
function picture(): ReadonlyMap<string, string> {
  const paths = readdirSync(user.top, { recursive: true, encoding: 'utf8' });
  return new Map(
    paths
      .filter((path) => !path.startsWith('.git/') && path !== '.git')
      .map((path) => {
        const full = join(user.top, path);
        const stat = lstatSync(full);
        if (stat.isSymbolicLink()) return [path, `-> ${readlinkSync(full)}`];
        return [path, stat.isFile() ? readFileSync(full, 'utf8') : 'a folder'];
      }),
  );
}

const inGit = (): readonly string[] => readdirSync(join(user.top, '.git')).sort();
const nodeProject = { 'package.json': '{"scripts":{"test":"node --test"}}\n' };
const makefile = 'test:\n\ttrue\n';

describe('what it finds is what it writes', () => {
  test.each([
    ['node', nodeProject],
    ['python', { 'pyproject.toml': '[project]\nname = "a"\n', 'conftest.py': '' }],
    ['go', { 'go.mod': 'module a\n\ngo 1.19\n' }],
    ['rust', { 'Cargo.toml': '[package]\nname = "a"\n', 'Cargo.lock': '' }],
    ['maven', { 'pom.xml': '<project/>\n' }],
    ['make', { Makefile: makefile }],
    ['node, go, make', { ...nodeProject, 'go.mod': 'module a\n', Makefile: makefile }],
  ])('%s; check has nothing against it', async (stacks, files) => {
    commit(files);
    const said = await init();
    expect(said.stacks.join(', ')).toBe(stacks);
    expect(said.files.every(({ state }) => state === 'written')).toBe(true);
    for (const name of [...said.stacks, 'no-secrets', 'no-conflict-markers']) {
      const gate = join(user.top, `gates/${name}.sh`);
      expect(statSync(gate).mode & 0o111).toBe(0o111);
      expect(readFileSync(gate, 'utf8')).toBe(readFileSync(`gates/${name}.sh`, 'utf8'));
    }
    const { problems, environment, warnings } = await checkPlan({ cwd: user.top, env });
    expect([problems, environment]).toEqual([[], []]);
    expect(warnings.filter((line) => !line.startsWith('agent: '))).toEqual([]);
  });

  test('nothing known: check says which gate to edit, and is content once that is done', async () => {
    const { stacks, notices } = await init();
    expect([stacks, notices.length]).toEqual([[], 1]);
    const before = await checkPlan({ cwd: user.top, env });
    expect(before.environment.map(({ message }) => message)).toEqual([
      'gate project.sh is as skeleton init wrote it: it accepts nothing',
    ]);
    user.write('gates/project.sh', '#!/bin/sh\ntest -f README.md\n');
    expect((await checkPlan({ cwd: user.top, env })).environment).toEqual([]);
  });

  test('what the gates need is installed in the workflow, and in the clean worktree', async () => {
    commit({ 'package.json': '{"devDependencies":{"a":"1"}}', 'package-lock.json': '{}' });
    const { files } = await init({ dryRun: true });
    const textOf = (name: string): string => files.find(({ path }) => path === name)?.text ?? '';
    expect(textOf('.github/workflows/skeleton.yml')).toMatch(/\n {6}#.*\n {6}- run: npm ci\n/);
    expect(textOf('PLAN.md')).toContain('\nsetup:\n  run: npm ci\n');
  });

  test('from a folder below; what lies further down is named, what others made is not', async () => {
    commit({ 'packages/web/package.json': '{}', 'packages/node_modules/x/package.json': '{}' });
    const { notices } = await init({ cwd: join(user.top, 'packages') });
    expect(notices.join('\n')).toContain('there are packages/web/package.json: ');
    expect(picture().has('PLAN.md')).toBe(true);
  });

  test('git writes the gates with line ends that a shell reads, whatever it is told', async () => {
    user.git('config', 'core.autocrlf', 'true');
    commit({ ...nodeProject, '.gitattributes': '* text eol=crlf\n' });
    await init();
    commit({});
    rmSync(join(user.top, 'gates'), { recursive: true });
    rmSync(join(user.top, 'PLAN.md'));
    user.git('checkout', '--', '.');
    expect(readFileSync(join(user.top, 'PLAN.md'), 'utf8')).toContain('\r\n');
    expect(readFileSync(join(user.top, 'gates/node.sh'), 'utf8')).not.toContain('\r');
  });

  test('check tells what a makefile calls and nobody protects', async () => {
    commit({ Makefile: 'test: ; sh test.sh\n', 'test.sh': 'true\n', 'package.json': '{}' });
    user.write('.skeleton.yml', "gates: ['make test', 'npm test']\nprotect: [package.json]\n");
    commit({ 'PLAN.md': '- [ ] One\n', 'package.json': '{"scripts":{"test":"sh \\"my t.sh\\""}}' });
    commit({ 'my t.sh': '' });
    const { warnings } = await checkPlan({ cwd: user.top, env });
    const open = warnings.filter((line) => line.startsWith('gate '));
    expect(open.map((line) => line.replace(/.*add to /, ''))).toEqual([
      'protect: [test.sh, GNUmakefile, makefile, Makefile]',
      'protect: [my t.sh]',
    ]);
  });

  test('gates that a configuration names itself are the ones that run, and that is told', async () => {
    const words = 'names its own gates:';
    expect((await init({ dryRun: true })).notices.join()).not.toContain(words);
    commit({ ...nodeProject, '.skeleton.yml': 'gates: [true]\n' });
    expect((await init({ dryRun: true })).notices.join()).toContain(words);
    rmSync(join(user.top, '.skeleton.yml'));
    commit({ 'PLAN.md': '---\ngates: [true]\n---\n- [ ] One\n' });
    expect((await init()).notices.join()).toContain(words);
  });

  test('a name left open is told of the workflow that lies there', async () => {
    const owners = async (): Promise<readonly string[]> =>
      (await prepare({ cwd: user.top, env, dryRun: false })).notices.filter((line) =>
        line.includes('OWNER'),
      );
    commit({ ...nodeProject, '.github/workflows/skeleton.yml': 'uses: me/skeleton@v1\n' });
    expect(await owners()).toEqual([]);
    rmSync(join(user.top, '.github'), { recursive: true });
    expect(await owners()).toHaveLength(1);
    expect(await owners()).toHaveLength(1);
    rmSync(join(user.top, '.github'), { recursive: true });
    commit({ '.github': 'a file\n' });
    expect(await owners()).toEqual([]);
  });

  test('a path that git ignores is said', async () => {
    commit({ ...nodeProject, '.gitignore': 'node_modules\nPLAN.md\n' });
    expect((await init()).notices).toEqual([
      'PLAN.md is ignored, so git will not hold it: git check-ignore -v PLAN.md',
    ]);
  });
});

describe('who works', () => {
  const agentLine = ({ files }: InitResult): string =>
    files
      .find(({ path }) => path === 'PLAN.md')
      ?.text?.split('\n')
      .find((line) => line.includes('agent')) ?? '';
  const dry = (more: Partial<InitOptions> = {}): Promise<InitResult> =>
    init({ dryRun: true, ...more });

  test('who was named, else the only one on PATH, which is not called', async () => {
    expect(agentLine(await dry({ agent: 'codex' }))).toBe('agent: codex');
    const script = user.agent(`#!/bin/sh\ntouch '${user.outside}/called'\n`);
    expect(script).not.toBe('');
    mkdirSync(join(user.outside, 'bin'));
    symlinkSync(join(user.outside, 'agent.sh'), join(user.outside, 'bin/claude'));
    const path = `${join(user.outside, 'bin')}:${env.PATH}`;
    expect(agentLine(await dry({ env: { ...env, PATH: path } }))).toBe('agent: claude');
    expect(readdirSync(user.outside)).not.toContain('called');
    commit({ '.skeleton.yml': 'agent: gemini\n' });
    expect(agentLine(await dry({ env: { ...env, PATH: path } }))).toMatch(/^# agent/);
  });

  test('one that nobody knows is 2, and nothing is written', async () => {
    await expect(init({ agent: 'cluade' })).rejects.toMatchObject({ status: 2 });
    expect(picture().has('PLAN.md')).toBe(false);
  });
});

describe('it touches nothing that is there', () => {
  test('files stay as they are, and are named; a second init changes nothing', async () => {
    commit({
      ...nodeProject,
      'PLAN.md': '- [ ] Mine\n',
      'gates/node.sh': '#!/bin/sh\nexit 0\n',
      '.gitignore': 'secret\n',
      '.github/workflows/skeleton.yml': 'mine\n',
    });
    const before = picture();
    const { files, notices } = await init();
    const after = picture();
    for (const [path, text] of before) expect([path, after.get(path)]).toEqual([path, text]);
    const kept = files.filter(({ state }) => state === 'kept').map(({ path }) => path);
    expect(kept).toEqual([
      'gates/node.sh',
      '.github/workflows/skeleton.yml',
      '.gitignore',
      'PLAN.md',
    ]);
    expect(notices).toEqual([
      '.gitignore does not name node_modules/: add it, or an agent commits it',
    ]);
    expect((await init()).files.every(({ state }) => state === 'kept')).toBe(true);
    expect(picture()).toEqual(after);
  });

  test('links are not followed', async () => {
    const elsewhere = join(user.outside, 'elsewhere');
    mkdirSync(elsewhere);
    commit(nodeProject);
    for (const [name, target] of [
      ['gates', elsewhere],
      ['.github', elsewhere],
      ['PLAN.md', join(elsewhere, 'plan.md')],
      ['.gitignore', join(elsewhere, 'ignore')],
    ] as const)
      symlinkSync(target, join(user.top, name));
    const before = picture();
    const { files, plan } = await init();
    expect([plan, files.map(({ state }) => state)]).toEqual([undefined, files.map(() => 'kept')]);
    expect(files[0]?.why).toBe('gates is a symbolic link, which is not followed');
    expect([picture(), readdirSync(elsewhere)]).toEqual([before, []]);
  });

  test('a file in the place of a folder, and a plan in docs/', async () => {
    commit({ ...nodeProject, gates: 'a file\n', 'docs/PLAN.md': '- [ ] Mine\n' });
    const { files, plan } = await init();
    expect(plan).toBe('docs/PLAN.md');
    const why = new Map(files.map((file) => [file.path, file.why]));
    expect(why.get('gates/node.sh')).toBe('gates is no folder');
    expect(why.get('PLAN.md')).toBe('docs/PLAN.md is the plan');
    expect(picture().has('PLAN.md')).toBe(false);
  });

  test('a dry run writes nothing, not even in .git', async () => {
    commit(nodeProject);
    const before = [picture(), inGit()];
    const { files } = await init({ dryRun: true });
    expect(files.map(({ state }) => state)).toEqual(files.map(() => 'to write'));
    expect([picture(), inGit()]).toEqual(before);
  });

  test('without a repository it is 3, and nothing is written', async () => {
    await expect(init({ cwd: user.outside })).rejects.toMatchObject({ status: 3 });
    expect(readdirSync(user.outside)).toEqual([]);
  });
});

describe('a new file', () => {
  const place = (): { readonly top: string; readonly gitDir: string } => {
    return { top: user.top, gitDir: join(user.top, '.git') };
  };

  test('replaces nothing, and leaves nothing but itself', () => {
    const before = inGit();
    const file = { path: 'a/b/c.sh', text: 'one', executable: true };
    expect(writeNew(place(), file)).toBe(true);
    expect(writeNew(place(), { ...file, text: 'two' })).toBe(false);
    expect(readFileSync(join(user.top, 'a/b/c.sh'), 'utf8')).toBe('one');
    expect(inTheWayOf(user.top, 'a/b')).toBe('a/b is no regular file');
    expect(inTheWayOf(user.top, 'a/b/d')).toBeUndefined();
    expect(inGit()).toEqual(before);
  });

  test('that the disk does not take is a refusal with 3', () => {
    const gitDir = join(user.top, '.git/objects');
    rmSync(gitDir, { recursive: true });
    symlinkSync(gitDir, gitDir);
    expect(() =>
      writeNew({ top: user.top, gitDir }, { path: 'a', text: '', executable: false }),
    ).toThrow(/^a cannot be written: ELOOP$/);
  });
});
