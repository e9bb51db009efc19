import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeUserRepository } from '../support/user-repository.ts';
import type { Ended, UserRepository } from '../support/user-repository.ts';

const plan = '- [ ] Make one {#one}\n- [ ] Make two {#two}\n';
/** Task two passes with its fifth attempt, and not before: whoever counts anew fails here or comes too late. */
const gate = `#!/bin/sh
case "$SKELETON_TASK_ID" in
  one) test -e one.txt ;;
  two) test "$(cat two.txt)" = 5 ;;
esac
`;
const agent = (outside: string): string => `cat > /dev/null
echo "$SKELETON_TASK_ID $SKELETON_ATTEMPT" >> "${outside}/seen"
if test "$SKELETON_TASK_ID $SKELETON_ATTEMPT" = 'two 4' && test ! -e "${outside}/reached"; then
  echo half > half.txt
  echo reached > "${outside}/reached"
  exec sleep 60
fi
echo "$SKELETON_ATTEMPT" > "$SKELETON_TASK_ID.txt"
`;

type Cut = 'SIGINT' | 'SIGKILL';

const bytesOf = (path: string): number => statSync(path).size;
const damages: Readonly<Record<string, (ledger: string) => void>> = {
  deleted: (ledger) => {
    for (const part of ['', '-wal', '-shm']) rmSync(ledger + part, { force: true });
  },
  'deleted, its -wal left': (ledger) => rmSync(ledger),
  zeros: (ledger) => writeFileSync(ledger, Buffer.alloc(bytesOf(ledger))),
  'half a page': (ledger) => truncateSync(ledger, 2048),
  'half of it': (ledger) => truncateSync(ledger, Math.max(4096, bytesOf(ledger) / 2)),
  garbage: (ledger) => writeFileSync(ledger, 'Dear diary\n'.repeat(1000)),
  empty: (ledger) => truncateSync(ledger, 0),
  'without its -wal and -shm': (ledger) => {
    for (const part of ['-wal', '-shm']) rmSync(ledger + part, { force: true });
  },
};

/** All of them after each cut in the nightly suite. */
const chosen: Readonly<Record<Cut, readonly string[]>> = {
  SIGINT: ['deleted'],
  SIGKILL: ['half of it', 'without its -wal and -shm'],
};

/** What a run leaves, but for times and what depends on them. */
interface Left {
  readonly tree: string;
  readonly refs: string;
  readonly seen: string;
  readonly dirt: string;
}

describe.each<[Cut, string, string]>([
  ['SIGINT', 'two 4\ntwo 5\n', 'after a pass, three rejections and a Ctrl-C'],
  ['SIGKILL', 'two 5\n', 'in the middle of an attempt that kill -9 cut off'],
])('a ledger that was lost: cut off by %s', (cut, goesOn) => {
  let repository: UserRepository;
  let saved: string;
  let state: string;
  let command: readonly string[];
  let whole: Left;

  beforeAll(async () => {
    repository = makeUserRepository();
    const { outside, top } = repository;
    saved = join(outside, 'saved');
    state = join(top, '.git', 'skeleton');
    repository.write('PLAN.md', plan);
    repository.write('gates/check.sh', gate);
    command = ['run', '--agent-command', repository.agent(agent(outside))];
    const { child, ended } = repository.start(command);
    while (child.exitCode === null && !existsSync(join(outside, 'reached'))) await sleep(20);
    child.kill(cut);
    await ended;
    cpSync(top, saved, { recursive: true });
    whole = left(await goOn());
  });
  beforeEach(() => {
    rmSync(repository.top, { recursive: true });
    cpSync(saved, repository.top, { recursive: true });
    rmSync(join(repository.outside, 'seen'), { force: true });
  });
  afterAll(() => repository.remove());

  const goOn = async (): Promise<Ended> => {
    rmSync(join(repository.outside, 'seen'), { force: true });
    return repository.run(...command);
  };
  const left = ({ status, stderr }: Ended): Left => {
    expect([status, stderr]).toEqual([0, expect.any(String)]);
    const { git, outside } = repository;
    return {
      tree: git('rev-parse', 'HEAD^{tree}'),
      refs: git('for-each-ref', '--format=%(refname)', 'refs/tags', 'refs/skeleton'),
      seen: readFileSync(join(outside, 'seen'), 'utf8'),
      dirt: git('status', '--porcelain', '--ignored'),
    };
  };
  const asides = (): readonly string[] =>
    readdirSync(state).filter((name) => name.startsWith('ledger.db.damaged-'));

  test('without damage the run goes on where it was', () => {
    expect(whole).toMatchObject({ seen: goesOn, dirt: '' });
    expect(whole.refs).not.toContain('anchor');
  });

  const isChosen = ([name]: readonly [string, unknown]): boolean =>
    process.env['NIGHTLY'] !== undefined || chosen[cut].includes(name);

  test.each(Object.entries(damages).filter(isChosen))(
    '%s: the next run ends where it would have',
    async (_, damage) => {
      const ledger = join(state, 'ledger.db');
      damage(ledger);
      const bytes = existsSync(ledger) ? readFileSync(ledger) : undefined;
      const ended = await goOn();
      expect(left(ended)).toEqual(whole);
      const lines = ended.stderr.split('\n').filter((line) => /rebuilt|lost its end/.test(line));
      expect(lines.length).toBeLessThanOrEqual(1);
      const kept = asides().filter((name) => !/-(?:wal|shm)$/.test(name));
      for (const name of kept)
        if (bytes !== undefined && existsSync(join(state, name)))
          expect(readFileSync(join(state, name)).equals(bytes)).toBe(true);
    },
  );

  const tables = async (): Promise<readonly [states: readonly string[], stderr: string]> => {
    const { stdout, stderr } = await repository.run('status', '--json');
    const { tasks } = JSON.parse(stdout) as { tasks: { id: string; state: string }[] };
    return [tasks.map(({ id, state: of }) => `${id} ${of}`), stderr];
  };

  test.runIf(cut === 'SIGINT')(
    'what only git tells is shown, and proved by verify alone',
    async () => {
      const ledger = join(state, 'ledger.db');
      writeFileSync(ledger, 'Dear diary\n'.repeat(1000));
      const [before, said] = await tables();
      expect(before).toEqual(['one unproven', 'two pending']);
      expect(said).toMatch(/^notice {2}the ledger is damaged \(.*\): this is what git knows.*\n$/);
      const shown = await repository.run('log');
      expect(shown).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('unproven') as string,
      });
      expect(shown.stdout).toMatch(
        /two#3 .* rejected .*skeleton\/attempts\/plan\/two\/3 .*check\.sh/,
      );
      expect(shown.stdout).toMatch(/two#4 .* voided/);
      expect(readFileSync(ledger, 'utf8')).toMatch(/^Dear diary/);
      // Anybody can make a tag.
      repository.git('tag', 'skeleton/plan/0009-two', 'HEAD');
      const { stderr } = await repository.run('undo', 'skeleton/plan/0001-one');
      expect(stderr).toMatch(/the ledger was damaged .*: 1 checkpoint \(unproven.*\), 4 attempts/);
      expect((await tables())[0]).toEqual(['one unproven', 'two pending']);
      expect(await repository.run('verify', '0001-one')).toMatchObject({ status: 0 });
      expect(await tables()).toEqual([['one passed', 'two pending'], '']);
    },
  );

  test.runIf(cut === 'SIGINT')('a tag whose proof is gone stays unproven', async () => {
    rmSync(join(state, 'ledger.db'));
    repository.git('update-ref', '-d', 'refs/skeleton/proof/plan/0001');
    await repository.run('undo', 'skeleton/plan/0001-one');
    expect(await repository.run('verify', '0001-one')).toMatchObject({ status: 1 });
    expect((await tables())[0]).toEqual(['one unproven', 'two pending']);
  });
});
