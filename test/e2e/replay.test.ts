import { existsSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeUserRepository, type Ended, type UserRepository } from '../support/user-repository.ts';

let house: UserRepository;
beforeEach(() => {
  house = makeUserRepository();
});
afterEach(() => house.remove());

const plan = `---
attempts: 2
---
## Task A1 — Passes
Write a.
## Task A2 — Passes at the second attempt
Write b.
## Task A3 — Never passes
Write c.
`;

/** Files, a mode, a link and a deletion; each attempt leaves something else. */
const worker = `#!/bin/sh
cat >/dev/null
echo x >>"$(dirname "$0")/calls"
case $SKELETON_TASK_ID-$SKELETON_ATTEMPT in
A1-1) echo a >a; chmod +x a; ln -s a link; rm README.md ;;
A2-1) echo bad >b; rm a ;;
A2-2) echo good >b; echo '- [x] mine' >>notes ;;
A3-1) echo bad >c ;;
A3-2) mkdir d; echo half >d/e; exit 3 ;;
esac`;

/** What it prints is another each time, and it leaves a file behind. */
const gate = `#!/bin/sh
date +%s%N; d=$(mktemp -d); rmdir "$d"; echo "$$ in $d of $PWD, run $SKELETON_RUN_ID, took 0.$$ s"
date +%s%N >made-by-the-gate
! grep -q bad b c 2>/dev/null`;

const idle = `#!/bin/sh
echo called >>"$(dirname "$0")/calls"; exit 9`;

function calls(): number {
  const file = join(house.outside, 'calls');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
}

interface Attempt {
  readonly task: string;
  readonly number: number;
  readonly ended: string;
  readonly files: readonly string[];
  readonly how: string;
}

/** The attempts of the last run: what the agent's end was, what became of it, and the files that were kept of it. */
async function attempts(): Promise<readonly Attempt[]> {
  const { stdout } = await house.run('log', '--json');
  const lines = stdout.trim().split('\n');
  const all = lines.map((line) => JSON.parse(line) as Logged);
  const last = all.reduce((newest, { run }) => (run > newest ? run : newest), '');
  return all
    .filter(({ run }) => run === last)
    .map(({ task, number, verdict, failure, checkpoint, snapshot, agentEnd }) => ({
      task,
      number,
      ended: agentEnd.ended,
      files: filesOf(checkpoint?.commit ?? snapshot?.commit ?? ''),
      how: `${verdict} ${failure?.kind ?? ''}`,
    }));
}

interface Logged {
  readonly run: string;
  readonly task: string;
  readonly number: number;
  readonly verdict: string;
  readonly failure?: { readonly kind: string };
  readonly checkpoint: { readonly commit: string } | null;
  readonly snapshot: { readonly commit: string } | null;
  readonly agentEnd: { readonly ended: string };
}

function filesOf(commit: string): readonly string[] {
  const all = house.git('ls-tree', '-r', commit).split('\n');
  return all.filter((line) => !line.endsWith('made-by-the-gate'));
}

/** The run that is recorded, and the branch back where it began; the agent is gone. */
async function record(check = gate): Promise<readonly Attempt[]> {
  house.write('PLAN.md', plan);
  house.write('gates/check.sh', check);
  house.write(agent, worker);
  expect((await run()).status).toBe(1);
  const first = await attempts();
  expect(first).toHaveLength(5);
  expect((await house.run('undo', 'skeleton/plan/0000-start')).status).toBe(0);
  rmSync(join(house.top, agent));
  return first;
}

const agent = '../outside/my-agent';

function start(...args: readonly string[]): Promise<Ended> {
  const PATH = `${house.outside}${delimiter}${process.env['PATH'] ?? ''}`;
  return house.start(args, { PATH }).ended;
}

const run = (...options: readonly string[]): Promise<Ended> =>
  start('run', '--agent-command', 'my-agent', ...options);

const replay = (...options: readonly string[]): Promise<Ended> => run('--replay', ...options);

const outcome = ({ task, files, how }: Attempt): object => ({ task, files, how });

describe('--replay', () => {
  test('repeats a run exactly, without the agent; with another input it calls it', async () => {
    const first = await record();
    const { status, stderr } = await replay();
    expect(stderr).not.toMatch(/^notice/m);
    expect(stderr).not.toMatch(/tokens|cost/);
    expect(status).toBe(1);
    const second = await attempts();
    expect(second.map(({ ended }) => ended)).toEqual(
      first.map(({ task, number }) => `replayed ${task}#${number}`),
    );
    expect(second.map(outcome)).toEqual(first.map(outcome));
    expect(house.git('status', '--porcelain')).toBe('');
    expect(calls()).toBe(5);

    // Another model, another task: the agent is called.
    house.write(agent, idle);
    expect((await house.run('undo', 'skeleton/plan/0000-start')).status).toBe(0);
    const miss = 'A1  replay: no attempt with the same input is recorded: the agent is called';
    expect((await replay('--model', 'other', '--attempts', '1')).stderr).toContain(miss);
    expect(calls()).toBe(6);
    house.write('PLAN.md', plan.replace('Write a.', 'Write a, please.'));
    expect((await replay('--attempts', '1')).stderr).toContain(miss);
    expect(calls()).toBe(7);
  });

  test('goes on from snapshots where git has pruned the rest; without them the agent is called', async () => {
    const first = await record(gate.replace(/^.*made-by.*\n/m, ''));
    prune();
    expect((await replay()).status).toBe(1);
    expect((await attempts()).map(outcome)).toEqual(first.map(outcome));

    expect((await house.run('undo', 'skeleton/plan/0000-start')).status).toBe(0);
    for (const ref of ['1', '3'])
      house.git('update-ref', '-d', `refs/skeleton/attempts/plan/A2/${ref}`);
    prune();
    house.write(agent, idle);
    const { stderr } = await replay();
    expect(stderr).toContain(
      'replay: the recorded result of A2#3 is gone, or cannot be laid out: the agent is called',
    );
    expect(calls()).toBe(7);
  });

  test('with an agent that cannot be called it stops at the first that is not recorded', async () => {
    house.write('PLAN.md', plan);
    house.write('gates/check.sh', gate);
    const { status, stderr } = await replay();
    expect(status).toBe(4);
    expect(stderr).toMatch(/the agent's command my-agent is not on PATH/);
    expect((await run()).status).toBe(3);
  });
});

function prune(): void {
  house.git('reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all');
  house.git('gc', '--quiet', '--prune=now');
}

describe('retry: continue', () => {
  const lines = '---\nattempts: 3\nretry: continue\n---\n- [ ] One {#one}\n';

  test('a rejected attempt’s files are there for the next one, and roll back with it', async () => {
    house.write('PLAN.md', lines);
    house.write('gates/check.sh', '#!/bin/sh\ntest "$(wc -l <work)" -ge 4\n');
    house.write(
      agent,
      '#!/bin/sh\ncat >"$(dirname "$0")/prompt-$SKELETON_ATTEMPT"; echo "$SKELETON_ATTEMPT" >>work; touch "by-$SKELETON_ATTEMPT"\n',
    );
    expect((await run()).status).toBe(1);
    const kept = (number: number): string =>
      house.git('show', `refs/skeleton/attempts/plan/one/${number}:work`);
    expect([1, 2, 3].map(kept)).toEqual(['1', '1\n2', '1\n2\n3']);
    expect(house.git('status', '--porcelain')).toBe('');
    expect(existsSync(join(house.top, 'work'))).toBe(false);
    const prompt = readFileSync(join(house.outside, 'prompt-2'), 'utf8');
    expect(prompt).toContain('is still in the work tree');
    expect(prompt).not.toContain('rolled back: the work tree');
  });

  test('but not those of one that must not stand; each attempt names its model', async () => {
    house.write(
      'PLAN.md',
      lines.replace('attempts: 3', 'attempts: 2\nagent_command: my-agent\nmodels: [small, large]'),
    );
    house.write('gates/check.sh', '#!/bin/sh\nexit 0\n');
    house.write(
      agent,
      '#!/bin/sh\ncat >/dev/null; touch "by-$SKELETON_ATTEMPT"; test "$SKELETON_ATTEMPT" = 2 || echo >gates/check.sh\n',
    );
    expect((await start('run')).status).toBe(0);
    expect(house.git('ls-tree', '--name-only', 'HEAD').split('\n')).not.toContain('by-1');
    expect((await house.run('show', 'one#1')).stdout).toMatch(
      /^agent +my-agent \(small\): exit 0$/m,
    );
    expect(house.git('show', '--no-patch', 'HEAD')).toMatch(/Skeleton-Agent: my-agent \(large\)$/m);
  });
});
