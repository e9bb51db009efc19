import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { nightly } from '../support/nightly.ts';
import { openPostgresServer, type PostgresServer } from '../support/postgres-lab.ts';
import { complaintsOf } from '../support/team-audit.ts';
import { makeTeamLab, until, type TeamLab, type TeamMachine } from '../support/team-lab.ts';

let server: PostgresServer;
let lab: TeamLab;
beforeAll(async () => {
  server = await openPostgresServer();
});
afterEach(async () => lab.remove());
afterAll(async () => server.close());

/** Stays until it is let go. */
const edits = 'until test -e "$OUTSIDE/go"; do sleep 0.05; done';
const letGo = (): void => writeFileSync(join(lab.outside, 'go'), '');
const text = (words: string): string => expect.stringContaining(words) as string;

async function makeLab(): Promise<TeamMachine> {
  lab = makeTeamLab(await server.database(), [
    { id: 'a' },
    { id: 'b', needs: ['a'], edits },
    { id: 'c', needs: ['b'] },
  ]);
  return lab.machine('one');
}

const atWork = async (task: string): Promise<void> =>
  until(`an agent for ${task}`, () => lab.calls().some((line) => line.startsWith(`${task} `)));

async function expectWhole(machine: TeamMachine, calls: number): Promise<void> {
  expect(await complaintsOf(lab, [machine])).toEqual([]);
  expect(lab.calls()).toHaveLength(calls);
}

describe('the database is away', () => {
  test('for some seconds, in the midst of a task: nothing is done again', async () => {
    const one = await makeLab();
    const run = one.start();
    await atWork('b');
    await server.stop('immediate');
    letGo();
    await sleep(3000);
    await server.start();
    const { status, stderr } = await run.ended;
    expect({ status, stderr }).toMatchObject({ status: 0 });
    await expectWhole(one, 3);
  });

  test('for good: 3, what was made is kept here, and told; later it goes on', async () => {
    const one = await makeLab();
    const run = one.start([], { SKELETON_LEDGER_PATIENCE: '4s' });
    await atWork('b');
    await server.stop('immediate');
    letGo();
    try {
      const { status, stderr } = await run.ended;
      const { host, password } = new URL(lab.url);
      expect({ status, stderr }).toMatchObject({ status: 3, stderr: text(host) });
      expect(stderr).not.toContain(password);
      expect(stderr).toContain('what b#1 had made is kept here: refs/skeleton/attempts/plan/b/1');
    } finally {
      await server.start();
    }
    expect(one.git('show', 'refs/skeleton/attempts/plan/b/1:b.txt')).toContain('done');
    const again = await one.run();
    expect(again).toMatchObject({ status: 0 });
    await expectWhole(one, 4);
  });

  nightly('before it begins: 3 within some seconds, and nothing was touched', async () => {
    const one = await makeLab();
    const before = one.git('for-each-ref');
    await server.stop();
    try {
      const { status, stderr } = await one.run();
      expect({ status, stderr }).toMatchObject({ status: 3, stderr: text('cannot be reached') });
    } finally {
      await server.start();
    }
    expect(one.git('for-each-ref')).toBe(before);
    expect(lab.refs()).toEqual(['refs/heads/main']);
  });
});

nightly(
  'the database has no room in the midst: 4, what was made is kept here, and told; later it goes on',
  async () => {
    const one = await makeLab();
    const run = one.start();
    await atWork('b');
    const admin = new Client({ connectionString: lab.url });
    await admin.connect();
    await admin.query(`create function public.full() returns trigger language plpgsql as $$ begin
    raise exception 'No space left on device' using errcode = '53100'; end $$`);
    const full = (table: string): string =>
      `create trigger is_full before insert or update on skeleton.${table} for each row execute function public.full()`;
    for (const table of ['event', 'task', 'plan']) await admin.query(full(table));
    letGo();
    const { status, stderr } = await run.ended;
    expect({ status, stderr }).toMatchObject({ status: 4, stderr: text('has no room left') });
    expect(stderr).toContain('what b#1 had made is kept here: refs/skeleton/attempts/plan/b/1');
    expect(await one.run()).toMatchObject({ status: 3, stderr: text('make room on the disk') });
    await admin.query('drop function public.full cascade');
    await admin.end();
    expect(await one.run()).toMatchObject({ status: 0 });
    await expectWhole(one, 4);
  },
);

describe('the remote is away', () => {
  /** A wire that a file cuts. */
  const ssh = `#!/bin/sh
test "$1" != -G || exit 1
if test -e "$OUTSIDE/cut"; then echo "ssh: connect to host there port 22: Connection refused" >&2; exit 255; fi
for command; do :; done
eval "exec $command"
`;

  async function wired(): Promise<readonly [TeamMachine, NodeJS.ProcessEnv]> {
    const one = await makeLab();
    const path = join(lab.outside, 'ssh');
    writeFileSync(path, ssh, { mode: 0o755 });
    one.git('remote', 'set-url', 'origin', `ssh://there${lab.bare}`);
    return [one, { GIT_SSH_COMMAND: `'${path}'`, GIT_SSH_VARIANT: 'simple' }];
  }

  const cut = (): string => join(lab.outside, 'cut');

  nightly('for some seconds: nothing is done again', async () => {
    const [one, env] = await wired();
    const run = one.start([], env);
    await atWork('b');
    writeFileSync(cut(), '');
    letGo();
    await sleep(2000);
    rmSync(cut());
    const { status, stderr } = await run.ended;
    expect({ status, stderr }).toMatchObject({ status: 0 });
    await expectWhole(one, 3);
  });

  test('for good: 3, and what had passed is published later, without the agent', async () => {
    const [one, env] = await wired();
    const run = one.start([], env);
    await atWork('b');
    writeFileSync(cut(), '');
    letGo();
    const { status, stderr } = await run.ended;
    expect({ status, stderr }).toMatchObject({ status: 3, stderr: text('Connection refused') });
    rmSync(cut());
    expect(await one.start([], env).ended).toMatchObject({ status: 0 });
    await expectWhole(one, 3);
  });

  nightly('a remote that is gone from its place: 3 at once', async () => {
    const one = await makeLab();
    const run = one.start();
    await atWork('b');
    renameSync(lab.bare, `${lab.bare}.moved`);
    letGo();
    const { status, stderr } = await run.ended;
    renameSync(`${lab.bare}.moved`, lab.bare);
    expect({ status, stderr }).toMatchObject({ status: 3, stderr: text('cannot be reached') });
    expect(await one.run()).toMatchObject({ status: 0 });
    await expectWhole(one, 3);
  });
});
