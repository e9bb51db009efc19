import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { attemptRef, fenceRef, startTag } from '../../src/core/refs.ts';
import { projectOf } from '../../src/git/project.ts';
import { openRemote } from '../../src/git/remote.ts';
import { openRepository } from '../../src/git/repository.ts';
import type { Published } from '../../src/ports.ts';
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

let lab: RemoteLab;
let one: Machine;
let two: Machine;

const whyOf = (published: Published): string =>
  published.kind === 'refused' ? published.why : published.kind;

describe.each(['sha1', 'sha256'])('a remote of %s', (format) => {
  beforeEach(async () => {
    lab = makeRemoteLab(format);
    one = await lab.machine('one');
    two = await lab.machine('two');
  });
  afterEach(() => {
    lab.remove();
  });

  test('begins a branch once, with its start tag', async () => {
    const commit = one.head();
    const start = { tag: firstTag, commit };
    await one.remote.assertReady();
    expect(await one.remote.fetch(plan, branch)).toBeUndefined();
    expect(await one.remote.begin(branch, start)).toBe(true);
    expect([lab.at(branch), lab.at(firstTag)]).toEqual([commit, commit]);
    expect(await two.remote.begin(branch, start)).toBe(false);
    const other = { tag: startTag(plan, 1), commit: two.commit(commit, 'another start') };
    expect(await two.remote.begin(branch, other)).toBe(false);
    expect([lab.at(branch), lab.at(other.tag)]).toEqual([commit, '']);
  });

  test('moves a branch forward from where it was seen, and nowhere else', async () => {
    const base = await begun(one);
    const mine = { tag: startTag(plan, 1), commit: one.commit(base, 'a person') };
    expect(await one.remote.forward(branch, base, mine)).toBe(true);
    const late = { tag: startTag(plan, 2), commit: two.commit(base, 'another person') };
    expect(await two.remote.forward(branch, base, late)).toBe(false);
    expect([lab.at(branch), lab.at(late.tag)]).toEqual([mine.commit, '']);
    const back = { tag: startTag(plan, 3), commit: base };
    await expect(one.remote.forward(branch, mine.commit, back)).rejects.toThrow(
      'only goes forward',
    );
  });

  test('a checkpoint goes there whole, and comes to others with tag and proof', async () => {
    const base = await begun(one);
    await two.remote.fetch(plan, branch);
    const fence = await one.remote.takeFence(plan, 'one', 'worker one');
    const publication = publicationOf(one, { base, fence });
    const { commit, tag, proof, proofObject } = publication;
    expect(await one.remote.publish(publication)).toEqual({ kind: 'done' });
    expect([branch, tag, fence.ref, proof].map(lab.at)).toEqual([
      commit,
      commit,
      commit,
      proofObject,
    ]);
    expect(await one.remote.publish(publication)).toEqual({ kind: 'done' });
    expect(await two.remote.fetch(plan, branch)).toBe(commit);
    const local = [tag, proof].map((ref) => two.git('rev-parse', ref));
    expect(local).toEqual([commit, proofObject]);
    two.git('fsck', '--strict', '--connectivity-only');
    expect(await two.remote.read(proof)).toBe(commit);
    expect(await two.remote.read(tag)).toBe(commit);
    expect(await two.remote.read('refs/tags/none')).toBeUndefined();
  });

  test('whoever lost the fence publishes nothing, even where nothing else has moved', async () => {
    const base = await begun(one);
    const old = await one.remote.takeFence(plan, 'one', 'worker one');
    const fresh = await two.remote.takeFence(plan, 'one', 'worker two');
    expect(fresh.at).not.toBe(old.at);
    const zombie = publicationOf(one, { base, fence: old });
    expect(await one.remote.publish(zombie)).toEqual({ kind: 'fenced' });
    expect([branch, zombie.tag, zombie.proof, old.ref].map(lab.at)).toEqual([
      base,
      '',
      '',
      fresh.at,
    ]);
    const heir = publicationOf(two, { base, fence: fresh });
    expect(await two.remote.publish(heir)).toEqual({ kind: 'done' });
    expect(await one.remote.publish(zombie)).toEqual({ kind: 'fenced' });
  });

  test('of two that publish on one commit the second is outpaced', async () => {
    const base = await begun(one);
    const fences = [
      await one.remote.takeFence(plan, 'one', 'w'),
      await two.remote.takeFence(plan, 'two', 'w'),
    ] as const;
    const first = publicationOf(one, { base, fence: fences[0] });
    const second = publicationOf(two, { base, fence: fences[1] });
    expect(await one.remote.publish(first)).toEqual({ kind: 'done' });
    expect(await two.remote.publish(second)).toEqual({ kind: 'outpaced' });
    expect(lab.at(branch)).toBe(first.commit);
    expect(await two.remote.fetch(plan, branch)).toBe(first.commit);
    const again = publicationOf(two, { base: first.commit, fence: fences[1], number: 2 });
    expect(await two.remote.publish(again)).toEqual({ kind: 'done' });
  });

  test('a kept attempt is given and taken under its own name, and never over other work', async () => {
    const ref = attemptRef(plan, 'one', 3);
    const kept = one.commit(one.head(), 'kept');
    expect(await two.remote.take(ref, kept)).toBe(false);
    expect(await one.remote.give(ref, kept)).toBe(true);
    expect(await one.remote.give(ref, kept)).toBe(true);
    expect(await two.remote.take(ref, kept)).toBe(true);
    expect(two.git('rev-parse', ref)).toBe(kept);
    const other = two.commit(two.head(), 'other work of the same number');
    expect(await two.remote.give(ref, other)).toBe(false);
    expect(lab.at(ref)).toBe(kept);
    expect(await two.remote.take(ref, other)).toBe(false);
    const here = await lab.machine('three');
    here.git('update-ref', ref, here.head());
    await expect(here.remote.take(ref, kept)).rejects.toThrow('names other work here');
    expect(here.git('rev-parse', ref)).toBe(here.head());
  });
});

describe('a remote', () => {
  beforeEach(async () => {
    lab = makeRemoteLab();
    one = await lab.machine('one');
    two = await lab.machine('two');
  });
  afterEach(() => {
    lab.remove();
  });

  test('what stands here under a name of the plan is left alone, and so is all that is not of the plan', async () => {
    const base = await begun(one);
    const fence = await one.remote.takeFence(plan, 'one', 'w');
    const publication = publicationOf(one, { base, fence });
    await one.remote.publish(publication);
    for (const ref of [
      'refs/tags/v1',
      'refs/tags/skeleton/other/0001-a',
      'refs/tags/skeleton/plan/x',
    ])
      lab.there('update-ref', ref, base);
    two.git('update-ref', publication.tag, base);
    const before = two.git('for-each-ref', 'refs/remotes');
    await two.remote.fetch(plan, branch);
    expect(two.git('rev-parse', publication.tag)).toBe(base);
    const refs = two.git('for-each-ref', '--format=%(refname)', 'refs/tags', 'refs/skeleton');
    expect(refs.split('\n')).toEqual([publication.proof, firstTag, publication.tag]);
    expect(two.git('for-each-ref', 'refs/remotes')).toBe(before);
    expect(spawnSync('ls', ['.git/FETCH_HEAD'], { cwd: two.top }).status).not.toBe(0);
  });

  test('a branch may begin without a start tag of its own', async () => {
    expect(await one.remote.begin(branch, { tag: '', commit: one.head() })).toBe(true);
    expect(lab.there('for-each-ref', '--format=%(refname)')).toBe(`refs/heads/main\n${branch}`);
  });

  test('what a new fetch brings is only what is new, and whole', async () => {
    let base = await begun(one);
    await two.remote.fetch(plan, branch);
    for (let number = 1; number <= 3; number += 1) {
      const fence = await one.remote.takeFence(plan, 'one', 'w');
      const publication = publicationOf(one, { base, fence, number });
      await one.remote.publish(publication);
      expect(await two.remote.fetch(plan, branch)).toBe(publication.commit);
      expect(await two.remote.fetch(plan, branch)).toBe(publication.commit);
      expect(two.git('rev-parse', publication.proof)).toBe(publication.proofObject);
      base = publication.commit;
    }
    two.git('fsck', '--strict');
    lab.there('update-ref', '-d', branch);
    expect(await two.remote.fetch(plan, branch)).toBeUndefined();
    expect(await two.remote.begin(branch, { tag: firstTag, commit: two.head() })).toBe(true);
  });

  test('no ref of ours follows a push', async () => {
    const before = one.git('for-each-ref');
    const base = await begun(one);
    const fence = await one.remote.takeFence(plan, 'one', 'w');
    await one.remote.publish(publicationOf(one, { base, fence }));
    expect(one.git('for-each-ref')).toBe(before);
  });

  test('no hook here runs, those there do, and their words come back in one line', async () => {
    const base = await begun(one);
    const fence = await one.remote.takeFence(plan, 'one', 'w');
    const publication = publicationOf(one, { base, fence });
    const hooks = join(one.top, '.git/hooks');
    mkdirSync(hooks, { recursive: true });
    for (const name of ['pre-push', 'reference-transaction'])
      writeFileSync(join(hooks, name), '#!/bin/sh\ntouch "$GIT_DIR/ran"; exit 1\n', {
        mode: 0o755,
      });
    lab.hook('pre-receive', `printf 'only on \\033[31mFridays\\nreally\\n' >&2; exit 1`);
    const refused = await one.remote.publish(publication);
    expect(whyOf(refused)).toMatch(/^pre-receive hook declined: only on \[31mFridays really$/);
    expect(lab.at(branch)).toBe(base);
    expect(spawnSync('ls', ['.git/ran'], { cwd: one.top }).status).not.toBe(0);
    const start = { tag: startTag(plan, 1), commit: publication.commit };
    await expect(one.remote.forward(branch, base, start)).rejects.toThrow(
      /does not take .*Fridays/,
    );
  });

  test('a branch that is checked out there is refused in its words', async () => {
    const open = join(lab.folder, 'not bare');
    one.git('clone', '-q', '--no-local', lab.bare, open);
    one.git('remote', 'set-url', 'origin', open);
    const base = one.head();
    const fence = await one.remote.takeFence(plan, 'one', 'w');
    const publication = { ...publicationOf(one, { base, fence }), branch: 'refs/heads/main' };
    const refused = await one.remote.publish(publication);
    expect(whyOf(refused)).toContain('branch is currently checked out');
  });

  test('settings that would push more, other or elsewhere things change nothing', async () => {
    for (const setting of [
      'push.default=matching',
      'push.followTags=true',
      'push.gpgSign=true',
      'push.recurseSubmodules=on-demand',
      'remote.origin.mirror=true',
      'remote.origin.push=+refs/heads/*:refs/heads/*',
      'remote.origin.fetch=+refs/*:refs/*',
      'remote.origin.tagOpt=--tags',
      'remote.origin.prune=true',
      'fetch.prune=true',
      'fetch.pruneTags=true',
      'fetch.recurseSubmodules=true',
    ]) {
      const [key = '', value = ''] = setting.split('=');
      one.git('config', '--add', key, value);
    }
    one.git('tag', '-a', '-m', 'mine', 'mine');
    one.git('branch', 'private');
    await one.remote.assertReady();
    const base = await begun(one);
    const fence = await one.remote.takeFence(plan, 'one', 'w');
    const publication = publicationOf(one, { base, fence });
    expect(await one.remote.publish(publication)).toEqual({ kind: 'done' });
    expect(await (await one.reopen()).fetch(plan, branch)).toBe(publication.commit);
    expect(one.git('rev-parse', 'mine^{commit}', 'private')).toBe(`${base}\n${base}`);
    expect(lab.there('for-each-ref', '--format=%(refname)').split('\n')).toEqual([
      'refs/heads/main',
      branch,
      fence.ref,
      publication.proof,
      firstTag,
      publication.tag,
    ]);
  });

  test('one without atomic pushes is refused', async () => {
    const base = await begun(one);
    const fence = await one.remote.takeFence(plan, 'one', 'w');
    lab.there('config', 'receive.advertiseAtomic', 'false');
    await expect(one.remote.assertReady()).rejects.toThrow('does not support --atomic');
    const refused = await one.remote.publish(publicationOf(one, { base, fence }));
    expect(refused).toEqual({ kind: 'refused', why: 'it does not support --atomic pushes' });
  });

  test('what is not ready is said before anything is pushed', async () => {
    const repository = await openRepository(one.top, process.env);
    await expect(openRemote(repository, 'nobody').assertReady()).rejects.toMatchObject({
      status: 2,
    });
    await expect(openRemote(repository, '--all').assertReady()).rejects.toMatchObject({
      status: 2,
    });
    const begin = performance.now();
    one.git('remote', 'set-url', 'origin', join(lab.folder, 'gone.git'));
    await expect(one.remote.assertReady()).rejects.toThrow(
      /^the remote origin cannot be reached: fatal: .*does not (?:exist|appear)/,
    );
    // What may come back is waited for, for three minutes.
    expect(performance.now() - begin).toBeLessThan(20_000);
    one.git('config', 'remote.origin.pushurl', 'a');
    one.git('config', '--add', 'remote.origin.pushurl', 'b');
    await expect(one.remote.assertReady()).rejects.toThrow('several addresses');
    expect(lab.there('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  });

  test('a shallow clone is refused with the line that mends it; others name their first commit', async () => {
    const second = one.commit(one.head(), 'second');
    lab.there('fetch', '-q', one.top, second);
    lab.there('update-ref', 'refs/heads/main', second);
    const root = one.head();
    one.git('clone', '-q', '--depth=1', `file://${lab.bare}`, join(lab.folder, 'shallow'));
    const shallow = await openRepository(join(lab.folder, 'shallow'), process.env);
    const refusal = { status: 3, mend: 'git fetch --unshallow' };
    await expect(projectOf(shallow)).rejects.toMatchObject(refusal);
    await expect(openRemote(shallow, 'origin').assertReady()).rejects.toMatchObject(refusal);
    expect(await projectOf(await openRepository(one.top, process.env))).toBe(root);
    const three = await lab.machine('three');
    expect(await projectOf(await openRepository(three.top, process.env))).toBe(root);
  });

  test('a password in the address is never shown, and nobody is asked for another', async () => {
    const server = createServer((_, answer) => answer.writeHead(401).end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    one.git('remote', 'set-url', 'origin', `http://me:s3cret@127.0.0.1:${port}/it.git`);
    const failure = await one.remote.read(fenceRef(plan, 'one')).catch((error: unknown) => error);
    server.close();
    expect(String(failure)).toMatch(/the remote origin cannot be reached: .*Authentication failed/);
    expect(JSON.stringify([String(failure), failure])).not.toContain('s3cret');
  });
});
