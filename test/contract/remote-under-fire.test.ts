import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stoppingWith } from '../../src/git/stopping.ts';
import type { Publication } from '../../src/ports.ts';
import {
  begun,
  branch,
  firstTag,
  makeRemoteLab,
  plan,
  publicationOf,
  type Machine,
  type RemoteLab,
} from '../support/remote-lab.ts';

const isNightly = process.env['NIGHTLY'] !== undefined;
const rounds = isNightly ? 12 : 3;

let lab: RemoteLab;
let one: Machine;

beforeEach(async () => {
  lab = makeRemoteLab();
  one = await lab.machine('one');
});
afterEach(() => {
  lab.remove();
});

const refsThere = ({ branch, tag, proof, fence }: Publication): readonly string[] =>
  [branch, tag, proof, fence.ref].map(lab.at);

test('of four that publish at once, one wins each time, and the others are told', async () => {
  const others = await Promise.all(['two', 'three', 'four'].map((name) => lab.machine(name)));
  const machines = [one, ...others];
  let base = await begun(one);
  for (let round = 1; round <= rounds; round += 1) {
    const publications = await Promise.all(
      machines.map(async (machine, nth) => {
        await machine.remote.fetch(plan, branch);
        const fence = await machine.remote.takeFence(plan, `task-${nth}`, `worker ${nth}`);
        return publicationOf(machine, { base, fence, number: round });
      }),
    );
    const ends = await Promise.all(
      machines.map(({ remote }, nth) => remote.publish(publications[nth] as Publication)),
    );
    expect(ends.map(({ kind }) => kind).toSorted()).toEqual([
      'done',
      ...Array<string>(3).fill('outpaced'),
    ]);
    const won = publications[ends.findIndex(({ kind }) => kind === 'done')] as Publication;
    const { commit, proofObject } = won;
    expect(refsThere(won)).toEqual([commit, commit, proofObject, commit]);
    base = commit;
  }
  expect(lab.there('rev-list', '--count', branch)).toBe(`${rounds + 1}`);
});

test('of four that take one fence at once, each gets its own, and one has it in the end', async () => {
  const others = await Promise.all(['two', 'three', 'four'].map((name) => lab.machine(name)));
  const machines = [one, ...others];
  const base = await begun(one);
  await Promise.all(others.map(({ remote }) => remote.fetch(plan, branch)));
  const fences = await Promise.all(
    machines.map(({ remote }, nth) => remote.takeFence(plan, 'one', `worker ${nth}`)),
  );
  expect(new Set(fences.map(({ at }) => at)).size).toBe(4);
  const ends: string[] = [];
  for (const [nth, fence] of fences.entries()) {
    const machine = machines[nth] as Machine;
    ends.push((await machine.remote.publish(publicationOf(machine, { base, fence }))).kind);
  }
  expect(ends.toSorted()).toEqual(['done', 'fenced', 'fenced', 'fenced']);
});

/** A git that kills itself and all that it started, after so many seconds, at each of its first pushes. */
function killedAfter(delays: readonly number[]): NodeJS.ProcessEnv {
  const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  const file = (name: string): string => join(lab.folder, name);
  execFileSync('mkdir', ['bin'], { cwd: lab.folder });
  writeFileSync(file('delays'), delays.map((delay) => `${delay}\n`).join(''));
  writeFileSync(
    file('bin/git'),
    `#!/bin/bash
if [[ " $* " == *" push "* ]]; then
  echo x >> '${file('pushes')}'
  (cd '${lab.bare}' && '${real}' for-each-ref --format='%(objectname) %(refname)') >> '${file('seen')}'
  delay=$(sed -n "$(wc -l < '${file('pushes')}')p" '${file('delays')}')
  if [ -n "$delay" ]; then '${real}' "$@" & sleep "$delay"; kill -9 -- -$$; fi
fi
exec '${real}' "$@"
`,
    { mode: 0o755 },
  );
  return { ...process.env, PATH: `${file('bin')}${delimiter}${process.env['PATH'] ?? ''}` };
}

const kills = [
  [0, 0.004, 0.008],
  [0.012, 0.016, 0.02],
  [0.025, 0.03, 0.035],
  [0.04, 0.06, 0.3],
];

test.each(isNightly ? kills : kills.slice(1, 3))(
  'pushes killed after %s, %s and %s s are done in the end',
  async (...delays) => {
    const base = await begun(one);
    const fence = await one.remote.takeFence(plan, 'one', 'w');
    const publication = publicationOf(one, { base, fence });
    const { commit, proofObject, tag, proof } = publication;
    const remote = await one.reopen(killedAfter(delays));
    let end = await remote.publish(publication);
    // Few kills hit the moment in which the remote holds its locks, and those stay.
    if (locksThere() !== '') end = await remote.publish(publication);
    expect(end).toEqual({ kind: 'done' });
    expect(refsThere(publication)).toEqual([commit, commit, proofObject, commit]);
    const known = [
      ...[`${base} refs/heads/main`, `${base} ${firstTag}`],
      ...[`${base} ${branch}`, `${fence.at} ${fence.ref}`],
      ...[`${commit} ${branch}`, `${commit} ${tag}`],
      ...[`${proofObject} ${proof}`, `${commit} ${fence.ref}`],
    ];
    const seen = readFileSync(join(lab.folder, 'seen'), 'utf8').trimEnd().split('\n');
    for (const line of seen) expect(known).toContain(line);
    lab.there('fsck', '--strict');
  },
);

/** Those that there were. */
function locksThere(): string {
  const args = [lab.bare, '-name', '*.lock', '-print', '-delete'];
  return execFileSync('find', args, { encoding: 'utf8' });
}

test('a push that was torn in two on the remote is completed', async () => {
  const base = await begun(one);
  const fence = await one.remote.takeFence(plan, 'one', 'w');
  const publication = publicationOf(one, { base, fence });
  const { commit, proofObject, tag } = publication;
  one.git('push', '-q', 'origin', `${commit}:refs/heads/objects`);
  for (const ref of [branch, tag]) lab.there('update-ref', ref, commit);
  expect(await one.remote.publish(publication)).toEqual({ kind: 'done' });
  expect(refsThere(publication)).toEqual([commit, commit, proofObject, commit]);
});

test('an answer that was lost is looked up, also where others have built on it since', async () => {
  const base = await begun(one);
  const two = await lab.machine('two');
  await two.remote.fetch(plan, branch);
  const fence = await one.remote.takeFence(plan, 'one', 'w');
  const publication = publicationOf(one, { base, fence });
  await one.remote.publish(publication);
  await two.remote.fetch(plan, branch);
  const next = publicationOf(two, {
    base: publication.commit,
    fence: await two.remote.takeFence(plan, 'two', 'w'),
    number: 2,
  });
  await two.remote.publish(next);
  expect(await one.remote.publish(publication)).toEqual({ kind: 'done' });
  expect(lab.at(branch)).toBe(next.commit);
});

test('a lock that a killed push left on the remote is waited for, then named', async () => {
  const base = await begun(one);
  const fence = await one.remote.takeFence(plan, 'one', 'w');
  const publication = publicationOf(one, { base, fence });
  const lock = join(lab.bare, `${branch}.lock`);
  writeFileSync(lock, '');
  const refused = await one.remote.publish(publication);
  expect(refused.kind).toBe('refused');
  expect(JSON.stringify(refused)).toMatch(/cannot lock ref|failed to (?:update|lock)/);
  expect(JSON.stringify(refused)).toMatch(/delete it there \(rm '.*\.lock'\); then: skeleton run/);
  expect(refsThere(publication)).toEqual([base, '', '', fence.at]);
  const later = one.remote.publish(publication);
  setTimeout(() => execFileSync('rm', [lock]), 300);
  expect(await later).toEqual({ kind: 'done' });
});

test('a remote that is away for a moment is waited for; a stop ends the wait', async () => {
  const port = await freePort();
  one.git('remote', 'set-url', 'origin', `git://127.0.0.1:${port}/the remote.git`);
  const stop = new AbortController();
  const waiting = stoppingWith(stop.signal, () => one.remote.fetch(plan, branch));
  setTimeout(() => stop.abort(), 300);
  await expect(waiting).rejects.toMatchObject({ name: 'Interrupted' });
  const remote = await one.reopen();
  const answer = remote.begin(branch, {
    tag: firstTag,
    commit: one.head(),
  });
  await new Promise((resolve) => setTimeout(resolve, 400));
  lab.there('config', 'daemon.receivepack', 'true');
  const daemon = serve(port);
  try {
    expect(await answer).toBe(true);
    const fence = await remote.takeFence(plan, 'one', 'w');
    const publication = publicationOf(one, { base: one.head(), fence });
    expect(await remote.publish(publication)).toEqual({ kind: 'done' });
    expect(await remote.fetch(plan, branch)).toBe(publication.commit);
    lab.there('config', 'daemon.receivepack', 'false');
    await expect(remote.assertReady()).rejects.toThrow(/does not take .*access denied/);
  } finally {
    const over = once(daemon, 'exit');
    process.kill(-(daemon.pid as number), 'SIGKILL');
    await over;
  }
});

function serve(port: number): ChildProcess {
  const args = ['daemon', '--reuseaddr', '--listen=127.0.0.1', `--port=${port}`, '--export-all'];
  return spawn('git', [...args, `--base-path=${lab.folder}`, lab.folder], {
    detached: true,
    stdio: 'ignore',
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
