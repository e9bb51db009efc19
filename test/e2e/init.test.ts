import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeUserRepository, skeleton } from '../support/user-repository.ts';
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

const nodeProject = {
  'package.json': '{"name":"a","version":"1.0.0","scripts":{"test":"node --test test/*.mjs"}}\n',
  'test/one.test.mjs': "import { test } from 'node:test';\ntest('one', () => {});\n",
};
const addTest = `#!/bin/sh
cat > /dev/null
mkdir -p test
printf "import { test } from 'node:test';\\ntest('two', () => {});\\n" > test/two.test.mjs
`;

describe('after skeleton init, skeleton run works', () => {
  test('at once: what init wrote is the start, other work is refused or set aside as ever', async () => {
    commit(nodeProject);
    const { status, stdout } = await user.run('init');
    expect([status, stdout.trimEnd().split('\n').length <= 6]).toEqual([0, true]);
    user.write('README.md', 'being edited\n');
    const agent = ['--agent-command', user.agent(addTest)];
    const refused = await user.run('run', ...agent);
    expect(refused.status).toBe(3);
    expect(refused.stderr).toContain('  M README.md\n');
    expect(refused.stderr).not.toMatch(/gitignore|skeleton\.yml/);
    const run = await user.run('run', '--autostash', ...agent);
    expect([run.status, run.stderr.includes('✔ first-test')]).toEqual([0, true]);
    const start = user.git('show', '--format=', '--name-only', 'skeleton/plan/0000-start');
    expect(start.split('\n')).toEqual([
      '.github/workflows/skeleton.yml',
      '.gitignore',
      'PLAN.md',
      'gates/.gitattributes',
      'gates/no-conflict-markers.sh',
      'gates/no-secrets.sh',
      'gates/node.sh',
    ]);
    expect(user.git('status', '--porcelain')).toBe(' M README.md');
  });

  test('in a repository without a commit once the printed command was typed; a project without a test gets one', async () => {
    rmSync(join(user.top, '.git'), { recursive: true });
    user.git('init', '--quiet');
    user.write('package.json', '{"name":"a","version":"1.0.0"}\n');
    const said = await user.run('init', '--json');
    const { next } = JSON.parse(said.stdout) as { readonly next: readonly string[] };
    const agent = user.agent(`${addTest}
printf '{"name":"a","version":"1.0.0","scripts":{"test":"node --test test/two.test.mjs"}}' > package.json
`);
    expect((await user.run('run', '--agent-command', agent)).status).toBe(3);
    const typed = next.find((line) => line.startsWith('git ')) ?? '';
    execFileSync('sh', ['-c', typed], { cwd: user.top, stdio: 'ignore' });
    const { status, stderr } = await user.run('run', '--agent-command', agent);
    expect([status, stderr.includes('✔ first-test')]).toEqual([0, true]);
  });

  test('and a runner that the agent puts where git does not look judges nothing', async () => {
    commit(nodeProject);
    expect((await user.run('init')).status).toBe(0);
    const agent = user.agent(`#!/bin/sh
cat > /dev/null
echo 'throw new Error("broken")' > test/two.test.mjs
mkdir -p node_modules/.bin
printf '#!/bin/sh\\nprintf "# tests 1\\\\n# pass 1\\\\n"\\n' > node_modules/.bin/node
chmod +x node_modules/.bin/node
`);
    const { status, stderr } = await user.run('run', '--attempts=1', '--agent-command', agent);
    expect([status, stderr.includes('gate node.sh: fail')]).toEqual([1, true]);
  });

  test('but calls no agent where nothing says what good work is', async () => {
    const agent = user.agent(`#!/bin/sh\ntouch '${user.outside}/called'\n`);
    const { stdout } = await user.run('init');
    expect(stdout).toContain('edit PLAN.md and gates/');
    const { status, stderr } = await user.run('run', '--agent-command', agent);
    expect([status, existsSync(join(user.outside, 'called'))]).toEqual([3, false]);
    expect(stderr).toContain('project.sh');
  });
});

test('--dry-run shows the plan', async () => {
  commit(nodeProject);
  const { status, stdout } = await user.run('init', '--dry-run', '--agent', 'codex');
  expect(status).toBe(0);
  expect(stdout).toContain('to write gates/node.sh, ');
  expect(stdout).toContain('\n  agent: codex\n');
  expect(user.git('status', '--porcelain')).toBe('');
});

test('killed in the middle of a file, it leaves whole files only, and the next init goes on', async () => {
  commit(nodeProject);
  // The kernel ends it with SIGXFSZ at the first file that is larger.
  const limited = 'ulimit -f 8; exec "$0" "$@"';
  const { status } = spawnSync('sh', ['-c', limited, process.execPath, skeleton, 'init'], {
    cwd: user.top,
  });
  expect(status).not.toBe(0);
  const read = (path: string): string => readFileSync(join(user.top, path), 'utf8');
  const left = filesBelow(user.top).map((path) => [path, read(path)] as const);
  expect((await user.run('init')).status).toBe(0);
  for (const [path, text] of left) expect([path, text]).toEqual([path, read(path)]);
  expect(left.length).toBeLessThan(filesBelow(user.top).length);
});

function filesBelow(top: string): readonly string[] {
  const entries = readdirSync(top, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(top.length + 1))
    .filter((path) => !path.startsWith('.git/'));
}
