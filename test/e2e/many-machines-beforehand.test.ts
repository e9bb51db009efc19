import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openPostgresServer, type PostgresServer } from '../support/postgres-lab.ts';
import { makeTeamLab, type TeamLab } from '../support/team-lab.ts';

let server: PostgresServer;
let lab: TeamLab;
beforeAll(async () => {
  server = await openPostgresServer();
});
afterEach(async () => lab.remove());
afterAll(async () => server.close());

/** What a worker does with what was there before it came. */
async function makeLab(...ids: readonly string[]): Promise<TeamLab> {
  lab = makeTeamLab(
    await server.database(),
    ids.map((id) => ({ id })),
  );
  return lab;
}

test('the undo of the documentation makes a task pending again, for the next run', async () => {
  await makeLab('a', 'b');
  const one = lab.machine('one');
  expect((await one.run()).status).toBe(0);
  const top = join(lab.folder, 'a person');
  execFileSync('git', ['clone', '-q', '-b', 'skeleton/plan', lab.bare, top]);
  execFileSync('git', ['-C', top, 'revert', '--no-edit', 'skeleton/plan/0001-a']);
  execFileSync('git', ['-C', top, 'push', '-q', 'origin', 'HEAD']);
  const would = await one.run('--dry-run');
  expect(would.stdout).toContain('would run 1 of 2 tasks');
  const { status, stderr } = await one.run();
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(stderr).toContain('the tree is at skeleton/plan/0003-a');
  expect(lab.calls().map((line) => line.split(' ')[0])).toEqual(['a', 'b', 'a']);
  const all = await lab.machine('two').run('--dry-run');
  expect(all.stdout).toContain('nothing to do: all 2 tasks');
});

test('a plan is worked on on one branch; one that was deleted is not put back by the way', async () => {
  await makeLab('a', 'b', 'c');
  const [one, two] = [lab.machine('one'), lab.machine('two')];
  expect((await one.run('a', '--branch', 'team/x')).status).toBe(0);
  for (const { run } of [one, two]) {
    const { status, stderr } = await run();
    expect(status).toBe(3);
    expect(stderr).toContain('worked on the branch team/x');
    expect(stderr).toContain('skeleton run --remote origin --branch team/x');
  }
  expect((await one.run('b', '--branch', 'team/x')).stderr).toContain('skeleton/plan/0002-b');
  lab.there('update-ref', '-d', 'refs/heads/team/x');
  const { status, stderr } = await one.run('--branch', 'team/x');
  expect(status).toBe(3);
  expect(stderr).toContain('git push origin team/x');
  const elsewhere = await one.run('--branch', 'team/y');
  expect(elsewhere.stderr).toContain('is the worktree of runs on team/x');
  expect(elsewhere.stderr).toContain('git worktree remove');
  expect(lab.refs().filter((ref) => /heads\/(team|skeleton)/.test(ref))).toEqual([]);
});

test('in the end every worker’s tree is where the branch is, and each names what failed anywhere', async () => {
  lab = makeTeamLab(await server.database(), [
    { id: 'a', seconds: 1 },
    { id: 'b', edits: 'touch BAD', attempts: 1 },
    { id: 'c', seconds: 1 },
  ]);
  const machines = [lab.machine('one'), lab.machine('two')];
  const ends = await Promise.all(machines.map(async ({ run }) => run()));
  const tip = lab.there('rev-parse', 'refs/heads/skeleton/plan');
  const said = ends.map(({ stderr }) => stderr).join('\n');
  for (const { worktree, git } of machines)
    expect(git('-C', worktree, 'rev-parse', 'HEAD')).toBe(tip);
  expect(ends.map(({ status }) => status)).toEqual([1, 1]);
  expect(said.match(/the tree is at skeleton\/plan\/0002-[ac] \(exit 1\)/g)).toHaveLength(2);
  expect(said.match(/; failed elsewhere: b;/g)).toHaveLength(1);
  expect(said).toContain('next: skeleton status --failed');
});

test('what is not committed is said without a word of what nobody has asked for', async () => {
  await makeLab('a');
  const { top, run } = lab.machine('one');
  writeFileSync(join(top, 'PLAN.md'), '# Plan\n\n- [ ] Another {#a}\n');
  const { status, stderr } = await run();
  expect(status).toBe(3);
  expect(stderr).toContain('what machines share is committed, and this is not: PLAN.md');
  expect(stderr).not.toContain('isolate');
});
