import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Event } from '../../src/core/events.ts';
import { openPostgres, type OpenPostgres } from '../../src/ledger/postgres/open-postgres.ts';
import { readRunOption } from '../../src/index.ts';
import { attemptStarted, runStarted } from '../support/history.ts';
import { openPostgresLab, type PostgresLab } from '../support/postgres-lab.ts';
import { makeUserRepository } from '../support/user-repository.ts';
import type { Ended, UserRepository } from '../support/user-repository.ts';

/** How a person reaches a ledger that several machines share: where it is said to be, who is seen at work, what is refused, what is never shown. */

const PLAN =
  '- [ ] One {#one}\n- [ ] Two {#two}\n  needs: one\n- [ ] Three {#three}\n  needs: none\n';
let lab: PostgresLab;
let url: string;
let repository: UserRepository;
let worker: OpenPostgres;

beforeAll(async () => {
  lab = await openPostgresLab();
  url = await lab.database();
  repository = makeUserRepository();
  repository.write('PLAN.md', PLAN);
  repository.write('gates/check.sh', '#!/bin/sh\nexit 0\n');
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=project');
  const project = repository.git('rev-list', '--max-parents=0', 'HEAD');
  const who = { host: 'machine-7', pid: 4711, run: 'run-7' };
  worker = await openPostgres(url, { project, worker: who });
  await worker.claims.join('plan', ['one', 'two', 'three']);
  await worker.ledger.addPlan('plan', 'PLAN.md');
  await write('', { ...runStarted(), options: { host: 'machine-7' } } as Event, undefined);
});
afterAll(async () => {
  await worker.close();
  repository.remove();
  await lab.close();
});

async function write(task: string, event: Event, after: number | undefined): Promise<void> {
  await worker.ledger.append({ run: 'run-7', plan: 'plan', task, event }, after);
}

/** With the ledger in the environment. */
function there(...args: readonly string[]): Promise<Ended> {
  return repository.start(args, { SKELETON_LEDGER: url }).ended;
}

function base(): string {
  return repository.git('rev-parse', 'HEAD');
}

async function begin(task: string): Promise<{ readonly release: () => Promise<void> }> {
  const claim = await worker.claims.claim('plan', [task]);
  if (claim === undefined) throw new Error(`${task} is held`);
  await write(task, { ...attemptStarted(1), base: base(), attempts: 1 } as Event, 0);
  return claim;
}

describe('who works on what', () => {
  test('a task that is held is under way, on which machine and since when; let go, it is interrupted', async () => {
    const claim = await begin('three');
    const text = await there('status');
    expect(text.stderr).toBe('');
    expect(text.stdout).toContain('under way: three');
    expect(text.stdout).toMatch(
      /three +under way: attempt 1\/1 on machine-7 \(process 4711\) since/,
    );
    const { tasks, ledger } = JSON.parse((await there('status', '--json')).stdout) as {
      readonly tasks: readonly { readonly id: string; readonly holder: object | null }[];
      readonly ledger: string;
    };
    expect(ledger).toMatch(/^postgres:\/\/\w+@[\d.]+:\d+\/skeleton_test_\w+$/);
    expect(tasks.find(({ id }) => id === 'three')?.holder).toEqual({
      ...{ host: 'machine-7', pid: 4711, run: 'run-7' },
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
    });
    expect(tasks.find(({ id }) => id === 'one')?.holder).toBeNull();
    await claim.release();
    expect((await there('status')).stdout).toMatch(
      /three +interrupted: nobody works on attempt 1\/1/,
    );
  });

  test('the file in the repository is another ledger, and none is made by looking', async () => {
    const own = await repository.run('status');
    expect(own.stdout).toContain('no run yet');
    const local = await there('status', '--ledger', 'local');
    expect(local.stdout.replace(' --ledger local', '')).toBe(own.stdout);
  });
});

describe('dead letters', () => {
  test('a task that failed for good, why, where, what waits, what to type', async () => {
    const claim = await begin('one');
    await write(
      'one',
      { type: 'attempt.rejected', failure: { kind: 'gate-failed', gates: ['check.sh'] } },
      1,
    );
    const snapshot = { ref: 'refs/skeleton/attempts/plan/one/1', commit: base() };
    await write('one', { type: 'rollback.done', snapshot }, 2);
    await write('one', { type: 'task.finished', state: 'failed' }, 3);
    await claim.release();
    const two = await worker.claims.claim('plan', ['two']);
    await write('two', { type: 'task.finished', state: 'blocked', why: 'one failed' }, 0);
    await two?.release();
    const { status, stdout } = await there('status', '--failed');
    expect(status).toBe(0);
    expect(stdout).toContain('PLAN.md: 1 task failed for good; 1 waits for that');
    expect(stdout).toMatch(
      /failed {2}\d{4}-\d\d-\d\d \d\d:\d\d UTC, after 1 attempt: rejected by check\.sh/,
    );
    expect(stdout).toContain('by      run run-7 on machine-7');
    expect(stdout).toContain('waits   two');
    expect(stdout).toContain('look    skeleton show one#1');
    expect(stdout).toContain('to begin them anew: skeleton run --remote origin');
    const [line = ''] = (await there('status', '--failed', '--json')).stdout.split('\n');
    expect(JSON.parse(line)).toMatchObject({
      ...{ task: 'one', title: 'One', attempts: 1, last: 1, run: 'run-7', host: 'machine-7' },
      ...{ why: 'rejected by check.sh', waiting: ['two'], anew: 'skeleton run --remote origin' },
    });
  });

  test('where nothing failed, that is said', async () => {
    const { status, stdout } = await repository.run('status', '--failed');
    expect([status, stdout]).toEqual([0, 'PLAN.md: no task has failed for good\n']);
  });
});

describe('from a clone that has never run', () => {
  test('log, show and report work; what is not here is said, not failed about', async () => {
    expect((await there('log')).stdout).toContain('one#1');
    const show = await there('show', 'one#1');
    expect([show.status, show.stdout]).toEqual([
      0,
      expect.stringContaining('(not here: kept on machine-7, in the clone of its run)'),
    ]);
    const html = await there('report', '--format', 'html');
    expect([html.status, html.stderr]).toEqual([0, '']);
    expect(html.stdout).toContain('check.sh');
    const verify = await there('verify');
    expect([verify.status, verify.stderr]).toEqual([
      3,
      expect.stringContaining('skeleton verify NAME     verifies one that HEAD does not contain'),
    ]);
    const elsewhere = repository.git('commit-tree', 'HEAD^{tree}', '-m', 'a checkpoint elsewhere');
    repository.git('tag', 'skeleton/plan/0001-one', elsewhere);
    expect((await there('verify')).stderr).toContain('skeleton verify skeleton/plan/0001-one ');
    repository.git('tag', '-d', 'skeleton/plan/0001-one');
    expect((await there('gc', '--dry-run')).status).toBe(0);
    const restored = await there('restore', 'one#1');
    expect([restored.status, restored.stderr]).toEqual([0, '']);
    expect(restored.stdout).toContain('skeleton-restore/plan/one/1');
  });

  test('an attempt that is kept elsewhere: where, and how what was given to the remote is got', async () => {
    const own = await lab.database();
    const project = repository.git('rev-list', '--max-parents=0', 'HEAD');
    const who = { host: 'machine-8', pid: 4712, run: 'run-8' };
    const mate = await openPostgres(own, { project, worker: who });
    const ref = 'refs/skeleton/attempts/plan/one/1';
    const elsewhere = 'e'.repeat(40);
    const events: readonly Event[] = [
      { ...attemptStarted(1), base: base(), attempts: 1 } as Event,
      { type: 'attempt.voided', why: 'ahead' },
      { type: 'rollback.done', snapshot: { ref, commit: elsewhere } },
    ];
    await mate.ledger.restore(
      { slug: 'plan', path: 'PLAN.md' },
      {
        highest: 0,
        entries: [
          { task: '', event: { ...runStarted(), options: { host: who.host } } as Event },
          ...events.map((event) => ({ task: 'one', event })),
        ].map((entry) => ({ ...entry, run: who.run, at: '2026-01-01T00:00:00.000Z' })),
      },
    );
    await mate.close();
    const restore = async (): Promise<Ended> =>
      repository.start(['restore', 'one#1'], { SKELETON_LEDGER: own }).ended;
    const far = await restore();
    expect([far.status, far.stderr]).toEqual([3, expect.stringContaining('kept on machine-8')]);
    expect(far.stderr).toContain(`git fetch origin ${ref}:${ref}`);
    const text = `passed\n\nSkeleton-Snapshot: ${elsewhere}`;
    const given = repository.git('commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', text);
    repository.git('update-ref', ref, given);
    const near = await restore();
    repository.git('update-ref', '-d', ref);
    expect([near.status, near.stderr]).toEqual([0, '']);
    repository.git('branch', '-D', 'skeleton-restore/plan/one/1');
  });
});

test('a report is of all that worked together, and of one where it is named', async () => {
  const event = { ...runStarted(), options: { host: 'machine-9' } } as Event;
  await worker.ledger.append({ run: 'run-9', plan: 'plan', task: '', event }, undefined);
  const all = await there('report');
  expect(all.stdout).toMatch(/2 runs together: .*run-7 on machine-7.*run-9 on machine-9/);
  expect(all.stdout).toMatch(/one.*rejected by check\.sh/);
  expect((await there('report', '--run', 'run-9')).stdout).toContain('No task was begun.');
  const data = JSON.parse((await there('report', '--format', 'json')).stdout) as {
    readonly runs: readonly { readonly run: string }[];
  };
  expect(data.runs.map(({ run }) => run).sort()).toEqual(['run-7', 'run-9']);
});

test('what to type next has the remote, unless the user’s file names it', async () => {
  const cwd = repository.top;
  const env = { PATH: process.env['PATH'], HOME: repository.outside };
  expect(await readRunOption({ cwd, env: { ...env, SKELETON_LEDGER: url } })).toBe(
    ' --remote origin',
  );
  expect(await readRunOption({ cwd, env })).toBe('');
});

describe('where it is said to be', () => {
  test('a flag beats the variable, which beats the user’s file', async () => {
    const config = join(repository.outside, 'config');
    mkdirSync(join(config, 'skeleton'), { recursive: true });
    writeFileSync(join(config, 'skeleton/config.yml'), `ledger: ${url}\nremote: origin\n`);
    const env = { XDG_CONFIG_HOME: config };
    expect((await repository.start(['log'], env).ended).stdout).toContain('one#1');
    const local = { ...env, SKELETON_LEDGER: 'local' };
    expect((await repository.start(['log'], local).ended).stdout).not.toContain('one#1');
    const flagged = await repository.start(['log', '--ledger', url], local).ended;
    expect(flagged.stdout).toContain('one#1');
    writeFileSync(join(config, 'skeleton/config.yml'), 'ledger: mysql://u:s3cr3t-Pass@h/d\n');
    const wrong = await repository.start(['log'], env).ended;
    expect([wrong.status, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toMatch(
      /config\.yml:1: `ledger`: expected postgres:\/\/USER@HOST\/DATABASE/,
    );
    expect(wrong.stderr).not.toContain('s3cr3t-Pass');
  });

  test.each([
    ['mysql://u:s3cr3t-Pass@h/d', 'mysql:// is not known'],
    ['/var/lib/ledger.db', 'it is no address'],
    ['postgres://u:s3cr3t@Pass@h/d', 'cannot be read'],
  ])('%s is refused with what is understood', async (wrong, why) => {
    for (const args of [
      ['status', '--ledger', wrong],
      ['run', `--ledger=${wrong}`, '--remote', 'o'],
    ]) {
      const { status, stdout, stderr } = await repository.run(...args);
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toContain(why);
      expect(stderr).toContain('postgres://USER@HOST/DATABASE');
      expect(stderr).not.toMatch(/s3cr3t/);
    }
  });

  test.each(['ledger: postgres://h/d', 'remote: origin'])(
    '%s is not for a repository to say',
    async (line) => {
      const other = makeUserRepository();
      try {
        other.write('.skeleton.yml', `${line}\n`);
        other.write('PLAN.md', `---\n${line}\n---\n${PLAN}`);
        const { status, stderr } = await other.run('run', '--agent-command', 'true');
        expect(status).toBe(2);
        const name = line.split(':')[0] ?? '';
        for (const file of ['.skeleton.yml:1', 'PLAN.md:2'])
          expect(stderr).toContain(
            `${file}: unknown key \`${name}\` here: it belongs in the user's own file (a repository does not choose where history and code go)`,
          );
      } finally {
        other.remove();
      }
    },
  );
});

describe('what is refused', () => {
  test('a shared ledger without a remote, and a remote without one', async () => {
    const run = ['run', '--agent-command', 'true'];
    const alone = await there(...run);
    expect([alone.status, alone.stderr]).toEqual([2, expect.stringContaining('name the remote')]);
    const code = await repository.run(...run, '--remote', 'origin');
    expect([code.status, code.stderr]).toEqual([2, expect.stringContaining('share a ledger')]);
  });

  test('take and undo, with what to do instead', async () => {
    const take = await there('take', 'one');
    expect([take.status, take.stdout]).toEqual([2, '']);
    expect(take.stderr).toContain("with the task's box ticked in PLAN.md, and push it");
    const undo = await there('undo');
    expect([undo.status, undo.stdout]).toEqual([2, '']);
    expect(undo.stderr).toContain('git revert CHECKPOINT && git push origin HEAD:skeleton/plan');
    for (const { stderr } of [take, undo])
      expect(stderr).toContain('git fetch origin skeleton/plan && git switch --detach FETCH_HEAD');
  });

  test('a server that is not there: 3, where it is, and no password', async () => {
    const gone = 'postgres://u:s3cr3t-Pass@127.0.0.1:1/d';
    const env = { SKELETON_LEDGER: gone, SKELETON_LEDGER_PATIENCE: '1s' };
    const { status, stderr } = await repository.start(['status'], env).ended;
    expect(status).toBe(3);
    expect(stderr).toContain('the ledger postgres://u@127.0.0.1:1/d cannot be reached');
    expect(stderr).not.toContain('s3cr3t');
  });
});

describe('doctor', () => {
  test('server, schema, grants and remote', async () => {
    const bare = join(repository.outside, 'the remote.git');
    execFileSync('git', ['init', '--quiet', '--bare', bare]);
    repository.git('remote', 'add', 'origin', bare);
    const text = (await there('doctor', '--remote', 'origin')).stdout;
    expect(text).toMatch(
      /ok +ledger: postgres:\/\/\w+@[\d.]+:\d+\/\w+, shared; PostgreSQL \d+\.\d+ answers within \d+ ms/,
    );
    expect(text).toMatch(/ok +schema: 1/);
    expect(text).toMatch(/ok +grants: \w+ may do all that a run needs/);
    expect(text).toMatch(
      /ok +remote: origin can be read, and answers a push that changes nothing; its hooks/,
    );
    const nowhere = await there('doctor', '--remote', 'nowhere');
    expect(nowhere.status).toBe(3);
    expect(nowhere.stdout).toMatch(/problem +remote: .*nowhere/);
  });

  test('a role that may not do all is told what it lacks', async () => {
    const client = new Client({ connectionString: url });
    await client.connect();
    const role = `reader_${process.pid}`;
    await client.query(`create role ${role} login password 'pw-Of-A-reader-1'`);
    await client.query(`grant usage on schema skeleton to ${role}`);
    await client.query(`grant select on all tables in schema skeleton to ${role}`);
    const own = new URL(url);
    own.username = role;
    own.password = 'pw-Of-A-reader-1';
    try {
      const env = { SKELETON_LEDGER: own.href };
      const { status, stdout } = await repository.start(['doctor'], env).ended;
      expect(status).toBe(3);
      expect(stdout).toMatch(/problem +grants: .* insert on skeleton\.event/);
      const seen = await repository.start(['status', '--failed'], env).ended;
      expect([seen.status, seen.stderr]).toEqual([0, '']);
      const words = ['run', '--remote', 'origin', '--agent-command', 'true'];
      own.searchParams.set('project', 'new-to-the-ledger');
      const run = await repository.start(words, { SKELETON_LEDGER: own.href }).ended;
      expect([run.status, run.stderr]).toEqual([3, expect.stringContaining('permission denied')]);
    } finally {
      await client.query(`drop owned by ${role}; drop role ${role}`);
      await client.end();
    }
  });
});

describe('where the ledger is stays with us', () => {
  const password = 'hunter2-Of-The-Ledger';
  const env = { SKELETON_LEDGER: `postgres://u:${password}@127.0.0.1:1/d` };
  const plan = `---
setup: env > "$HOME/setup.env"
notify: env > "$HOME/notify.env"
---
- [ ] One {#one}
`;

  test('neither agent nor gate, set-up or whoever is told has the variable', async () => {
    const other = makeUserRepository();
    try {
      other.write('PLAN.md', plan);
      other.write('gates/check.sh', '#!/bin/sh\nenv > "$HOME/gate.env"\n');
      const script = '#!/bin/sh\ncat > /dev/null; env > "$HOME/agent.env"; echo x > x.txt\n';
      const args = ['run', '--ledger', 'local', '--agent-command', other.agent(script)];
      const home = { HOME: other.outside, XDG_CONFIG_HOME: join(other.outside, 'config') };
      const { status, stderr } = await other.start(args, { ...env, ...home }).ended;
      expect([status, stderr]).toEqual([0, expect.stringContaining('exit 0')]);
      for (const step of ['setup', 'notify', 'gate', 'agent']) {
        const seen = readFileSync(join(other.outside, `${step}.env`), 'utf8');
        expect(seen, step).toContain('SKELETON_PLAN=PLAN.md');
        expect(seen, step).not.toMatch(/SKELETON_LEDGER|hunter2/);
      }
    } finally {
      other.remove();
    }
  });

  test('a step that knows the password all the same prints it nowhere', async () => {
    const other = makeUserRepository();
    try {
      other.write('PLAN.md', '- [ ] One {#one}\n');
      other.write('gates/check.sh', `#!/bin/sh\necho "it is ${password}"; exit 1\n`);
      for (const args of [['gate'], ['gate', '--json']]) {
        const { status, stdout, stderr } = await other.start(args, env).ended;
        expect(status).toBe(1);
        expect(stdout + stderr).toContain('[masked SKELETON_LEDGER]');
        expect(stdout + stderr).not.toContain('hunter2');
      }
      const found = spawnSync('grep', ['-rl', 'hunter2', join(other.top, '.git')]);
      expect(found.stdout.toString()).toBe('');
    } finally {
      other.remove();
    }
  });

  test('not even a command that is mistyped repeats it', async () => {
    const flag = `--ledgr=${env.SKELETON_LEDGER}`;
    for (const args of [
      ['status', flag],
      ['status', '--ledger', env.SKELETON_LEDGER, '--nonsense'],
    ]) {
      const { status, stdout, stderr } = await repository.run(...args);
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).not.toContain('hunter2');
    }
  });
});

test('a run with others: its password is in no log, event or report; --once does it once', async () => {
  const one = makeUserRepository();
  try {
    const own = await lab.database();
    const { password } = new URL(own);
    one.write('PLAN.md', '- [ ] One {#one}\n');
    one.write('gates/check.sh', `#!/bin/sh\necho "it is ${password}"\n`);
    one.git('add', '--all');
    one.git('commit', '--quiet', '--message=project');
    const bare = join(one.outside, 'the remote.git');
    execFileSync('git', ['init', '--quiet', '--bare', bare]);
    one.git('remote', 'add', 'origin', bare);
    const agent = one.agent(
      `#!/bin/sh\ncat > /dev/null; env > ../outside/agent.env; echo "${password}"; echo x > x.txt\n`,
    );
    const args = ['run', '--remote', 'origin', '--once', '--verbose', '--agent-command', agent];
    const bareUrl = new URL(own);
    bareUrl.password = '';
    const env = { SKELETON_LEDGER: bareUrl.href, PGPASSWORD: password };
    const first = await one.start(args, env).ended;
    expect([first.status, first.stderr]).toEqual([0, expect.stringContaining('1 passed')]);
    const seen = readFileSync(join(one.outside, 'agent.env'), 'utf8');
    expect(seen).not.toMatch(/SKELETON_LEDGER|PGPASSWORD/);
    const again = await one.start(args, env).ended;
    expect([again.status, again.stdout]).toEqual([0, expect.stringContaining('(--once)')]);
    const data = await one.start([...args, '--json'], env).ended;
    expect(JSON.parse(data.stdout)).toEqual({
      ...{ type: 'nothing-to-do', status: 0, why: 'done before' },
    });
    const status = await one.start(['status'], env).ended;
    expect(status.stdout).toContain('1 of 1 passed');
    const report = await one.start(['report', '--format', 'html'], env).ended;
    for (const { stdout, stderr } of [first, again, status, report])
      expect(stdout + stderr).not.toContain(password);
    const kept = spawnSync('grep', ['-rl', password, join(one.top, '.git')]);
    expect(kept.stdout.toString()).toBe('');
    expect(await holding(own, password)).toBe(0);
  } finally {
    one.remove();
  }
});

/** How many events of a ledger hold a text. */
async function holding(own: string, text: string): Promise<number> {
  const client = new Client({ connectionString: own });
  await client.connect();
  try {
    const sql = 'select count(*)::int as found from skeleton.event where strpos(body, $1) > 0';
    const { rows } = await client.query<{ readonly found: number }>(sql, [text]);
    return rows[0]?.found ?? -1;
  } finally {
    await client.end();
  }
}
