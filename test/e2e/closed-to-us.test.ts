import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeUserRepository, skeleton, type UserRepository } from '../support/user-repository.ts';

/** Root is shut out of nothing, unless these rights are taken from it (capabilities(7)). */
const powerless =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : ['env'];

let house: UserRepository;
beforeEach(() => {
  house = makeUserRepository();
  house.write('PLAN.md', '- [ ] One\n');
  house.write('gates/check.sh', '#!/bin/sh\nexit 1\n');
  house.write('.gitignore', 'ign\n');
  house.write('sub/s.txt', 's\n');
  house.git('add', '--all');
  house.git('commit', '--quiet', '--message=plan');
  house.write('ign', 'mine\n');
});
afterEach(() => {
  execFileSync('chmod', ['-R', 'u+rwX', dirname(house.top)]);
  house.remove();
});

interface Seen {
  readonly status: number | null;
  readonly said: string;
}

function withoutPower(...command: readonly string[]): Seen {
  const script = '"$@" 2>&1; echo "status $?"';
  const said = execFileSync('sh', ['-c', script, 'sh', ...powerless, ...command], {
    cwd: house.top,
    encoding: 'utf8',
  });
  return { status: Number(/status (\d+)\n$/.exec(said)?.[1]), said };
}

const run = (script: string): Seen => {
  const agent = house.agent(`cat >/dev/null\n${script}`);
  const options = ['--attempts', '1', '--agent-command', agent];
  return withoutPower(process.execPath, skeleton, 'run', ...options);
};

describe('an attempt that closes things is rolled back, and the next run carries on', () => {
  test.each([
    ['a folder it made', 'mkdir -p d/e; echo q >d/q; chmod 555 d'],
    ['a folder with a special file', 'mkdir d; mkfifo d/f; chmod 555 d'],
    ['a tracked folder and the top', 'echo n >sub/new; rm sub/s.txt; chmod 555 sub .'],
    ['a folder that may be listed only', 'chmod 444 sub; echo z >>README.md'],
    ['an ignored file and the gates', 'chmod 000 ign gates'],
    ['tracked files', 'chmod 000 PLAN.md .gitignore README.md gates/check.sh'],
    ['the object store', 'chmod 000 .git/objects; echo z >>README.md'],
    ['folders of git', 'chmod 000 .git/refs .git/hooks .git/info .git/logs; echo z >>README.md'],
    ['files of git', 'chmod 000 .git/config .git/HEAD .git/index; echo z >>README.md'],
  ])('%s', (_, script) => {
    for (const nth of [1, 2]) {
      const { status, said } = run(script);
      expect({ nth, status, said }).toMatchObject({ status: 1 });
      expect(withoutPower('git', 'status', '--porcelain').said).toBe('status 0\n');
      expect(existsSync(join(house.top, 'd'))).toBe(false);
      expect(readFileSync(join(house.top, 'ign'), 'utf8')).toBe('mine\n');
    }
  });
});

test('what even we cannot open is status 4 with the path, not a bug', () => {
  const { status, said } = run('chmod -R 000 .git');
  expect({ status, said }).toMatchObject({ status: 4 });
  expect(said).toContain('not allowed by the file system: EACCES');
  expect(said).not.toContain('is a bug');
});

test.each(['PLAN.md', '.skeleton.yml'])('%s that may not be read is status 2', (path) => {
  house.write('.skeleton.yml', 'attempts: 1\n');
  chmodSync(join(house.top, path), 0o000);
  const { status, said } = run('echo z >>README.md');
  expect({ status, said }).toMatchObject({ status: 2 });
  expect(said).toContain(`chmod u+rX '${path}'`);
});
