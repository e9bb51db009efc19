import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { explainError } from '../../cli/explain-error.ts';
import { runProgram } from '../../cli/program.ts';
import { fakeIo } from '../support/fake-io.ts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  makeUserRepository,
  skeleton,
  type Ended,
  type UserRepository,
} from '../support/user-repository.ts';
import { readXml } from '../support/xml-tree.ts';

/** `skeleton report`: a run for a browser, a CI page, a pull request, a program. */

/** With a character that every format but Markdown escapes. */
const secret = 'pass&word<of>"mine"-4711';
const env = { DB_PASSWORD: secret };
const agent = `#!/bin/sh
cat > /dev/null
echo "try $SKELETON_ATTEMPT of $SKELETON_TASK_ID" > "$SKELETON_TASK_ID.txt"
`;
const gate = `#!/bin/sh
echo "judging $SKELETON_TASK_ID"; [ "$SKELETON_TASK_ID" = good ] && [ "$SKELETON_ATTEMPT" = 2 ]
`;

let repository: UserRepository;
beforeAll(async () => {
  repository = makeUserRepository();
  repository.write(
    'PLAN.md',
    `- [ ] Good ${secret} {#good}\n- [ ] Bad {#bad}\n- [ ] Last {#last}\n`,
  );
  repository.write('gates/check.sh', gate);
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=project');
  const command = repository.agent(agent);
  const { status } = await repository.start(
    ['run', '--attempts', '2', '--agent-command', command],
    env,
  ).ended;
  expect(status).toBe(1);
});
afterAll(() => {
  repository.remove();
});

/** In this process, as the command line does it, but without its mask over all that is printed. */
async function report(
  ...args: readonly string[]
): Promise<Omit<Ended, 'status'> & { readonly status: number }> {
  const io = fakeIo({
    argv: ['report', ...args],
    cwd: repository.top,
    env: { ...process.env, ...env },
  });
  const status = await runProgram(io, '0').catch((error: unknown) => {
    const { status: failed, text } = explainError(error, '0');
    io.err.write(text);
    return failed;
  });
  return { status, stdout: io.stdout(), stderr: io.stderr() };
}
const inTop = (path: string): string => join(repository.top, path);

describe('formats', () => {
  test('markdown, where none is named', async () => {
    const { status, stdout } = await report();
    expect(status).toBe(0);
    expect(stdout).toMatch(/^\*\*1 passed, 1 failed, 1 blocked\*\*/);
    expect(stdout).toContain('judging bad');
  });

  test('junit', async () => {
    const { status, stdout } = await report('--format', 'junit');
    const root = readXml(stdout);
    expect([status, root.children.length]).toEqual([0, 3]);
    expect(root.attributes).toMatchObject({ tests: '5', failures: '2', errors: '0' });
  });

  test.each([['--format', 'json'], ['--json']])('%s %s: one object', async (...args) => {
    const { status, stdout } = await report(...args);
    expect(status).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(stdout)).toMatchObject({
      schema: 1,
      run: { status: 1 },
      tasks: [{ id: 'good', state: 'passed' }, { id: 'bad', state: 'failed' }, { id: 'last' }],
    });
  });

  test('html: prompt, diff and output of every attempt, and nothing from elsewhere', async () => {
    const { status, stdout } = await report('--format', 'html');
    expect(status).toBe(0);
    for (const text of ['try 1 of good', 'try 2 of bad', 'judging bad', 'data-title'])
      expect(stdout).toContain(text);
    expect(stdout).not.toMatch(/(?:src|href)="(?!data:|#)/);
  });

  test('a file holds no secret, however its format spells it', async () => {
    for (const format of ['html', 'junit', 'markdown', 'json']) {
      const file = inTop(`secret.${format}`);
      expect((await report('--format', format, '--output', file)).status).toBe(0);
      const written = readFileSync(file, 'utf8');
      expect(written).toMatch(/masked DB\\?_PASSWORD/);
      expect(written).not.toContain('4711');
    }
  });
});

describe('which run', () => {
  test('--run names it; another is 2, and says which is near', async () => {
    const { run } = (
      JSON.parse((await report('--json')).stdout) as { readonly run: { readonly run: string } }
    ).run;
    expect((await report('--run', run, '--json')).status).toBe(0);
    const { status, stderr } = await report('--run', `${run.slice(0, -1)}#`);
    expect([status, stderr]).toEqual([2, expect.stringContaining(`did you mean '${run}'`)]);
  });
});

describe('--output', () => {
  test('writes a file whole, in the format that its name says, also over an empty one; prints nothing', async () => {
    writeFileSync(inTop('junit.xml'), '');
    const { status, stdout } = await report('--output', 'junit.xml');
    expect([status, stdout]).toEqual([0, '']);
    expect(readXml(readFileSync(inTop('junit.xml'), 'utf8')).name).toBe('testsuites');
    expect(readdirSync(repository.top).filter((name) => name.startsWith('.skeleton-'))).toEqual([]);
  });

  test.each(['-', '/dev/stdout'])('%s is standard output', async (file) => {
    const { stdout } = await report('--output', file, '--format', 'junit');
    expect(readXml(stdout).name).toBe('testsuites');
  });

  test.each(['html', 'junit', 'markdown', 'json'] as const)(
    'an earlier report is replaced by one of %s, and keeps its mode; one that is read-only stays',
    async (format) => {
      const file = inTop('again');
      for (const before of ['html', 'junit', 'markdown', 'json']) {
        rmSync(file, { force: true });
        expect((await report('--format', before, '--output', file)).status).toBe(0);
        chmodSync(file, 0o640);
        const { status, stderr } = await report('--format', format, '--output', file);
        expect([before, status, stderr]).toEqual([before, 0, '']);
        expect(statSync(file).mode & 0o777).toBe(0o640);
      }
      chmodSync(file, 0o440);
      const { status, stderr } = await report('--format', format, '--output', file);
      expect([status, stderr]).toEqual([2, expect.stringContaining('is read-only')]);
      expect(readdirSync(repository.top).filter((name) => name.startsWith('.skel'))).toEqual([]);
    },
  );

  test("destroys nothing: what is no report of ours, and what is git's, is left alone: 2", async () => {
    const bare = join(repository.outside, 'bare');
    repository.git('init', '--quiet', '--bare', bare);
    repository.git('worktree', 'add', '--quiet', join(repository.outside, 'linked'));
    writeFileSync(inTop('other.xml'), '<?xml version="1.0"?>\n<testsuites name="jest tests">\n');
    for (const path of [
      ...['PLAN.md', 'gates/check.sh', 'README.md', 'other.xml', '.git/HEAD', '.git/config'],
      ...['.git/skeleton/ledger.db', '.git/refs/heads/main', join(bare, 'HEAD')],
      join(repository.outside, 'linked', '.git'),
    ]) {
      const before = readFileSync(join(path.startsWith('/') ? '' : repository.top, path));
      const { status, stderr } = await report('--format', 'html', '--output', path);
      const words = /is no report of skeleton|in a git directory/;
      expect([path, status, stderr]).toEqual([path, 2, expect.stringMatching(words)]);
      expect(readFileSync(join(path.startsWith('/') ? '' : repository.top, path))).toEqual(before);
    }
    for (const path of ['.git/new.html', join(bare, 'refs/new.html')])
      expect([path, (await report('--output', path)).status]).toEqual([path, 2]);
    expect(existsSync(inTop('.git/new.html'))).toBe(false);
  });

  test('only a regular file: a pipe is not waited for; /dev/null takes it', async () => {
    const pipe = join(repository.outside, 'pipe.html');
    execFileSync('mkfifo', [pipe]);
    for (const path of [pipe, '/dev/full']) {
      const { child, ended } = repository.start(['report', '--format=html', '--output', path]);
      onTestFinished(() => void child.kill('SIGKILL'));
      const { status, stderr } = await ended;
      expect([status, stderr]).toEqual([2, expect.stringContaining('no regular file')]);
    }
    expect((await report('--format', 'html', '--output', '/dev/null')).status).toBe(0);
  });

  test('what the file system refuses is 2, what the machine has no room for is 4, with words', async () => {
    const long = await report('--output', `${'x'.repeat(300)}.html`);
    expect([long.status, long.stderr]).toEqual([2, expect.stringContaining('ENAMETOOLONG')]);
    // No limit on size is lower than a block of 512 bytes, and the page is larger.
    const words = [process.execPath, skeleton, 'report', '--output', 'limited.html'];
    const { status, stderr } = spawnSync('sh', ['-c', 'ulimit -f 1; exec "$@"', 'sh', ...words], {
      cwd: repository.top,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([4, expect.stringContaining('EFBIG')]);
    expect(existsSync(inTop('limited.html'))).toBe(false);
  });

  test('never through a link, into a folder or a folder that is not there: 2', async () => {
    writeFileSync(join(repository.outside, 'mine.html'), 'mine');
    symlinkSync(join(repository.outside, 'mine.html'), inTop('link.html'));
    mkdirSync(inTop('folder.html'));
    for (const [path, why] of [
      ['link.html', 'is a link'],
      ['folder.html', 'is a folder'],
      ['none/report.html', 'there is no folder'],
    ] as const) {
      const { status, stderr } = await report('--output', path);
      expect([status, stderr]).toEqual([2, expect.stringContaining(why)]);
    }
    expect(readFileSync(join(repository.outside, 'mine.html'), 'utf8')).toBe('mine');
    expect(existsSync(inTop('none'))).toBe(false);
  });
});
