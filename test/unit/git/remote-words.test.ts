import { describe, expect, test } from 'vitest';
import { isHopeless, newRefs, readRefusal, whatWentWrong } from '../../../src/git/remote-words.ts';

test.each([
  ["fatal: unable to access 'https://me:s3/cret@host/x.git/': no", undefined],
  ["fatal: unable to access 'https://me:s3cret@host/x.git/': no", "'https://***@host/x.git/'"],
  ["fatal: unable to access 'https://me:s3@cret@host/x': no", "'https://***@host/x'"],
  ["fatal: unable to access 'https://ghp_token@host/x': no", "'https://***@host/x'"],
  ['ssh: connect to ssh://git@host:22/x', 'ssh://git@host:22/x'],
  ['fatal: ssh://me:s3cret@host/x', 'ssh://***@host/x'],
])('nobody is shown the password of %s', (line, part) => {
  if (part !== undefined) expect(whatWentWrong(`${line}\n`)).toContain(part);
  expect(whatWentWrong(`${line}\n`)).not.toMatch(/s3|cret|ghp_token/);
});

test('what went wrong is said before the advice, and after warnings', () => {
  const stderr = [
    "Warning: Permanently added 'host' to the list of known hosts.",
    'warning: redirecting',
    'ssh: connect to host x port 22: \u001b[31mConnection refused\u001b[0m\r',
    'fatal: Could not read from remote repository.',
    '',
    'Please make sure you have the correct access rights',
  ].join('\n');
  expect(whatWentWrong(stderr)).toBe('ssh: connect to host x port 22: [31mConnection refused [0m');
  expect(whatWentWrong('')).toBe('');
});

describe('another try', () => {
  test.each([
    'git@host: Permission denied (publickey).',
    "fatal: Authentication failed for 'https://host/x/'",
    "fatal: could not read Username for 'https://host': terminal prompts disabled",
    'Host key verification failed.',
    "fatal: repository 'https://host/x/' not found",
    "fatal: '/x' does not appear to be a git repository",
    "fatal: unable to access 'https://host/': The requested URL returned error: 403",
    'fatal: remote error: access denied or repository not exported: /x',
    'fatal: the receiving end does not support --atomic push',
  ])('does not help after: %s', (stderr) => {
    expect(isHopeless(stderr)).toBe(true);
  });

  test.each([
    'ssh: Could not resolve hostname host: Temporary failure in name resolution',
    "fatal: unable to access 'https://host/': Could not resolve host: host",
    "fatal: unable to access 'https://host/': The requested URL returned error: 502",
    'fatal: the remote end hung up unexpectedly',
    'kex_exchange_identification: Connection closed by remote host',
    'ssh: connect to host host port 22: Connection timed out',
    '',
  ])('may help after: %s', (stderr) => {
    expect(isHopeless(stderr)).toBe(false);
  });
});

describe('the answer to a push', () => {
  const line = (flag: string, to: string, summary: string): string =>
    `${flag}\t0123:${to}\t${summary}`;

  test('names the one ref that was turned down, not those that went with it', () => {
    const stdout = [
      'To /x',
      line('!', 'refs/tags/a', '[remote rejected] (atomic push failure)'),
      line('!', 'refs/heads/a', '[remote rejected] (protected branch hook declined)'),
      'Done',
    ].join('\n');
    const stderr =
      'remote: error: GH006: Protected branch\t\nremote: \nremote: needs a review.   \n';
    expect(readRefusal(stdout, stderr)).toEqual({
      kind: 'refused',
      why: 'protected branch hook declined: GH006: Protected branch needs a review.',
      isPassing: false,
    });
  });

  test.each([
    "atomic transaction failed: cannot lock ref 'refs/heads/a': Unable to create 'a.lock': File exists.",
    'failed to update ref',
    'atomic push failure',
  ])('may be another in a moment: %s', (reason) => {
    const stdout = line('!', 'refs/heads/a', `[remote rejected] (${reason})`);
    expect(readRefusal(stdout, '')).toMatchObject({ why: reason, isPassing: true });
  });

  test('names the lock that a killed push has left, whole, and when it may be deleted', () => {
    const file = `/srv/${'a long name/'.repeat(25)}b.git/./refs/heads/a.lock`;
    const stderr = [
      `remote: error: cannot lock ref 'refs/heads/a': Unable to create '${file}': File exists.        `,
      'remote: ',
      'remote: Another git process seems to be running in this repository, e.g.        ',
      "remote: an editor opened by 'git commit'. Please make sure all processes        ",
      'remote: remove the file manually to continue.        ',
      "error: failed to push some refs to '../b.git'",
      '',
    ].join('\n');
    const stdout = line('!', 'refs/heads/a', '[remote rejected] (atomic transaction failed)');
    const refused = readRefusal(stdout, stderr);
    expect(refused).toMatchObject({
      why: expect.stringMatching(/^atomic transaction failed: cannot lock ref/) as string,
      mend: expect.stringContaining(`rm '${file}'`) as string,
      isPassing: true,
    });
    expect(refused?.mend).toMatch(/once no git is at work in that repository.*then: skeleton run/);
    const short = readRefusal(stdout, stderr.replaceAll('a long name/', ''));
    expect(short?.why).toMatch(/a\.lock': File exists\.$/);
  });

  test('of advice about a lock nothing is cut off, and what comes after it is told', () => {
    const stderr = [
      'remote: error: first',
      'remote: Another git process seems to be running in this repository',
      'remote: remove the file manually to continue.',
      'remote: error: second',
    ].join('\n');
    const stdout = line('!', 'refs/heads/a', '[remote rejected] (failed to update ref)');
    expect(readRefusal(stdout, stderr)?.why).toBe('failed to update ref: first second');
  });

  test('tells of objects that were swept away under a push, which another push may bring', () => {
    const reason = 'unable to migrate objects to permanent storage';
    const stdout = line('!', 'refs/heads/a', `[remote rejected] (${reason})`);
    expect(readRefusal(stdout, '')).toEqual({
      ...{ kind: 'refused', why: reason, isPassing: true },
      mend: expect.stringContaining('git gc --prune=now') as string,
    });
  });

  test('says nothing of refs where the connection broke', () => {
    expect(readRefusal('', 'fatal: the remote end hung up unexpectedly')).toBeUndefined();
  });

  test('tells new refs from those that stood there already', () => {
    const stdout = [
      line('*', 'refs/heads/a', '[new branch]'),
      line('=', 'refs/tags/b', '[up to date]'),
      line(' ', 'refs/heads/c', '1234..5678'),
    ].join('\n');
    expect(newRefs(stdout)).toEqual(new Set(['refs/heads/a']));
  });
});
