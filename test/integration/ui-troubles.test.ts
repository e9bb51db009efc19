import { rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  makeUserRepository,
  type Started,
  type UserRepository,
} from '../support/user-repository.ts';

/** `skeleton ui` of a run that is killed, beside strangers, and when its ledger is lost. The tests go on from each other. */

const path = 'services/T1/abcdef1234567890XYZq';
let repository: UserRepository;
let run: Started;
let page: Started;
let address: URL;

beforeAll(async () => {
  repository = makeUserRepository();
  repository.write(
    'PLAN.md',
    `---\nnotify: https://127.0.0.1:1/${path}\n---\n- [ ] One {#one}\n- [ ] Two {#two}\n`,
  );
  repository.write('gates/check.sh', '#!/bin/sh\nexit 0\n');
  const agent = repository.agent(
    'cat >/dev/null; echo new >"$SKELETON_TASK_ID"; [ "$SKELETON_TASK_ID" = one ] || exec sleep 60',
  );
  run = repository.start(['run', '--agent-command', agent]);
  page = repository.start(['ui']);
  address = await new Promise((resolve) => {
    page.child.stdout?.once('data', (chunk: Buffer) => resolve(new URL(String(chunk).trim())));
  });
  await until(async () => (await main()).includes('id="attempt-two-1"'));
});
afterAll(async () => {
  for (const { child, ended } of [run, page]) {
    child.kill('SIGKILL');
    await ended;
  }
  repository.remove();
});

async function main(): Promise<string> {
  return (await fetch(new URL('main', address))).text();
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 15_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('it did not come to hold');
    await sleep(50);
  }
}

test('a webhook address in the plan is in no diff, of the page or of show', async () => {
  const shown = await repository.run('show', 'one');
  for (const text of [await main(), shown.stdout]) {
    expect(text).toContain('notify: [masked webhook]');
    expect(text).not.toContain(path);
  }
});

test('connections on which nothing comes keep nobody out who has the token, and are ended', async () => {
  const strangers: Socket[] = [];
  for (let at = 0; at < 70; at += 1)
    strangers.push(
      connect(Number(address.port), '127.0.0.1')
        .on('error', () => undefined)
        .resume(),
    );
  const closed = strangers.map(
    (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
  );
  await sleep(100);
  expect((await fetch(address)).status).toBe(200);
  const begun = performance.now();
  await Promise.all(closed);
  expect(performance.now() - begun).toBeLessThan(9000);
}, 20_000);

test('a run that is killed is shown as such, also in a report', async () => {
  expect(await main()).toContain('data-over="false"');
  run.child.kill('SIGKILL');
  await run.ended;
  await until(async () => (await main()).includes('data-over="died"'));
  expect(await main()).toContain('Died: 1 passed so far, two cut off');
  const { stdout } = await repository.run('report', '--format', 'html');
  expect(stdout).toContain('died; skeleton run goes on from there');
  expect(await main()).not.toMatch(/>[^<]*under way/);
});

test('a ledger that is damaged, or gone, is said on the page', async () => {
  const ledger = join(repository.top, '.git', 'skeleton', 'ledger.db');
  for (const rest of ['-wal', '-shm', '-journal']) rmSync(`${ledger}${rest}`, { force: true });
  writeFileSync(ledger, 'no database');
  await until(async () => (await main()).includes('the ledger is damaged'));
  const follower = repository.start(['log', '-f']);
  const said = await new Promise<string>((resolve) => {
    follower.child.stderr?.once('data', (chunk: Buffer) => resolve(String(chunk)));
  });
  expect(said).toContain('no run is going on (the ledger is damaged');
  follower.child.kill('SIGINT');
  expect((await follower.ended).status).toBe(130);
  rmSync(ledger);
  await until(async () => (await main()).includes('there is no ledger'));
});

test('a plan that is not there and has no history is 2; one that has is read', async () => {
  for (const command of [['log'], ['log', '--json'], ['log', '-f'], ['ui']]) {
    const { status, stderr } = await repository.run(...command, '--plan', 'nope.md');
    expect([status, stderr]).toEqual([2, expect.stringContaining('nope.md is not there')]);
  }
  rmSync(join(repository.top, 'PLAN.md'));
  const { status, stdout } = await repository.run('log', '--plan', 'PLAN.md');
  expect([status, stdout]).toEqual([0, expect.stringContaining('one')]);
});
