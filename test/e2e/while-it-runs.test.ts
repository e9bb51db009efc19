import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeUserRepository, type Ended, type UserRepository } from '../support/user-repository.ts';

let house: UserRepository;
beforeEach(() => {
  house = makeUserRepository();
  // As the real ones: it holds the lock while its command runs; the other lists what runs.
  install('systemd-inhibit', 'echo "$@" >>"$0.calls"; shift 4; "$@"');
  install('docker', 'echo "aaaabbbbcccc db"; cat "$0.started" 2>/dev/null; true');
});
afterEach(() => house.remove());

const bin = (): string => join(house.top, '..', 'bin');

function install(program: string, script: string): void {
  house.write(join('..', 'bin', program), `#!/bin/sh\n${script}\n`);
}

async function run(plan: string, agent: string): Promise<Ended> {
  house.write('PLAN.md', plan);
  house.write('gates/a.sh', '#!/bin/sh\nexit 0\n');
  const PATH = `${bin()}${delimiter}${process.env['PATH'] ?? ''}`;
  return house.start(['run', '--agent-command', house.agent(agent)], { PATH }).ended;
}

/** Long enough for the look at what ran before. */
const work = 'cat >/dev/null; sleep 0.5; echo y >y';

const calls = (): string => join(bin(), 'systemd-inhibit.calls');

test('the machine is kept awake, and a container that an attempt leaves running is named', async () => {
  const started = join(bin(), 'docker.started');
  const agent = `${work}; echo "ddddeeeeffff web" >"${started}"`;
  const { status, stderr } = await run('- [ ] One\n', agent);
  expect(status).toBe(0);
  expect(stderr.split('\n').filter((line) => line.includes('container'))).toEqual([
    'notice  one  the attempt left a container running: web (to end it: docker stop web)',
  ]);
  if (process.platform === 'linux')
    expect(readFileSync(calls(), 'utf8')).toContain('--what=idle:sleep');
});

test('unless keep_awake says no', async () => {
  expect((await run('---\nkeep_awake: false\n---\n- [ ] One\n', work)).status).toBe(0);
  expect(existsSync(calls())).toBe(false);
});
