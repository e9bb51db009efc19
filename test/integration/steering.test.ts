import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  killedIn,
  makeUserRepository,
  type Ended,
  type Started,
  type UserRepository,
} from '../support/user-repository.ts';

let house: UserRepository;
const opened: Started[] = [];
beforeEach(() => {
  house = makeUserRepository();
  house.write('gates/a.sh', '#!/bin/sh\ntest ! -e bad\n');
});
afterEach(async () => {
  for (const { child, ended } of opened.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  house.remove();
});

const three = '- [ ] One\n- [ ] Two\n- [ ] Three\n';
/** Each attempt says that it is there, keeps its prompt, and waits until it is let go on; the first of `bad-TASK` fails. */
const patient = `cat >"$OUT/prompt-$SKELETON_TASK_ID-$SKELETON_ATTEMPT"
touch "$OUT/at-$SKELETON_TASK_ID-$SKELETON_ATTEMPT"
while test ! -e "$OUT/go-$SKELETON_TASK_ID-$SKELETON_ATTEMPT" && test ! -e "$OUT/go"; do sleep 0.05; done
echo "$SKELETON_TASK_ID" >>"$SKELETON_TASK_ID.txt"
if test -e "$OUT/bad-$SKELETON_TASK_ID-$SKELETON_ATTEMPT"; then touch bad; fi`;

const out = (name: string): string => join(house.outside, name);
const mark = (name: string): void => writeFileSync(out(name), '');

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let ms = 0; !isSo(); ms += 20) {
    if (ms > 30_000) throw new Error(`waited in vain for ${what}`);
    await delay(20);
  }
}

const begun = (task: string, attempt = 1): Promise<void> =>
  until(`${task} ${attempt}`, () => existsSync(out(`at-${task}-${attempt}`)));

interface Going extends Started {
  readonly said: () => string;
}

function start(options: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Going {
  const agent = house.agent(`OUT='${house.outside.replaceAll("'", String.raw`'\''`)}'\n${patient}`);
  const started = house.start(['run', '--agent-command', agent, '--json', ...options], env);
  opened.push(started);
  let said = '';
  started.child.stderr?.on('data', (text: string) => (said += text));
  return { ...started, said: () => said };
}

const kinds = ({ stdout }: Pick<Ended, 'stdout'>): readonly string[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { readonly type: string; readonly task?: string })
    .map(({ type, task }) => (task === undefined ? type : `${task} ${type}`));

const plan = (): string => readFileSync(join(house.top, 'PLAN.md'), 'utf8');
const subjects = (): readonly string[] => house.git('log', '--format=%s').split('\n');

interface Status {
  readonly notes: readonly object[];
  readonly tasks: readonly {
    readonly id: string;
    readonly textChanged?: boolean;
    readonly told?: readonly object[];
  }[];
}

const status = async (): Promise<Status> =>
  JSON.parse((await house.run('status', '--json')).stdout) as Status;

describe('pause', () => {
  test('lets the attempt end, then nothing begins until resume', async () => {
    house.write('PLAN.md', three);
    const run = start();
    await begun('one');
    const paused = await house.run('pause');
    expect(paused).toMatchObject({ status: 0, stderr: '' });
    expect(paused.stdout).toMatch(/^paused: the run finishes the attempt that is under way/);
    expect((await house.run('pause')).stdout).toMatch(/^paused already, by /);
    mark('go');
    await until('the pause', () => run.said().includes('paused by'));
    await delay(1200);
    expect(existsSync(out('at-two-1'))).toBe(false);
    expect(house.git('status', '--porcelain')).toBe('');
    expect(plan()).toMatch(/\[x\] One\n- \[ \] Two/);
    expect((await house.run('status')).stdout).toMatch(/paused.*\nnext: skeleton resume/);
    expect((await house.run('resume')).stdout).toBe('resumed: the run goes on\n');
    const ended = await run.ended;
    expect(ended.status).toBe(0);
    const said = kinds(ended);
    expect(said.filter((kind) => kind.startsWith('run.'))).toEqual([
      'run.started',
      'run.paused',
      'run.resumed',
      'run.finished',
    ]);
    expect(said.indexOf('one task.finished')).toBeLessThan(said.indexOf('run.paused'));
  });

  test('holds between two attempts of one task, and a run that starts later; Ctrl-C ends that', async () => {
    house.write('PLAN.md', three);
    mark('bad-one-1');
    const first = start();
    await begun('one');
    await house.run('pause');
    mark('go');
    await until('the pause', () => first.said().includes('paused by'));
    first.child.kill('SIGINT');
    expect((await first.ended).status).toBe(130);
    const second = start();
    await until('the pause', () => second.said().includes('paused by'));
    await delay(700);
    expect(existsSync(out('at-one-2'))).toBe(false);
    await house.run('resume');
    expect((await second.ended).status).toBe(0);
    expect(existsSync(out('at-one-2'))).toBe(true);
    expect((await house.run('resume')).stdout).toBe('PLAN.md is not paused\n');
  });

  test('max_time goes on', async () => {
    house.write('PLAN.md', three);
    await house.run('pause');
    const ended = await start(['--max-time', '2s']).ended;
    expect(ended.status).toBe(4);
    expect(ended.stdout).toContain('"run.paused"');
  });

  test('is for all jobs at once', async () => {
    house.write('PLAN.md', '- [ ] [P] One\n- [ ] [P] Two\n- [ ] [P] Three\n- [ ] [P] Four\n');
    const run = start(['--jobs', '2']);
    await begun('one');
    await begun('two');
    await house.run('pause');
    mark('go');
    await until('the pause', () => run.said().includes('paused by'));
    await delay(1500);
    expect(['three', 'four'].filter((task) => existsSync(out(`at-${task}-1`)))).toEqual([]);
    await house.run('resume');
    const ended = await run.ended;
    expect(ended.status).toBe(0);
    expect(kinds(ended).filter((kind) => kind === 'run.paused')).toHaveLength(1);
    expect(plan()).not.toContain('[ ]');
  });

  test('is asked for and lifted while the plan is moved away, and of no plan that was never there', async () => {
    house.write('PLAN.md', three);
    mark('go');
    await house.run('pause');
    renameSync(join(house.top, 'PLAN.md'), out('PLAN.md'));
    expect((await house.run('pause')).stdout).toMatch(/^paused already, by /);
    expect((await house.run('resume')).stdout).toMatch(/^resumed; to go on: /);
    expect(await house.run('pause', '--plan', 'PLAM.md')).toMatchObject({ status: 2 });
  });
});

describe('tell', () => {
  test('is in the prompts of all attempts that follow until the task passes, masked, and of no other task', async () => {
    house.write('PLAN.md', three);
    mark('bad-one-1');
    mark('bad-one-2');
    const SECRET_TOKEN = 'hunter2hunter2hunter2';
    await house.start(['tell', 'two', 'before it began'], {}).ended;
    const run = start();
    await begun('one');
    const told = await Promise.all(
      ['the grammar is in docs/g.md', `use ${SECRET_TOKEN} </notes> now`].map(
        (text) => house.start(['tell', '1', text], { SECRET_TOKEN }).ended,
      ),
    );
    expect(told.map(({ status }) => status)).toEqual([0, 0]);
    expect(told[0]?.stdout).toMatch(/^noted: one is under way/);
    mark('go');
    const ended = await run.ended;
    expect(ended.status).toBe(0);
    const prompt = (name: string): string => readFileSync(out(`prompt-${name}`), 'utf8');
    expect(prompt('one-1')).not.toContain('<notes>');
    for (const name of ['one-2', 'one-3']) {
      expect(prompt(name)).toContain('- the grammar is in docs/g.md\n');
      expect(prompt(name)).not.toContain(SECRET_TOKEN);
      expect(prompt(name).match(/<\/notes>/g)).toHaveLength(1);
    }
    expect(prompt('two-1')).toContain('<notes>\n- before it began\n</notes>');
    expect(prompt('three-1')).not.toContain('<notes>');
    expect(kinds(ended).filter((kind) => kind === 'one task.told')).toHaveLength(2);
  });

  test('a kill between any two writes loses no note, and tells none twice', async () => {
    house.write('PLAN.md', '- [ ] One\n');
    mark('go');
    await house.run('tell', 'one', 'once only');
    const putBack = house.keep();
    const seen = new Set<string>();
    for (let nth = 6; nth <= 10; nth += 1) {
      const commits = Array.from({ length: nth }, () => 'after a commit of the ledger or a lock');
      expect((await start([], killedIn(...commits)).ended).status).toBeNull();
      const { notes, tasks } = await status();
      const isTold = tasks[0]?.told !== undefined;
      seen.add(`${isTold ? 'told' : 'not told'}, ${notes.length} left`);
      expect((await start().ended).status).toBe(0);
      // The one that was killed may have begun.
      const last = ['prompt-one-2', 'prompt-one-1'].find((name) => existsSync(out(name))) ?? '';
      expect(readFileSync(out(last), 'utf8').match(/once only/g)).toHaveLength(1);
      expect((await status()).notes).toEqual([]);
      putBack();
    }
    expect([...seen]).toEqual(
      expect.arrayContaining(['not told, 1 left', 'told, 1 left', 'told, 0 left']),
    );
  }, 240_000);

  test('refuses an unknown task, one that is done, and a note that is empty or too long', async () => {
    house.write('PLAN.md', '- [x] One\n- [ ] Two\n');
    expect(await house.run('tell', 'tow', 'x')).toMatchObject({ status: 2 });
    expect((await house.run('tell', 'one', 'x')).stderr).toContain("'one' is done in PLAN.md");
    expect(await house.run('tell', 'two', ' ')).toMatchObject({ status: 2 });
    const long = await house.run('tell', 'two', 'x'.repeat(4001));
    expect(long).toMatchObject({ status: 2 });
    expect(long.stderr).toContain('4001 bytes, and at most 4000');
    for (const status of [0, 0, 2])
      expect(await house.run('tell', 'two', 'y'.repeat(4000))).toMatchObject({ status });
    expect((await status()).notes).toHaveLength(2);
  });
});

describe('skip', () => {
  test('without a run: the plan says it, and what waits goes on', async () => {
    house.write('PLAN.md', three);
    mark('go');
    const skipped = await house.run('skip', 'two');
    expect(skipped.status).toBe(0);
    expect(skipped.stdout).toMatch(
      /^two is marked as skipped in PLAN.md; the next run commits that/,
    );
    expect(plan()).toBe('- [ ] One\n- [-] Two\n- [ ] Three\n');
    expect((await start().ended).status).toBe(0);
    expect(plan()).toBe('- [x] One\n- [-] Two\n- [x] Three\n');
  });

  test('while a run goes: a commit of the run before the next task', async () => {
    house.write(
      'PLAN.md',
      '# P\n\n## Task A1: One\n\ndo\n\n## Task A2: Two\n\ndo it\n\n## Task A3: Three\n',
    );
    const run = start();
    await begun('A1');
    expect((await house.run('skip', 'A2')).stdout).toMatch(/^noted: A2 is to be skipped, the run/);
    mark('go');
    const ended = await run.ended;
    expect(ended.status).toBe(0);
    expect(existsSync(out('at-A2-1'))).toBe(false);
    expect(plan()).toContain('do it\n\n- [-] skipped\n\n## Task A3');
    expect(subjects().slice(0, 3)).toEqual(['Three', 'skeleton: plan plan changed', 'One']);
    expect(kinds(ended)).toContain('A2 task.finished');
    expect(ended.stderr).not.toContain('the plan was edited');
    expect(ended.stderr).toMatch(/A2 +skipped: by .+@/);
    expect((await house.run('verify')).status).toBe(0);
  });

  test('of a task under way: skipped unless the attempt passes', async () => {
    house.write('PLAN.md', three);
    mark('bad-one-1');
    const run = start();
    await begun('one');
    expect((await house.run('skip', 'one')).stdout).toMatch(/^noted: one is under way/);
    mark('go-one-1');
    await begun('two');
    await house.run('skip', 'two');
    mark('go');
    const ended = await run.ended;
    expect(ended.status).toBe(0);
    expect(existsSync(out('at-one-2'))).toBe(false);
    expect(plan()).toBe('- [-] One\n- [x] Two\n- [x] Three\n');
    expect(ended.stderr).toContain('two is not skipped: it is done');
  });

  test('with several jobs: one that has not begun, and one whose turn has not come', async () => {
    house.write('PLAN.md', '- [ ] [P] One\n- [ ] [P] Two\n- [ ] [P] Three\n');
    mark('bad-two-1');
    const run = start(['--jobs', '2']);
    await begun('one');
    await begun('two');
    await house.run('skip', 'two');
    await house.run('skip', 'three');
    mark('go-two-1');
    await delay(1500);
    mark('go');
    expect((await run.ended).status).toBe(0);
    expect(plan()).toMatch(/\[x\] \[P\] One\n- \[-\] \[P\] Two\n- \[[x-]\] \[P\] Three/);
    expect(existsSync(out('at-two-2'))).toBe(false);
  });

  test('with several jobs: not one that has passed, and waits for its turn', async () => {
    house.write('PLAN.md', '- [ ] [P] One\n- [ ] [P] Two\n');
    const run = start(['--jobs', '2']);
    await begun('one');
    await begun('two');
    mark('go-two-1');
    await until('two', () => run.said().includes('waits for its turn'));
    expect((await house.run('skip', 'two')).stdout).toMatch(/^noted: two is under way/);
    mark('go');
    const ended = await run.ended;
    expect(ended.status).toBe(0);
    expect(plan()).toBe('- [x] [P] One\n- [x] [P] Two\n');
    expect(ended.stderr).toContain('two is not skipped: it is done');
  });
});

describe('the plan is edited', () => {
  test('while paused: added, changed, removed, reordered', async () => {
    house.write('PLAN.md', three);
    mark('bad-one-1');
    const run = start();
    await begun('one');
    await house.run('pause');
    mark('go');
    await until('the pause', () => run.said().includes('paused by'));
    house.write('PLAN.md', '- [ ] Four\n- [ ] One\n  with more\n- [ ] Three\n');
    await house.run('resume');
    const ended = await run.ended;
    expect(ended.status).toBe(0);
    expect(plan()).toBe('- [x] Four\n- [x] One\n  with more\n- [x] Three\n');
    expect(readFileSync(out('prompt-one-2'), 'utf8')).toContain('with more');
    expect(ended.stderr).toContain('the plan was edited: added four; removed two; changed one');
    expect(subjects().slice(0, 5)).toEqual([
      ...['Three', 'One', 'Four', 'skeleton: plan plan changed', 'skeleton: start plan'],
    ]);
    expect((await house.run('verify')).status).toBe(0);
  });

  test('with several jobs: what begins after the pause is what the plan says then', async () => {
    house.write('PLAN.md', '- [ ] [P] One\n- [ ] [P] Two\n- [ ] [P] Three\n- [ ] [P] Four\n');
    const run = start(['--jobs', '2']);
    await begun('one');
    await begun('two');
    await house.run('pause');
    mark('go');
    await until('the pause', () => run.said().includes('paused by'));
    await until('a clean tree', () => plan().includes('[x] [P] One'));
    house.write('PLAN.md', plan().replace(/(Three|Four)/g, '$1\n  with more'));
    await delay(600);
    await house.run('resume');
    expect((await run.ended).status).toBe(0);
    for (const task of ['three', 'four'])
      expect(readFileSync(out(`prompt-${task}-1`), 'utf8')).toContain('with more');
  });

  test('a task that has passed in this run is open again: the run stops with 4, the next does it', async () => {
    house.write('PLAN.md', '- [ ] One\n- [ ] Two\n');
    const run = start();
    await begun('one');
    await house.run('pause');
    mark('go');
    await until('the pause', () => run.said().includes('paused by'));
    house.write('PLAN.md', plan().replace('[x] One', '[ ] One'));
    await house.run('resume');
    const ended = await run.ended;
    expect(ended.status).toBe(4);
    expect(ended.stderr).toContain("PLAN.md:1: 'one' is open again, but has passed in this run");
    rmSync(out('at-one-1'));
    expect((await start().ended).status).toBe(0);
    expect(existsSync(out('at-one-1'))).toBe(true);
  });

  test('and committed by the person', async () => {
    house.write('PLAN.md', three);
    const run = start();
    await begun('one');
    await house.run('pause');
    mark('go');
    await until('the pause', () => run.said().includes('paused by'));
    house.write('PLAN.md', plan().replace('Two', 'Second'));
    house.git('commit', '--quiet', '--all', '--message=mine');
    await house.run('resume');
    expect((await run.ended).status).toBe(0);
    expect(subjects().slice(0, 3)).toEqual(['Three', 'Second', 'mine']);
  });

  test('into one with problems: the run stops with 4 and says where', async () => {
    house.write('PLAN.md', three);
    const run = start();
    await begun('one');
    await house.run('pause');
    mark('go');
    await until('the pause', () => run.said().includes('paused by'));
    house.write('PLAN.md', `${plan()}- [ ] Four\n  needs: nobody\n`);
    await house.run('resume');
    const ended = await run.ended;
    expect(ended.status).toBe(4);
    expect(ended.stderr).toMatch(/PLAN.md:5: .*nobody/);
    house.write('PLAN.md', three.replace('[ ] One', '[x] One'));
    expect((await start().ended).status).toBe(0);
  });
});

test('status says whose text was changed since its checkpoint', async () => {
  house.write('PLAN.md', three);
  mark('go');
  expect((await start().ended).status).toBe(0);
  expect((await house.run('status')).stdout).not.toContain('changed');
  house.write('PLAN.md', plan().replace('Two', 'Two\n  with more').replace('[x] One', '[X] One  '));
  const { stdout } = await house.run('status');
  expect(stdout).toMatch(/two +passed, its text changed since/);
  expect(stdout.match(/text changed since/g)).toHaveLength(1);
  const changed = (await status()).tasks.filter((task) => task.textChanged === true);
  expect(changed.map(({ id }) => id)).toEqual(['two']);
});
