import { mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runProgram } from '../../cli/program.ts';
import { explainError } from '../../cli/explain-error.ts';
import { checkPlan, importPlan } from '../../src/index.ts';
import { fakeIo } from '../support/fake-io.ts';
import { makeUserRepository } from '../support/user-repository.ts';
import type { UserRepository } from '../support/user-repository.ts';

let user: UserRepository;

beforeEach(() => {
  user = makeUserRepository();
});
afterEach(() => {
  user.remove();
});

const env = { ...process.env, PATH: '/usr/bin:/bin' };

interface Said {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function say(...argv: readonly string[]): Promise<Said> {
  return sayIn(user.top, ...argv);
}

async function sayIn(cwd: string, ...argv: readonly string[]): Promise<Said> {
  const io = fakeIo({ argv: ['import', ...argv], cwd, env });
  try {
    return { status: await runProgram(io, '1.2.3'), stdout: io.stdout(), stderr: io.stderr() };
  } catch (error) {
    const { status, text } = explainError(error, '1.2.3');
    return { status, stdout: io.stdout(), stderr: io.stderr() + text };
  }
}

const checklist = '- [x] Parse\n- [ ] Print\n';
const planFiles = (): readonly string[] =>
  readdirSync(user.top).filter((name) => name.startsWith('PLAN'));

describe('skeleton import', () => {
  test('writes PLAN.md, which check reads without a problem, and says what became of each field', async () => {
    user.write('prd.json', readFileSync('test/fixtures/import/prd/ralph.json', 'utf8'));
    const { status, stdout, stderr } = await say('prd.json');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('prd.json: read as prd; 3 tasks: 1 done, 0 skipped, 2 to do\n');
    expect(stdout).toMatch(/^userStories\[\]\.passes +\[x\] where it is true +3 +prd\.json:12$/m);
    expect(stdout).toContain('not mapped:\nprd.json:3: branchName\n');
    expect(stdout).toContain('wrote     PLAN.md\nnext      skeleton check; skeleton run\n');
    const { plan, problems } = await checkPlan({ cwd: user.top, env });
    expect(problems).toEqual([]);
    expect(plan.tasks.map(({ id, state }) => [id, state])).toEqual([
      ['US-001', 'done'],
      ['US-002', 'pending'],
      ['US-003', 'pending'],
    ]);
    expect(user.git('status', '--porcelain')).toBe('?? PLAN.md\n?? prd.json');
  });

  test('never overwrites: the next free name, also where docs/PLAN.md is the plan; a link is something too', async () => {
    user.write('list.md', checklist);
    user.write('docs/PLAN.md', '- [ ] mine\n');
    symlinkSync('nowhere', join(user.top, 'PLAN-2.md'));
    const first = await say('list.md');
    expect(first.stdout).toContain('wrote     PLAN-3.md (docs/PLAN.md is there already');
    expect(first.stdout).toContain('skeleton check --plan PLAN-3.md');
    expect((await say('list.md')).stdout).toContain('wrote     PLAN-4.md');
    expect(planFiles()).toEqual(['PLAN-2.md', 'PLAN-3.md', 'PLAN-4.md']);
    expect(readFileSync(join(user.top, 'docs/PLAN.md'), 'utf8')).toBe('- [ ] mine\n');
  });

  test('--output is that file or none: one that is there, outside, or git’s is 2', async () => {
    user.write('list.md', checklist);
    user.write('sub/x.md', 'mine\n');
    expect((await say('list.md', '--output', 'plans/A.md')).stdout).toContain(
      'wrote     plans/A.md',
    );
    for (const path of ['sub/x.md', 'sub', '../outside/x.md', '.git/x.md', 'sub/x.md/y.md']) {
      const { status, stderr } = await say('list.md', '--output', path);
      expect([path, status, stderr.split('\n').length]).toEqual([path, 2, 4]);
    }
    expect(readFileSync(join(user.top, 'sub/x.md'), 'utf8')).toBe('mine\n');
    expect(readdirSync(user.outside)).toEqual([]);
  });

  test('--dry-run writes nothing, shows the plan, and needs no repository; else that is 3', async () => {
    user.write('list.md', checklist);
    const shown = await say('list.md', '--dry-run');
    expect(shown.stdout).toContain('\n  - [x] Parse {#parse}\n');
    expect(planFiles()).toEqual([]);
    user.write('../outside/list.md', checklist);
    expect((await sayIn(user.outside, 'list.md', '--dry-run')).status).toBe(0);
    expect((await sayIn(user.outside, 'list.md')).status).toBe(3);
  });

  test('--json is one object', async () => {
    user.write('list.md', checklist);
    const { stdout } = await say('list.md', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      format: 'fix-plan',
      plan: 'PLAN.md',
      state: 'written',
      tasks: [
        { id: 'parse', title: 'Parse', state: 'done' },
        { id: 'print', title: 'Print', state: 'pending' },
      ],
      unmapped: [],
    });
  });

  test('what is wrong in the file is 2, with file:line, and nothing is written', async () => {
    user.write('prd.json', '{"userStories": [\n{"id": "a", "title": 1}]}');
    const { status, stdout, stderr } = await say('prd.json');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('prd.json:2: `userStories[].title`: expected a text, not a number');
    expect(planFiles()).toEqual([]);
  });

  test('a folder: its tasks.md, and the agent is told of the documents beside it', async () => {
    user.write('specs/001-albums/tasks.md', '- [ ] T001 Start\n');
    user.write('specs/001-albums/spec.md', '# Spec\n');
    user.write('specs/001-albums/contracts/api.md', '# API\n');
    const none = await say('specs');
    expect([none.status, none.stderr]).toEqual([
      2,
      expect.stringContaining('skeleton import specs/001-albums\n'),
    ]);
    expect((await say('specs/001-albums')).status).toBe(0);
    const plan = readFileSync(join(user.top, 'PLAN.md'), 'utf8');
    expect(plan).toContain(
      '> - `specs/001-albums/spec.md`\n> - `specs/001-albums/contracts/api.md`\n',
    );
    user.write('specs/001-albums/prd.json', '{}');
    expect((await say('specs/001-albums')).stderr).toContain('more than one list of tasks');
  });

  test('a file that is not there, a folder without tasks, a device: 2 at once', async () => {
    mkdirSync(join(user.top, 'empty'));
    for (const path of ['missing.json', 'empty', '/dev/null'])
      expect([path, (await say(path)).status]).toEqual([path, 2]);
  });

  test('a stream is read to its end', async () => {
    async function* parts(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(new TextEncoder().encode('[{"number": 3, "ti'));
      yield new TextEncoder().encode('tle": "Third", "state": "OPEN"}]');
    }
    const source = { name: 'standard input', stream: parts() };
    const result = await importPlan({ cwd: user.top, env, source, dryRun: true });
    expect(result.draft.tasks.map(({ id, title }) => [id, title])).toEqual([['3', 'Third']]);
  });

  test('a plan that git ignores is told', async () => {
    user.write('.gitignore', 'PLAN.md\n');
    user.write('list.md', checklist);
    expect((await say('list.md')).stdout).toContain('PLAN.md is ignored, so no run can read it');
  });

  test('a format that is not known, no file, an empty name are usage errors', async () => {
    for (const argv of [['x', '--format', 'jira'], [], [''], ['a', 'b']])
      expect([argv, (await say(...argv)).status]).toEqual([argv, 2]);
  });
});
