import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
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

  if (cut === 'SIGINT')
    test('what only git tells is shown, and proved by verify alone', async () => {
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
    });

  if (cut === 'SIGINT')
    test('a tag whose proof is gone is no checkpoint', async () => {
      rmSync(join(state, 'ledger.db'));
      repository.git('update-ref', '-d', 'refs/skeleton/proof/plan/0001');
      expect((await tables())[0]).toEqual(['one ticked', 'two pending']);
    });

  const oddities: readonly [string, () => void][] = [
    ['a ledger that is a folder', () => mkdirSync(replaced('ledger.db'))],
    ['a ledger that is a link', () => symlinkSync(foreign(), replaced('ledger.db'))],
    ['a -wal that is a link', () => symlinkSync(foreign(), replaced('ledger.db-wal'))],
    ['a folder of locks that is a link', () => symlinkSync(repository.outside, replaced('locks'))],
    ['a folder of logs that is a file', () => writeFileSync(replaced('logs'), '')],
  ];
  const replaced = (name: string): string => {
    rmSync(join(state, name), { recursive: true, force: true });
    return join(state, name);
  };
  const foreign = (): string => {
    writeFileSync(join(repository.outside, 'foreign'), 'theirs\n');
    return join(repository.outside, 'foreign');
  };
  if (cut === 'SIGINT')
    test.each(oddities)('%s is moved aside, and never written through', async (_, plant) => {
      foreign();
      plant();
      const before = readdirSync(repository.outside);
      const ended = await goOn();
      expect(left(ended)).toEqual(whole);
      const told = ended.stderr.split('\n').filter((line) => /damaged|moved aside/.test(line));
      expect(told).toHaveLength(1);
      expect(readFileSync(join(repository.outside, 'foreign'), 'utf8')).toBe('theirs\n');
      expect(readdirSync(repository.outside).filter((name) => name !== 'seen')).toEqual(
        before.filter((name) => name !== 'seen'),
      );
    });

  if (cut === 'SIGKILL')
    test('what a ledger without its end does not know is shown', async () => {
      for (const part of ['-wal', '-shm']) rmSync(join(state, `ledger.db${part}`));
      const [states, said] = await tables();
      expect(states).toEqual(['one unproven', 'two pending']);
      expect(said).toMatch(/^notice {2}the ledger has lost its end: .*\n$/);
    });

  if (cut === 'SIGKILL')
    test('without the whole state folder an attempt is undone', async () => {
      rmSync(state, { recursive: true });
      expect(left(await goOn())).toEqual(whole);
    });
});

/** Does the deed once, for the second task, and takes the run with it. */
const forger = (outside: string, deed: string): string => `cat > /dev/null
if test "$SKELETON_TASK_ID" = two && test ! -e "${outside}/forged"; then
  touch "${outside}/forged"
  sed -i 's/- \\[ \\] Make two/- [x] Make two/' PLAN.md
  echo 'exit 0' > gates/check.sh
  touch BAD
  git add --all
  git commit --quiet --message weaker
  touch more
  git add --all
  trailers=$(git log -1 --format='%(trailers)' skeleton/plan/0001-one | sed s/one/two/)
  git commit --quiet --message two --message "$trailers"
  git tag skeleton/plan/0002-two
  ${deed}
  kill -9 $(cat "${outside}/pid")
  sleep 60
fi
touch "$SKELETON_TASK_ID.txt"
`;
const proofOfLast = `old=$(git rev-parse 'skeleton/plan/0001-one^{tree}' 'skeleton/plan/0001-one^')
  new=$(git rev-parse 'HEAD^{tree}' 'HEAD^')
  git cat-file tag refs/skeleton/proof/plan/0001 |
    sed -e '1,/^$/d' -e 's/"one"/"two"/' -e "s/$(echo $old | cut -d' ' -f1)/$(echo $new | cut -d' ' -f1)/" \\
      -e "s/$(echo $old | cut -d' ' -f2)/$(echo $new | cut -d' ' -f2)/" > .git/words
  { printf 'object %s\\ntype commit\\ntag proof\\ntagger a <a@b> 1 +0000\\n\\n' $(git rev-parse HEAD); cat .git/words; } > .git/proof
  git update-ref refs/skeleton/proof/plan/0002 $(git hash-object -t tag -w --literally .git/proof)`;
const lose = 'rm -f .git/skeleton/ledger.db*';

describe.each<[string, string]>([
  ['a tag', lose],
  ['a tag and a proof', `${proofOfLast}\n  ${lose}`],
  ['a tag and a proof, all records lost', `${proofOfLast}\n  rm -rf .git/skeleton`],
])('%s that an attempt made before it lost the ledger', (_, deed) => {
  test('is no checkpoint: the attempt is undone and judged again', async () => {
    const repository = makeUserRepository();
    const { outside, top } = repository;
    try {
      repository.write('PLAN.md', `${plan}- [ ] Make three {#three}\n`);
      repository.write('gates/check.sh', '#!/bin/sh\ntest ! -e BAD\n');
      const command = ['run', '--agent-command', repository.agent(forger(outside, deed))];
      const { child, ended } = repository.start(command);
      writeFileSync(join(outside, 'pid'), String(child.pid));
      expect((await ended).status).toBeNull();
      expect(repository.git('tag')).toContain('0002-two');
      const { status, stderr } = await repository.run(...command);
      expect([status, stderr]).toEqual([0, expect.stringContaining('1 checkpoint (unproven')]);
      expect(readdirSync(top)).not.toContain('BAD');
      expect(readFileSync(join(top, 'gates/check.sh'), 'utf8')).toContain('BAD');
      const { stdout } = await repository.run('log');
      expect(stdout).toMatch(/two#1 .*rejected.*died[^]*two#2 .*passed[^]*three#1 .*passed/);
      expect(repository.git('for-each-ref', 'refs/skeleton/agent')).toContain('0002-two');
    } finally {
      repository.remove();
    }
  });
});
