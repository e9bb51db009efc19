import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeUserRepository, type UserRepository } from '../support/user-repository.ts';

let house: UserRepository;

beforeEach(() => {
  house = makeUserRepository();
  house.write('gates/check.sh', '#!/bin/sh\ntest -f done.txt\n');
});
afterEach(() => house.remove());

describe('keep_commits', () => {
  const agent = `cat >/dev/null; echo a >a.txt; git add -A; git commit -qm 'the agent says a'; echo b >done.txt`;

  test('leaves the agent’s own commits below the checkpoint', async () => {
    house.write('PLAN.md', '---\nkeep_commits: true\n---\n- [ ] One\n');
    const { status } = await house.run('run', '--agent-command', house.agent(agent));
    expect(status).toBe(0);
    const subjects = house.git('log', '--format=%s').split('\n');
    expect(subjects.slice(0, 3)).toEqual(['One', 'the agent says a', 'skeleton: start plan']);
    expect(house.git('status', '--porcelain')).toBe('');
  });

  test('without it they are squashed into the checkpoint and stay reachable', async () => {
    house.write('PLAN.md', '- [ ] One\n');
    const { status } = await house.run('run', '--agent-command', house.agent(agent));
    expect(status).toBe(0);
    expect(house.git('log', '-2', '--format=%s')).toBe('One\nskeleton: start plan');
    expect(house.git('log', '--all', '--format=%s')).toContain('the agent says a');
  });

  test('an ignored file in one of those commits is rejected by name: it would stand in the history', async () => {
    house.write('.gitignore', '.env\n');
    house.write('.env', 'SECRET\n');
    house.git('add', '.gitignore');
    house.git('commit', '--quiet', '--message=ignore');
    house.write('PLAN.md', '---\nkeep_commits: true\nattempts: 1\n---\n- [ ] One\n');
    const leak = `cat >/dev/null; echo b >done.txt; git add -f .env; git commit -qm a; git rm -q --cached .env; git commit -qm b`;
    const { status, stderr } = await house.run('run', '--agent-command', house.agent(leak));
    expect(status).toBe(1);
    expect(stderr).toContain('were ignored: .env');
    expect(house.git('log', '-p', 'main', '--', '.env')).toBe('');
  });

  test('a history that was rewritten is squashed: it does not go on from where the attempt began', async () => {
    house.write('PLAN.md', '---\nkeep_commits: true\n---\n- [ ] One\n');
    const orphan = `cat >/dev/null; git checkout -q --orphan other; echo b >done.txt; git add -A; git commit -qm rewritten`;
    const { status } = await house.run('run', '--agent-command', house.agent(orphan));
    expect(status).toBe(0);
    expect(house.git('log', '-2', '--format=%s')).toBe('One\nskeleton: start plan');
    expect(house.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
  });
});

describe('a signing set-up', () => {
  const agent = 'cat >/dev/null; echo b >done.txt';

  /** A signer as git calls gpg: status lines on the descriptor it is told, the signature on standard output. */
  function signWith(script: string): void {
    const program = house.write('../outside/signer', `#!/bin/sh\n${script}\n`);
    house.git('config', 'commit.gpgSign', 'true');
    house.git('config', 'gpg.program', program);
    house.write('PLAN.md', '- [ ] One\n');
  }
  const signature =
    'cat >/dev/null; echo "[GNUPG:] SIG_CREATED " >&2; printf -- "-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n"';

  test('that works unattended is honoured', async () => {
    signWith(signature);
    const { status, stderr } = await house.run('run', '--agent-command', house.agent(agent));
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(house.git('cat-file', 'commit', 'HEAD')).toContain('gpgsig -----BEGIN PGP SIGNATURE');
  });

  test('that does not work is 3 before anything is touched', async () => {
    signWith('echo "no secret key" >&2; exit 2');
    const before = house.git('for-each-ref');
    const { status, stderr } = await house.run('run', '--agent-command', house.agent(agent));
    expect(status).toBe(3);
    expect(stderr).toContain('commits are to be signed');
    expect(house.git('for-each-ref')).toBe(before);
  });

  test('that fails later stops with 4; the work is kept and finished on resume, without the agent', async () => {
    signWith(`test -e "$(dirname "$0")/locked" && exit 2\n${signature}`);
    const lock = `${agent}; touch "${house.outside}/locked"; echo x >>"${house.outside}/calls"`;
    const first = await house.run('run', '--agent-command', house.agent(lock));
    expect(first.status).toBe(4);
    expect(first.stderr).toContain('cannot be signed');
    house.write('../outside/unlocked', '');
    const { rmSync, readFileSync } = await import('node:fs');
    rmSync(`${house.outside}/locked`);
    const second = await house.run('run', '--agent-command', house.agent(lock));
    expect(second.status).toBe(0);
    expect(readFileSync(`${house.outside}/calls`, 'utf8')).toBe('x\n');
  });
});
