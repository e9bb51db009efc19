import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answer, fakeClaude, resultLine, says } from '../support/fake-claude.ts';
import { makeUserRepository } from '../support/user-repository.ts';
import type { Ended, UserRepository } from '../support/user-repository.ts';

/** Budgets, with a client that reports tokens and cost. */

const plan = `# Plan

- [ ] Make one {#one}
- [ ] Make two {#two}
`;
const works = [
  'echo done > "$SKELETON_TASK_ID.txt"',
  says(resultLine({ input: 1200, output: 80, usd: 0.05 })),
].join('\n');

function aRepository(script: string): UserRepository & { readonly env: NodeJS.ProcessEnv } {
  const repository = makeUserRepository();
  repository.write('PLAN.md', plan);
  repository.write('gates/check.sh', '#!/bin/sh\ntest -f "$SKELETON_TASK_ID.txt"\n');
  const bin = fakeClaude(join(repository.outside, 'bin'), script);
  const env = { PATH: `${bin}:${process.env['PATH']}`, ANTHROPIC_API_KEY: 'k' };
  return { ...repository, env };
}

describe('a budget in USD', () => {
  let repository: ReturnType<typeof aRepository>;
  let run: Ended;
  const start = (...args: readonly string[]): Promise<Ended> =>
    repository.start(args, repository.env).ended;

  beforeAll(async () => {
    repository = aRepository(works);
    run = await start('run', '--agent', 'claude', '--budget', '0.05');
  });
  afterAll(() => {
    repository.remove();
  });

  test('ends the run with 4 once it is reached, the attempt in hand judged', () => {
    const lines = run.stderr.split('\n');
    expect(lines[0]).toMatch(/; budget \$0\.05$/);
    expect(run.stderr).toContain('one  agent: exit 0, ');
    expect(run.stderr).toMatch(/^✔ one {2}passed/m);
    expect(run.stderr).toContain(
      "‖ two  stopped: the run's budget of $0.05 is reached: $0.05 spent",
    );
    expect(run.stderr).toMatch(/^1 passed, 1 pending in .*; 1\.3k tokens, \$0\.05; .*\(exit 4\)$/m);
    expect(run.status).toBe(4);
  });

  test('what a task took is in the trailers of its commit, and in its proof', () => {
    const trailers = repository.git('log', '-1', '--format=%(trailers:unfold)');
    expect(trailers).toContain('Skeleton-Tokens: 1200 in, 80 out\nSkeleton-Cost: $0.05');
    const proof = repository.git('cat-file', '-p', 'refs/skeleton/proof/plan/0001');
    expect(proof).toMatch(/"usage": \{\s+"input": 1200,\s+"output": 80,\s+"usd": 0\.05/);
  });

  test('the next run goes on; status tells what was spent, as long as the ledger is there', async () => {
    const next = await start('run', '--agent', 'claude', '--budget', '0.05');
    expect(next.status).toBe(0);
    const status = await start('status');
    expect(status.stdout.split('\n')[0]).toContain(' in 2 runs; 2.6k tokens, $0.10; ');
    for (const end of ['', '-wal', '-shm'])
      rmSync(join(repository.top, '.git/skeleton', `ledger.db${end}`), { force: true });
    const rebuilt = await start('status');
    expect(rebuilt.stdout).toContain('2 unproven');
    expect(rebuilt.stdout).toContain('; cost unknown; ');
  });
});

test('with a fallback that does not report it, a budget is 2 before anything is touched', async () => {
  const repository = aRepository(works);
  repository.write('PLAN.md', `---\nbudget: 5\nfallback: [codex]\n---\n${plan}`);
  const run = await repository.start(['run', '--agent', 'claude'], repository.env).ended;
  expect(run.status).toBe(2);
  expect(run.stderr).toMatch(/codex does not report what it costs.*tokens.*max_time/);
  expect(repository.git('log', '--format=%s')).toBe('first commit');
  repository.remove();
});

test('a step that is cut costs no attempt, and its work is kept', async () => {
  const script = ['echo half > half.txt', says(answer('m1', 5000, 1)), 'sleep 60'].join('\n');
  const repository = aRepository(script);
  const budget = '---\nbudget: {tokens: 1000, reached: cut}\n---\n';
  repository.write('PLAN.md', budget + plan);
  const run = await repository.start(['run', '--agent', 'claude'], repository.env).ended;
  expect(run.status).toBe(4);
  expect(run.stderr).toContain('attempt 1/5 does not count: a limit of the run was reached');
  expect(run.stderr).toMatch(/^‖ one {2}stopped {2}[\d.]+s: /m);
  expect(run.stderr).toMatch(/: the run's budget of 1k tokens is reached: 5k used$/m);
  expect(repository.git('status', '--porcelain')).toBe('');
  expect(repository.git('show', 'refs/skeleton/attempts/plan/one/1:half.txt')).toBe('half');
  expect(run.stderr).toContain('; at least 5k tokens, cost unknown; ');
  repository.remove();
});
