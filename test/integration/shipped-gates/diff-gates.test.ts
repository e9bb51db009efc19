import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GateResult } from '../../../src/core/events.ts';
import { openGates } from '../../../src/gate/gates.ts';
import { aPlan, aTask } from '../../support/plans.ts';

const packageRoot = join(import.meta.dirname, '../../..');
const plan = aPlan([aTask('one')]);
const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: top, encoding: 'utf8' }).trim();

let root: string;
let top: string;
let base: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'shipped gates ')));
  top = join(root, 'the repo');
  mkdirSync(top);
  git('init', '-q');
  write('README.md', 'hello\n');
  base = commit();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(top, path)), { recursive: true });
  writeFileSync(join(top, path), text);
}

function commit(): string {
  git('add', '-A');
  git('commit', '-qm', 'x');
  return git('rev-parse', 'HEAD');
}

/** Runs a shipped gate by its name, on an attempt that changed these paths; with none, on the tree as it is. */
async function judge(
  name: string,
  paths: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<GateResult> {
  const gates = openGates({
    ...{ top, packageRoot, commonDir: join(top, '.git'), config: { gates: [name] } },
    env: { ...process.env, ...env },
  });
  const { results } = await gates.run({
    gates: await gates.find(plan, undefined),
    ...{ tree: 'tree', run: 'r', plan: 'PLAN.md', token: randomUUID(), failFast: false },
    changed: paths.map((path) => ({ path, status: 'M' })),
    task: { id: 'one', title: 'One' },
    attempt: { attempt: 1, attempts: 5, base },
    logFolder: join(top, '.git/skeleton/logs/r/one/1'),
    signal: new AbortController().signal,
    onResult: () => Promise.resolve(),
    onStart: () => undefined,
  });
  const [result] = results;
  if (result === undefined) throw new Error('no result');
  return result;
}

const diffGates = ['no-conflict-markers', 'no-secrets', 'diff-size', 'no-debug-leftovers'];
describe.each(diffGates)('%s', (name) => {
  it('passes a tree without fault, whatever its names', async () => {
    const paths = ['a b\nc', '-rf', 'é', "it's $(touch owned)"];
    for (const path of paths) write(path, 'text\n');
    symlinkSync('nowhere', join(top, 'link'));
    expect(await judge(name, [...paths, 'link', 'deleted'])).toMatchObject({ verdict: 'pass' });
    expect(await judge(name, [])).toMatchObject({ verdict: 'pass' });
    expect(existsSync(join(top, 'owned'))).toBe(false);
  });

  it('ends with 75 where its tool is missing, and outside of a repository', async () => {
    const result = await judge(name, ['README.md'], { PATH: root });
    expect(result).toMatchObject({ verdict: 'error', exit: 75 });
    expect(result.tail).toContain('git is not installed');
    rmSync(join(top, '.git'), { recursive: true });
    expect(await judge(name, ['README.md'])).toMatchObject({ verdict: 'error', exit: 75 });
  });

  it('leaves the index and the tree alone', async () => {
    write('README.md', 'changed\n');
    write('new', 'x\n');
    const index = execFileSync('sha256sum', [join(top, '.git/index')], { encoding: 'utf8' });
    const status = git('status', '--porcelain');
    await judge(name, ['README.md', 'new']);
    expect(git('status', '--porcelain')).toBe(status);
    expect(execFileSync('sha256sum', [join(top, '.git/index')], { encoding: 'utf8' })).toBe(index);
  });
});

describe('no-conflict-markers', () => {
  const conflict = 'a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> theirs\n';

  it('rejects them in changed files, new ones included, and names file and line', async () => {
    write('README.md', conflict);
    write('new file', conflict);
    const { verdict, tail } = await judge('no-conflict-markers', ['README.md', 'new file']);
    expect(verdict).toBe('fail');
    expect(tail).toContain('README.md:2:<<<<<<< HEAD');
    expect(tail).toContain('new file:6:>>>>>>> theirs');
  });

  it('is not bothered by headings, or by files that the attempt did not touch', async () => {
    write('old.txt', conflict);
    commit();
    write('doc.md', 'Title\n=======\n\n>>>> a quote\n');
    expect(await judge('no-conflict-markers', ['doc.md'])).toMatchObject({ verdict: 'pass' });
    expect(await judge('no-conflict-markers', [])).toMatchObject({ verdict: 'fail' });
  });
});

describe('no-secrets', () => {
  // In pieces, or this file would be rejected by the gate that it tests.
  const secrets = [
    ['AKIA', 'ABCDEFGHIJKLMNOP'].join(''),
    `ghp_${'a1'.repeat(18)}`,
    `glpat-${'a1'.repeat(10)}`,
    `sk-ant-${'api03-a1'.repeat(5)}`,
    `AIza${'a1'.repeat(17)}b`,
    ['xoxb', '1234567890', 'a'].join('-'),
    ['-----BEGIN OPENSSH', 'PRIVATE KEY-----'].join(' '),
  ];

  it.each(secrets)('rejects %.8s…, naming the file, not the secret', async (secret) => {
    write('src/config file.ts', `const key = "${secret}";\n`);
    const { verdict, tail } = await judge('no-secrets', ['src/config file.ts']);
    expect(verdict).toBe('fail');
    expect(tail).toContain('src/config file.ts');
    expect(tail).not.toContain(secret);
  });

  it('accepts what already stood there, and text about keys', async () => {
    write('fixture.txt', secrets.join('\n'));
    base = commit();
    write('fixture.txt', `${secrets.join('\n')}\nmore\n`);
    write('doc.md', 'Set AKIA… and ghp_… and `sk-ant-`; BEGIN PRIVATE KEY\n');
    expect(await judge('no-secrets', ['fixture.txt', 'doc.md'])).toMatchObject({ verdict: 'pass' });
  });

  it('rejects a new .env, not an example of one', async () => {
    write('sub/.env', 'A=1\n');
    write('.env.example', 'A=\n');
    expect(await judge('no-secrets', ['.env.example'])).toMatchObject({ verdict: 'pass' });
    const { verdict, tail } = await judge('no-secrets', ['.env.example', 'sub/.env']);
    expect([verdict, tail]).toEqual([
      'fail',
      expect.stringContaining('would be committed: sub/.env'),
    ]);
  });

  it('finds one in a file that is no text', async () => {
    write('data.bin', Buffer.concat([Buffer.from([0, 255, 10]), Buffer.from(secrets[0] ?? '')]));
    expect(await judge('no-secrets', ['data.bin'])).toMatchObject({ verdict: 'fail' });
  });
});

describe('diff-size', () => {
  it('counts lines of changed, new and deleted files since the base, commits included', async () => {
    write('old', 'x\n'.repeat(30));
    base = commit();
    rmSync(join(top, 'old'));
    write('committed', 'x\n'.repeat(20));
    commit();
    write('new', 'x\n'.repeat(10));
    const { tail, verdict } = await judge('diff-size', ['new']);
    expect(verdict).toBe('pass');
    expect(tail).toMatch(/^3 files .*, 60 lines/);
    expect(await judge('diff-size', ['new'], { DIFF_SIZE_LINES: '59' })).toMatchObject({
      verdict: 'fail',
    });
    expect(await judge('diff-size', ['new'], { DIFF_SIZE_FILES: '2' })).toMatchObject({
      verdict: 'fail',
    });
    expect(await judge('diff-size', ['new'], { DIFF_SIZE_FILES: 'x' })).toMatchObject({
      verdict: 'error',
    });
  });

  it('does not count lock files and binaries', async () => {
    write('sub/package-lock.json', 'x\n'.repeat(9000));
    write('picture', Buffer.alloc(100_000));
    expect((await judge('diff-size', ['picture'])).tail).toMatch(/^1 files .* 0 lines/);
  });
});

describe('no-debug-leftovers', () => {
  /** Spelt in two: data for the gate to find, and no test of ours is singled out. */
  const only = 'only';
  const leftovers: Readonly<Record<string, string>> = {
    'a.ts': '  debugger;',
    'b.test.ts': `it.${only}('adds', () => {})`,
    'c.spec.js': "  fdescribe('sum', () => {",
    'd.py': 'x = 1; breakpoint()',
    'e.py': 'import pdb; pdb.set_trace()',
    'f.rb': '  binding.pry',
    'g.rs': '    let a = dbg!(b);',
    'h.php': '  var_dump($x);',
    'i.go': '\tspew.Dump(x)',
    'j.java': '// TODO REMOVE before the release',
    'k with blank.sh': 'set -x # DO NOT COMMIT',
  };

  it('rejects each kind in a new file, with its line', async () => {
    for (const [path, text] of Object.entries(leftovers)) write(path, `\n${text}\n`);
    const { verdict, tail } = await judge('no-debug-leftovers', Object.keys(leftovers));
    expect(verdict).toBe('fail');
    for (const [path, text] of Object.entries(leftovers))
      expect(tail).toContain(`${path}:2:1: error: left over from debugging: ${text.trim()}`);
  });

  it('is not bothered by prints, comments, names, texts, prose, and what stood there before', async () => {
    write('old.ts', 'debugger;\n');
    base = commit();
    write('old.ts', '// new\ndebugger;\n');
    write(
      'a.ts',
      'console.log(1);\n// debugger;\nterm.fit(a);\nfit(model);\nconst s = "debugger;";\n',
    );
    write('b.py', 'print(1)\n# breakpoint()\nmy_breakpoint()\ns = "breakpoint()"\n');
    write('c.rs', 'println!("{}", 1); // dbg!(x)\n');
    write('d.md', 'DO NOT COMMIT a `debugger;`\n');
    const { verdict, tail } = await judge('no-debug-leftovers', ['old.ts', 'a.ts']);
    expect([verdict, tail]).toEqual(['pass', '']);
  });

  it('takes one more pattern, and paths to leave out', async () => {
    write('src/a.ts', 'console.log(1);\n++ b/src/b.ts\n');
    write('tools/a.ts', 'debugger;\n');
    const { verdict, tail } = await judge('no-debug-leftovers', [], {
      DEBUG_LEFTOVERS_ALSO: String.raw`console\.log`,
      DEBUG_LEFTOVERS_EXCEPT: '^tools/',
    });
    expect(verdict).toBe('fail');
    expect(tail).toMatch(/^src\/a\.ts:1:1: .*console\.log\(1\);\nTake these out/);
  });
});
