import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toByteName } from '../../../src/git/byte-name.ts';
import { noteCall } from '../../../src/git/call-notes.ts';
import { openKeeper } from '../../../src/git/keeper.ts';
import { openWorkspace } from '../../../src/git/workspace.ts';
import { openSqliteLedger } from '../../../src/ledger/sqlite-ledger.ts';
import { makeUserRepository } from '../../support/user-repository.ts';
import type { Ended, UserRepository } from '../../support/user-repository.ts';

/** Lock files of git: those of a git of ours that was killed are cleared, another's are waited for and left alone. */

let repository: UserRepository;
beforeEach(() => {
  repository = makeUserRepository();
  repository.write('PLAN.md', '- [ ] One {#one}\n- [ ] Two {#two}\n');
  repository.write('gates/check.sh', '#!/bin/sh\nexit 0\n');
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=project');
});
afterEach(() => {
  repository.remove();
});

const agent = '#!/bin/sh\ncat > /dev/null; echo done > "$SKELETON_TASK_ID.txt"\n';
const inGit = (...parts: readonly string[]): string => join(repository.top, '.git', ...parts);
const commandLine = (): readonly string[] => [
  ...['run', '--limit', '1', '--agent-command'],
  repository.agent(agent),
];
const locksLeft = (): string =>
  execFileSync('find', [inGit(), '-name', '*.lock', '-o', '-name', 'packed-refs.new'], {
    encoding: 'utf8',
  });
/** Our own folder for this work tree. */
async function stateOf(): Promise<string> {
  const { id } = await openWorkspace({ cwd: repository.top });
  const state = inGit('skeleton/worktrees', id);
  mkdirSync(state, { recursive: true });
  return state;
}

async function clear(): Promise<readonly string[]> {
  const said: string[] = [];
  const keeper = await openKeeper({ cwd: repository.top });
  await keeper.clearLocks((message) => Promise.resolve(void said.push(message)));
  return said;
}

function writeOldLock(path: string, content: string): void {
  writeFileSync(path, content);
  utimesSync(path, new Date(0), new Date(0));
}

/**
 * A `git` before git: at the nth call of a command it leaves the locks that a real one would hold, ends its parent, the loop, with
 * KILL, and then itself. Where it lies in the path is what it gives.
 */
function killingGit(command: string, locks: readonly string[]): string {
  const bin = join(repository.outside, 'bin');
  mkdirSync(bin, { recursive: true });
  const made = locks.map((lock) => `: > "${inGit(lock)}"`).join('; ');
  const done = join(repository.outside, 'done');
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh
case "$*" in *'${command}'*) if ! [ -e "${done}" ]; then : > "${done}"
${made === '' ? ':' : made}
case "$GIT_INDEX_FILE" in */no-index|'') ;; *) : > "$GIT_INDEX_FILE.lock";; esac
kill -9 $PPID $$; fi;; esac
PATH="${process.env['PATH'] ?? ''}" exec git "$@"
`,
    { mode: 0o755 },
  );
  return `${bin}:${process.env['PATH'] ?? ''}`;
}

describe('a lock of a git of ours that was killed with the loop', () => {
  test.each([
    [
      'update-ref -m skeleton: checkpoint',
      ['HEAD.lock', 'packed-refs.lock', 'packed-refs.new', 'refs/heads/main.lock'],
    ],
    ['write-tree', []],
  ])('in the middle of %s is removed and said, and the run carries on', async (command, locks) => {
    const killed = repository.start(commandLine(), { PATH: killingGit(command, locks) });
    expect((await killed.ended).status).toBeNull();
    expect(locksLeft()).not.toBe('');
    const end = await repository.run(...commandLine());
    expect([end.status, end.stderr]).toEqual([
      0,
      expect.stringMatching(/\.lock.* (?:was|were) left by a git of ours that was killed: removed/),
    ]);
    expect(locksLeft()).toBe('');
    expect(repository.git('tag', '--list', 'skeleton/plan/*-one').split('\n')).toHaveLength(1);
  });

  test('while it wrote the index of the user is known by its inode', async () => {
    const ours = join(await stateOf(), 'user-index');
    writeFileSync(ours, readFileSync(inGit('index')));
    linkSync(ours, inGit('index.lock'));
    expect(await clear()).toEqual([
      expect.stringContaining('index.lock was left by a git of ours'),
    ]);
    expect(locksLeft()).toBe('');
  });

  test('is not confused with one that stood before the call, or that says something else', async () => {
    const state = toByteName(await stateOf());
    const [branch, head] = [inGit('refs/heads/main.lock'), inGit('HEAD.lock')];
    writeOldLock(head, '');
    const [ours, theirs] = ['1'.repeat(40), '2'.repeat(40)];
    const call = { state, gitDir: inGit(), index: undefined, env: {} };
    const args = ['update-ref', '--stdin', '-z'];
    const input = `update refs/heads/main\0${ours}\0\0`;
    noteCall({ ...call, args, input })?.close(false);
    writeOldLock(branch, `${theirs}\n`);
    await expect(clear()).rejects.toMatchObject({ status: 3 });
    expect(existsSync(head) && readFileSync(branch, 'utf8')).toBe(`${theirs}\n`);

    rmSync(head);
    noteCall({ ...call, args, input })?.close(false);
    writeOldLock(branch, `${ours}\n`);
    await expect(clear()).rejects.toMatchObject({ status: 3 });
    rmSync(branch);
    noteCall({ ...call, args, input })?.close(false);
    writeOldLock(branch, `${ours}\n`);
    expect(await clear()).toEqual([expect.stringContaining('main.lock was left by a git of ours')]);
  });

  test('is not looked for while its call goes on, or after one that ended by itself', async () => {
    const state = toByteName(await stateOf());
    const args = ['update-ref', '--no-deref', 'HEAD', '1'.repeat(40)];
    const call = { state, gitDir: inGit(), index: undefined, input: undefined, env: {}, args };
    const goesOn = noteCall(call);
    noteCall(call)?.close(true);
    writeOldLock(inGit('HEAD.lock'), '');
    await expect(clear()).rejects.toMatchObject({ status: 3 });
    goesOn?.close(true);
  });
});

test('what a killed loop left running of its git is ended before anything is touched', async () => {
  const bin = join(repository.outside, 'slow');
  const pidFile = join(repository.outside, 'pid');
  repository.write(
    '../outside/slow/git',
    `#!/bin/sh
case "$*" in *write-tree*) echo $$ > "${pidFile}"; kill -9 $PPID; exec sleep 60;; esac
PATH="${process.env['PATH'] ?? ''}" exec git "$@"
`,
  );
  const killed = repository.start(commandLine(), { PATH: `${bin}:${process.env['PATH'] ?? ''}` });
  expect((await killed.ended).status).toBeNull();
  const pid = Number(readFileSync(pidFile, 'utf8'));
  expect(() => process.kill(pid, 0)).not.toThrow();
  expect((await repository.run(...commandLine())).status).toBe(0);
  // Ended it is; the system takes it out of its table a moment later.
  await expect.poll(() => isListed(pid), { timeout: 5000 }).toBe(false);
});

function isListed(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const everyLock = [
  'index.lock',
  'HEAD.lock',
  'config.lock',
  'packed-refs.lock',
  'packed-refs.new',
  'refs/heads/main.lock',
  'refs/tags/v1.lock',
];

describe("another's lock", () => {
  test('of any kind that goes away is waited for', async () => {
    const keeper = await openKeeper({ cwd: repository.top });
    for (const name of everyLock) writeFileSync(inGit(name), '');
    setTimeout(() => {
      for (const name of everyLock) rmSync(inGit(name));
    }, 200);
    await keeper.clearLocks(() => Promise.resolve());
    expect(everyLock.filter((name) => existsSync(inGit(name)))).toEqual([]);
  });

  test.each(everyLock)('%s that stays is refused with 3, and nothing is touched', async (name) => {
    const lock = inGit(name);
    writeFileSync(lock, 'theirs');
    utimesSync(lock, new Date(0), new Date(0));
    const head = repository.git('rev-parse', 'HEAD');
    const keeper = await openKeeper({ cwd: repository.top });
    const refused = keeper.clearLocks(() => Promise.resolve());
    await expect(refused).rejects.toMatchObject({ status: 3 });
    await expect(refused).rejects.toThrow(name);
    expect(readFileSync(lock, 'utf8')).toBe('theirs');
    expect(repository.git('rev-parse', 'HEAD')).toBe(head);
  });

  test.each(['gc.pid', 'objects/maintenance.lock', 'shallow.lock.txt', 'logs/HEAD.lock'])(
    '%s hinders nobody',
    async (name) => {
      writeFileSync(inGit(name), '');
      const keeper = await openKeeper({ cwd: repository.top });
      await expect(keeper.clearLocks(() => Promise.resolve())).resolves.toBeUndefined();
      expect(existsSync(inGit(name))).toBe(true);
    },
  );

  test('is said while it is waited for, and its holder is named where it lives', async () => {
    const holder = spawn('bash', ['-c', 'exec -a git sleep 60'], { cwd: repository.top });
    try {
      const lock = inGit('index.lock');
      writeFileSync(lock, '');
      setTimeout(() => rmSync(lock), 1500);
      const said: string[] = [];
      const keeper = await openKeeper({ cwd: repository.top });
      await keeper.clearLocks(async (message) => {
        said.push(message);
        await sleep(0);
      });
      expect(said).toEqual([expect.stringMatching(/^waiting for another git.*index\.lock$/)]);
    } finally {
      holder.kill('SIGKILL');
    }
  });
});

describe('before the first run of a plan', () => {
  /** Runs a command while a lock stands, which goes when it has said that it waits. */
  async function runBehind(lock: string, args: readonly string[]): Promise<Ended> {
    writeFileSync(inGit(lock), '');
    const { child, ended } = repository.start(args);
    child.stderr?.on('data', (said: string) => {
      if (said.includes('waiting for another git')) rmSync(inGit(lock));
    });
    const end = await ended;
    expect([existsSync(inGit(lock)), end.stderr]).toEqual([false, end.stderr]);
    return end;
  }

  test.each([
    ['index.lock', 'run'],
    ['refs/heads/main.lock', 'run'],
    ['config.lock', 'take'],
  ])('%s of another git is waited for by %s', async (lock, command) => {
    if (command === 'take') repository.write('by-hand', '');
    const args = command === 'run' ? commandLine() : ['take', 'one'];
    expect(await runBehind(lock, args)).toMatchObject({ status: 0 });
  });

  test('what is told gives no name to a plan that is not there', async () => {
    const args = ['take', 'one', '--plan', 'docs/none.md'];
    expect(await runBehind('HEAD.lock', args)).toMatchObject({ status: 2 });
    const ledger = await openSqliteLedger(inGit('skeleton/ledger.db'), { readOnly: true });
    expect([...(await ledger.plans())]).toEqual([]);
    await ledger.close();
  });
});

describe('git gc', () => {
  beforeEach(() => {
    mkdirSync(inGit('skeleton'), { recursive: true });
  });
  const gc = (): string => {
    try {
      return repository.git('gc', '--quiet', '--prune=now');
    } catch (error) {
      return String(error);
    }
  };

  test('of others is kept away while we work, and only so long', async () => {
    const keeper = await openKeeper({ cwd: repository.top });
    const end = await keeper.holdGc(() => Promise.resolve());
    expect(gc()).toContain('gc is already running');
    end();
    expect(gc()).toBe('');
    expect(existsSync(inGit('gc.pid'))).toBe(false);
  });

  test('is kept away by one of two runs, and the other does not wait for it', async () => {
    const keeper = await openKeeper({ cwd: repository.top });
    const end = await keeper.holdGc(() => Promise.resolve());
    const began = performance.now();
    (await keeper.holdGc(() => Promise.resolve()))();
    expect(performance.now() - began).toBeLessThan(9000);
    expect(gc()).toContain('gc is already running');
    end();
    expect(gc()).toBe('');
  });

  test('is kept away by us anew where the process that did so is dead', async () => {
    writeFileSync(inGit('gc.pid'), `${2 ** 22 + 1} ${execFileSync('hostname').toString().trim()}`);
    const keeper = await openKeeper({ cwd: repository.top });
    (await keeper.holdGc(() => Promise.resolve()))();
    expect(existsSync(inGit('gc.pid'))).toBe(false);
  });

  test('and packing of refs in an endless loop beside it disturb no run', async () => {
    const loop = spawn(
      'sh',
      ['-c', 'while :; do git gc --quiet --prune=now; git pack-refs --all; done'],
      {
        cwd: repository.top,
        stdio: 'ignore',
      },
    );
    try {
      expect(await repository.run(...commandLine())).toMatchObject({ status: 0 });
    } finally {
      loop.kill('SIGKILL');
      await sleep(300);
    }
    expect(repository.git('fsck', '--no-dangling', '--no-progress')).toBe('');
  });
});
