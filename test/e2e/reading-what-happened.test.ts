import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import schema from '../../schema/events.schema.json' with { type: 'json' };
import { makeUserRepository } from '../support/user-repository.ts';
import type { Ended, UserRepository } from '../support/user-repository.ts';

/** One run with a pass at the second attempt, a final failure and what that blocks, then everything that looks at it. */

const plan = `# Plan

- [ ] Make one {#one}
- [ ] Make two {#two}
- [ ] Make three {#three}
`;
const gate = `#!/bin/sh
echo "looking at $SKELETON_TASK_ID, attempt $SKELETON_ATTEMPT"
[ "$SKELETON_TASK_ID.$SKELETON_ATTEMPT" = one.2 ] || { echo "error: not good enough"; exit 1; }
`;
const agent = `#!/bin/sh
cat > /dev/null
echo "work of attempt $SKELETON_ATTEMPT" > "$SKELETON_TASK_ID.txt"
`;

let repository: UserRepository;
let run: Ended;

beforeAll(async () => {
  repository = makeUserRepository();
  repository.write('PLAN.md', plan);
  repository.write('gates/check.sh', gate);
  repository.write('.skeleton.yml', "agent_command: 'false'\n");
  const command = repository.agent(agent);
  run = await repository.run('run', '--json', '--attempts', '2', '--agent-command', command);
});
afterAll(() => {
  repository.remove();
});

describe('the run', () => {
  test('ends with 1, for a task failed', () => {
    expect(run.status).toBe(1);
  });

  test('each event on standard output meets the shipped schema', () => {
    const validate = new Ajv().compile(schema);
    const events = run.stdout.trimEnd().split('\n');
    expect(events.length).toBeGreaterThan(20);
    for (const line of events) {
      validate(JSON.parse(line));
      expect([line, validate.errors ?? []]).toEqual([line, []]);
    }
  });

  test('standard error tells it in plain words, begun by what it may cost', () => {
    const lines = run.stderr.split('\n');
    expect(lines[0]).toMatch(/^PLAN\.md: at worst 3 tasks × 2 attempts × .* = .*; no budget set$/);
    expect(lines[1]).toContain("branch main; until the run ends the work tree is the run's");
    expect(run.stderr).toContain('✗ one  attempt 1/2 rejected by check.sh');
    expect(run.stderr).toContain('    │ error: not good enough');
    expect(run.stderr).toMatch(/^✔ one {2}passed {2}2 attempts, .*skeleton\/plan\/0001-one$/m);
    expect(run.stderr).toMatch(/^✗ two {2}failed {2}2 attempts/m);
    expect(run.stderr).toContain('- three  blocked: waits for two');
    expect(run.stderr).toMatch(
      /^1 passed, 1 failed, 1 blocked in .* the tree is at skeleton\/plan\/0001-one \(exit 1\)$/m,
    );
    expect(run.stderr.trimEnd().split('\n').at(-1)).toBe('next: skeleton show two#2');
  });
});

describe('status', () => {
  test('begins with where the plan stands and what to type next', async () => {
    const { status, stdout } = await repository.run('status');
    const [first, next] = stdout.split('\n');
    expect(status).toBe(0);
    expect(first).toMatch(
      /^PLAN\.md: 1 of 3 passed; failed: two \(check\.sh, 2 attempts\); blocked: three; .* in 1 run; cost unknown; the tree is at skeleton\/plan\/0001-one$/,
    );
    expect(next).toBe('next: skeleton show two#2');
  });

  test('--json is one object', async () => {
    const { stdout } = await repository.run('status', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      plan: 'PLAN.md',
      counts: { passed: 1, failed: 1, blocked: 1 },
      tasks: [
        { id: 'one', state: 'passed', attempts: 2 },
        { id: 'two', state: 'failed', attempts: 2 },
        { id: 'three', state: 'blocked' },
      ],
    });
  });

  test('a commit on top is said to be no checkpoint', async () => {
    repository.git('commit', '--quiet', '--allow-empty', '--message=mine');
    const { stdout } = await repository.run('status');
    const head = repository.git('rev-parse', 'HEAD').slice(0, 10);
    expect(stdout).toContain(`the tree is at ${head} (last checkpoint skeleton/plan/0001-one)`);
  });
});

describe('log', () => {
  test('lists the attempts, newest last', async () => {
    const { status, stdout } = await repository.run('log');
    expect(status).toBe(0);
    expect(stdout.split('\n').map((line) => line.split(/\s/)[0])).toEqual([
      'attempt',
      'one#1',
      'one#2',
      'two#1',
      'two#2',
      '',
    ]);
    expect(stdout).toContain('refs/skeleton/attempts/plan/two/2');
  });

  test('--json is one object an attempt, with refs that are there', async () => {
    const { stdout } = await repository.run('log', '--json');
    const attempts = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { snapshot: { ref: string; commit: string } | null });
    expect(attempts).toHaveLength(4);
    for (const { snapshot } of attempts) {
      if (snapshot !== null)
        expect(repository.git('rev-parse', snapshot.ref)).toBe(snapshot.commit);
    }
    expect(attempts.filter(({ snapshot }) => snapshot !== null)).toHaveLength(3);
  });
});

describe('show', () => {
  test('has prompt, diff and gate output of one attempt', async () => {
    const { status, stdout } = await repository.run('show', 'one#1');
    expect(status).toBe(0);
    expect(stdout).toContain('verdict    rejected by check.sh');
    expect(stdout).toContain('Make one');
    expect(stdout).toContain('+work of attempt 1');
    expect(stdout).toContain('looking at one, attempt 1\nerror: not good enough');
  });

  test('without a number it is the last attempt; the task may be a number too', async () => {
    const byId = await repository.run('show', 'one');
    const byNumber = await repository.run('show', '1');
    expect(byId.stdout).toContain('+work of attempt 2');
    expect(byNumber).toEqual(byId);
  });

  test('--json holds the texts as they were', async () => {
    const { stdout } = await repository.run('show', 'two#1', '--json');
    const shown = JSON.parse(stdout) as {
      prompt: string;
      diff: string;
      gates: { output: string }[];
    };
    expect(shown).toMatchObject({ task: 'two', number: 1, verdict: 'rejected', title: 'Make two' });
    expect(shown.prompt).toContain('Make two');
    expect(shown.diff).toContain('+work of attempt 1');
    expect(shown.gates[0]?.output).toBe('looking at two, attempt 1\nerror: not good enough\n');
  });

  test.each([
    ['tow', "there is no task 'tow'; did you mean 'two'?"],
    ['one#9', "task 'one' has no attempt 9"],
    ['three', "task 'three' has no attempt yet"],
  ])('%s is a usage error', async (attempt, message) => {
    const { status, stdout, stderr } = await repository.run('show', attempt);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});

describe('looking', () => {
  test.each([['status'], ['log'], ['show', 'one'], ['check']])(
    '%s changes nothing, from anywhere in the repository',
    async (...args) => {
      const before = repository.git('for-each-ref') + repository.git('status', '--porcelain=v2');
      const { status } = await repository.run(...args, '-C', 'gates');
      expect(status).toBe(0);
      expect(repository.git('for-each-ref') + repository.git('status', '--porcelain=v2')).toBe(
        before,
      );
    },
  );
});
