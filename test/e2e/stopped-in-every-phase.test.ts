import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { makeUserRepository, skeleton } from '../support/user-repository.ts';
import type { Ended, Started, UserRepository } from '../support/user-repository.ts';

interface Phase {
  readonly phase: string;
  readonly signal: 'SIGINT' | 'SIGTERM';
  readonly options?: readonly string[];
  /** In the front matter. */
  readonly config?: string;
  /** What the agent does before it works, and after. */
  readonly agent?: string;
  /** What the gate does on the untouched tree, and on the work. */
  readonly baseline?: string;
  readonly gate?: string;
  /** A git command that hangs, by a pattern of its arguments. */
  readonly hangs?: string;
  /** A filter that cleans `work.txt`. */
  readonly filter?: string;
  /** Commits are signed. */
  readonly signs?: boolean;
  /** Where the checkpoint goes, if not to the branch that is checked out. */
  readonly branch?: string;
  /** What a user has in the work tree that is not committed. */
  readonly notes?: boolean;
  /** What the tree is afterwards: as before, or for the next run to undo or finish. */
  readonly leaves: 'clean' | 'half';
  readonly keeps: boolean;
  /** What the checkpoint of the next run says: 1 unless an attempt was charged before the signal came. */
  readonly attempt: 1 | 2;
  readonly says?: string;
}

const wait = '[ -f "$OUTSIDE/go" ] || { touch "$OUTSIDE/ready"; sleep 60; }';
const clean = { leaves: 'clean', attempt: 1 } as const;
const half = { leaves: 'half', attempt: 1 } as const;
const red = '[ -f "$OUTSIDE/go" ] || exit 1';

const phases: readonly Phase[] = [
  {
    phase: 'an agent that ignores it, floods its output and has forked into a session of its own',
    signal: 'SIGINT',
    agent: `trap '' TERM INT HUP; echo half >half.txt
[ -f "$OUTSIDE/go" ] || { setsid sh -c "trap '' TERM; sleep 60; sleep 60" & yes & touch "$OUTSIDE/ready"; sleep 60; sleep 60; }`,
    ...clean,
    keeps: true,
  },
  { phase: 'a gate', signal: 'SIGTERM', gate: wait, ...clean, keeps: true },
  { phase: 'the baseline', signal: 'SIGINT', baseline: wait, ...clean, keeps: false },
  {
    phase: 'setup in the clean room',
    signal: 'SIGTERM',
    config: `setup: '${wait.replaceAll("'", "''")}'\nbaseline: skip\n`,
    ...clean,
    keeps: true,
  },
  {
    phase: 'git that reads where an attempt begins',
    signal: 'SIGTERM',
    options: [],
    hangs: 'diff-files\\|status',
    ...clean,
    keeps: false,
  },
  {
    phase: 'git that stages the work, and hangs again at the snapshot',
    signal: 'SIGINT',
    hangs: 'update-index.*--add',
    ...half,
    keeps: false,
    says: 'is left as it is, and the next skeleton run goes on from there',
  },
  {
    phase: 'the rollback of a rejected attempt',
    signal: 'SIGTERM',
    gate: red,
    hangs: 'read-tree -m -u',
    leaves: 'half',
    attempt: 2,
    keeps: true,
    says: 'is left as it is, and the next skeleton run goes on from there',
  },
  {
    phase: 'the checkpoint',
    signal: 'SIGINT',
    hangs: 'update-ref -m skeleton: checkpoint',
    ...half,
    keeps: false,
    says: 'is left as it is, and the next skeleton run goes on from there',
  },
  {
    phase: 'work that --autostash puts back',
    signal: 'SIGTERM',
    options: ['--autostash'],
    notes: true,
    hangs: 'diff-tree .* HEAD$',
    ...half,
    keeps: false,
    says: 'your uncommitted work stays set aside at refs/skeleton/autostash/plan/1, and comes back',
  },
  {
    phase: 'a signer that asks for a passphrase',
    signal: 'SIGINT',
    signs: true,
    hangs: 'commit-tree -S .* -p',
    ...clean,
    keeps: true,
  },
  {
    phase: 'the switch to the branch of --branch',
    signal: 'SIGTERM',
    options: ['--branch=work'],
    branch: 'work',
    hangs: 'symbolic-ref -m skeleton: switch',
    ...clean,
    keeps: false,
  },
  {
    phase: 'the making of the worktree of --isolate',
    signal: 'SIGINT',
    options: ['--isolate'],
    branch: 'skeleton/plan',
    hangs: 'read-tree -m -u HEAD',
    ...clean,
    keeps: false,
  },
  {
    phase: 'a filter of the user that ignores it',
    signal: 'SIGTERM',
    filter: `trap '' TERM; [ -f "$OUTSIDE/go" ] || { touch "$OUTSIDE/ready"; sleep 60; sleep 60; }; cat`,
    ...half,
    keeps: false,
    says: 'is left as it is, and the next skeleton run goes on from there',
  },
];

/** Without NIGHTLY, one of each kind: what runs, what is cut short, what had better be finished. */
const usual = ['an agent', 'a gate', 'the baseline', 'git that stages', 'work that', 'a filter'];
const isNightly = process.env['NIGHTLY'] !== undefined;
const chosen = phases.filter(({ phase }) => isNightly || usual.some((u) => phase.startsWith(u)));

/** As much of gpg as git asks for. */
const signer = `#!/bin/sh
cat >/dev/null
echo '[GNUPG:] SIG_CREATED ' >&2
printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n'
`;

interface House extends UserRepository {
  readonly env: NodeJS.ProcessEnv;
  readonly args: readonly string[];
}

function furnish(phase: Phase): House {
  const house = makeUserRepository();
  const { options = [], config = '', agent = '', baseline = '', gate = '' } = phase;
  const bin = join(house.outside, 'bin');
  house.write('PLAN.md', `---\n${config}gates: [sh gate.sh]\n---\n- [ ] One\n`);
  house.write('gate.sh', `if [ -f work.txt ]; then\n:; ${gate}\nelse\n:; ${baseline}\nfi\n`);
  if (phase.filter !== undefined) house.write('.gitattributes', 'work.txt filter=slow\n');
  house.git('add', '--all');
  house.git('commit', '--quiet', '--message=plan');
  configure(house, phase);
  if (phase.notes === true) house.write('notes.txt', 'mine\n');
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  house.write(
    '../outside/bin/git',
    `#!/bin/sh
if [ -f "$OUTSIDE/hang" ] && echo "$*" | grep -q -f "$OUTSIDE/hang"; then
  touch "$OUTSIDE/ready"; sleep 60
fi
exec ${git} "$@"
`,
  );
  if (phase.hangs !== undefined) writeFileSync(join(house.outside, 'hang'), phase.hangs);
  const command = house.agent(`cat >/dev/null; ${agent}\necho work >work.txt\n`);
  return {
    ...house,
    env: { OUTSIDE: house.outside, PATH: `${bin}:${process.env['PATH'] ?? ''}` },
    args: ['run', ...options, '--agent-command', command],
  };
}

function configure(house: UserRepository, { filter, signs }: Phase): void {
  if (filter !== undefined) {
    house.write('../outside/filter.sh', filter);
    house.git('config', 'filter.slow.clean', 'sh "$OUTSIDE/filter.sh"');
  }
  if (signs === true) {
    house.git('config', 'gpg.program', house.write('../outside/signer', signer));
    house.git('config', 'commit.gpgSign', 'true');
  }
}

async function appears(path: string): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 50) {
    if (existsSync(path)) return;
    await sleep(50);
  }
  throw new Error(`${path} did not appear`);
}

/** Processes of the run, its agent, its gates and its git: all have the folder in their environment. */
function alive({ outside }: House): readonly string[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => read(`/proc/${pid}/environ`).includes(`OUTSIDE=${outside}\0`))
    .map((pid) => read(`/proc/${pid}/cmdline`))
    .filter((command) => command !== '');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

async function assertNoneAlive(house: House): Promise<void> {
  for (let waited = 0; waited < 1000 && alive(house).length > 0; waited += 50) await sleep(50);
  expect(alive(house)).toEqual([]);
}

/** The next run does the task, and says which attempt it was. */
async function assertGoesOn(
  house: House,
  { attempt, notes, branch = 'HEAD' }: Phase,
): Promise<void> {
  rmSync(join(house.outside, 'hang'), { force: true });
  writeFileSync(join(house.outside, 'go'), '');
  const { status, stderr } = await house.start(house.args, house.env).ended;
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const trailers = house.git('log', '-1', '--format=%(trailers:only)', branch);
  expect(trailers).toContain(`Skeleton-Attempt: ${attempt.toString()}`);
  expect(house.git('status', '--porcelain')).toBe(notes === true ? '?? notes.txt' : '');
  expect(house.git('for-each-ref', 'refs/skeleton/autostash')).toBe('');
  expect(house.git('tag', '--list', 'skeleton/plan/*-one').split('\n')).toHaveLength(1);
}

const statuses = { SIGINT: 130, SIGTERM: 143 } as const;
/** Begins a run, and does something once it is in the phase; nothing of it is left behind, whatever happens. */
async function inPhase(
  phase: Phase,
  work: (house: House, run: Started) => Promise<void>,
): Promise<void> {
  const house = furnish(phase);
  const run = house.start(house.args, house.env);
  try {
    await appears(join(house.outside, 'ready'));
    await work(house, run);
  } finally {
    run.child.kill('SIGKILL');
    await run.ended;
    house.remove();
  }
}

describe.each(chosen)('a signal during $phase', { concurrent: true }, (phase) => {
  test('ends the run within 10 s, and the next one goes on', async () => {
    await inPhase(phase, async (house, { child, ended }) => {
      const asked = performance.now();
      child.kill(phase.signal);
      const { status, stderr } = await ended;
      const seconds = (performance.now() - asked) / 1000;
      expect({ status, stderr }).toMatchObject({ status: statuses[phase.signal] });
      expect(seconds).toBeLessThan(10);
      if (phase.says !== undefined) expect(stderr).toContain(phase.says);
      await assertNoneAlive(house);
      const dirt = phase.notes === true ? '?? notes.txt' : '';
      if (phase.leaves === 'clean') expect(house.git('status', '--porcelain')).toBe(dirt);
      const kept = house.git('for-each-ref', 'refs/skeleton/attempts');
      expect(kept !== '').toBe(phase.keeps);
      await assertGoesOn(house, phase);
    });
  });
});

const twice = phases.filter(({ phase }) => isNightly || /^a gate|^the rollback/.test(phase));

describe.each(twice)('a second signal during $phase', { concurrent: true }, (phase) => {
  test('ends all of it at once, and the next run goes on', async () => {
    await inPhase(phase, async (house, { child, ended }) => {
      child.kill(phase.signal);
      await sleep(300);
      const asked = performance.now();
      child.kill('SIGINT');
      const { status } = await ended;
      // What ends by the first signal within that moment may do so, and Node lets go of signals before it is gone.
      expect([130, 143, null]).toContain(status);
      expect(performance.now() - asked).toBeLessThan(3000);
      await assertNoneAlive(house);
      expect((await house.run('status')).status).toBe(0);
      if (phase.phase === 'a gate') await assertTakeRefuses(house);
      await assertGoesOn(house, phase);
    });
  });
});

/** Our tick lies in the plan, and is no work of the user's. */
async function assertTakeRefuses(house: House): Promise<void> {
  if (house.git('status', '--porcelain') === '') return;
  const { status, stderr } = await house.run('take', '1');
  expect({ status, stderr }).toMatchObject({ status: 3 });
  expect(stderr).toContain('a run died here during one#1, and nothing was touched');
}

test('a signal in a gate of take leaves the work tree alone and costs nothing, a second one neither', async () => {
  const phase: Phase = { phase: 'take', signal: 'SIGINT', gate: wait, ...clean, keeps: true };
  const house = furnish(phase);
  const ready = join(house.outside, 'ready');
  const take = async (...names: readonly ('SIGINT' | 'SIGTERM')[]): Promise<Ended> => {
    rmSync(ready, { force: true });
    const { child, ended } = house.start(['take', '1'], house.env);
    if (names.length > 0) await appears(ready);
    for (const name of names) {
      child.kill(name);
      await sleep(20);
    }
    return ended;
  };
  try {
    house.write('work.txt', 'by hand\n');
    expect((await take('SIGINT')).status).toBe(130);
    expect(house.git('status', '--porcelain')).toBe('?? work.txt');
    expect((await take('SIGINT', 'SIGTERM')).status).toBe(143);
    await assertNoneAlive(house);
    writeFileSync(join(house.outside, 'go'), '');
    expect((await take()).status).toBe(0);
    expect(house.git('log', '-1', '--format=%(trailers:only)')).toContain('Skeleton-Attempt: 1');
  } finally {
    house.remove();
  }
});

if (isNightly)
  test('a signal while a dead run is cleared up: the next run does that', async () => {
    const phase: Phase = {
      phase: '',
      signal: 'SIGTERM',
      agent: `echo half >half.txt; ${wait}`,
      ...clean,
      keeps: true,
    };
    await inPhase(phase, async (house, { child, ended }) => {
      child.kill('SIGKILL');
      await ended;
      writeFileSync(join(house.outside, 'hang'), 'read-tree -m -u');
      rmSync(join(house.outside, 'ready'));
      const next = house.start(house.args, house.env);
      await appears(join(house.outside, 'ready'));
      const asked = performance.now();
      next.child.kill('SIGTERM');
      expect((await next.ended).status).toBe(143);
      expect(performance.now() - asked).toBeLessThan(10_000);
      await assertNoneAlive(house);
      await assertGoesOn(house, { ...phase, attempt: 2 });
    });
  });

const hasScript = spawnSync('script', ['--version']).status === 0;
if (!hasScript) console.warn('no `script` here to make a terminal: its hang-up is not tested');

test.runIf(hasScript)(
  'a terminal that goes away ends the run, and the next one goes on',
  async () => {
    const phase: Phase = { phase: '', signal: 'SIGTERM', agent: wait, ...clean, keeps: true };
    const house = furnish(phase);
    const written = join(house.outside, 'status');
    const line = ['node', skeleton, ...house.args].map(
      (word) => `'${word.replaceAll("'", `'\\''`)}'`,
    );
    const terminal = spawn(
      'script',
      [
        '-qec',
        `${line.join(' ')} & trap "kill -HUP $!" HUP; wait $!; wait $!; echo $? >"$OUTSIDE/status"`,
        '/dev/null',
      ],
      {
        cwd: house.top,
        env: { ...process.env, ...house.env },
        stdio: ['pipe', 'ignore', 'ignore'],
      },
    );
    try {
      await appears(join(house.outside, 'ready'));
      const asked = performance.now();
      terminal.kill('SIGKILL');
      await appears(written);
      expect(performance.now() - asked).toBeLessThan(10_000);
      expect(readFileSync(written, 'utf8')).toBe('129\n');
      await assertNoneAlive(house);
      expect(house.git('status', '--porcelain')).toBe('');
      await assertGoesOn(house, phase);
    } finally {
      terminal.kill('SIGKILL');
      house.remove();
    }
  },
);
