import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/core/config.ts';
import type { GateResult } from '../../src/core/events.ts';
import type { GateRun } from '../../src/ports.ts';
import { aGateHouse, aGateJob, plan, runGatesOf, type GateHouse } from '../support/gate-house.ts';

let house: GateHouse;
beforeEach(() => {
  house = aGateHouse();
});
afterEach(() => house.remove());

const sh = (body: string): string => `#!/bin/sh\n${body}\n`;

async function one(config: Config = {}): Promise<GateResult> {
  const { results } = await runGatesOf(house, config);
  const [result] = results;
  if (result === undefined || results.length > 1) throw new Error(`${results.length} results`);
  return result;
}

describe('every way to end has its word', () => {
  it.each([
    ['exit 0', 'exit 0', 'pass', 'exit 0', 0],
    ['a rejection', 'exit 3', 'fail', 'exit 3', 3],
    ['a signal', 'kill -SEGV $$', 'fail', 'signal SIGSEGV', null],
    [
      'a signal that its last command died of',
      'sh -c "kill -SEGV \\$\\$"; exit $?',
      'fail',
      'exit 139 (SIGSEGV)',
      139,
    ],
    ['a last command that is missing', 'no-such-program-anywhere', 'fail', 'not found', 127],
    ['a last command that cannot be executed', '/etc/passwd', 'fail', 'not executable', 126],
  ] as const)('%s', async (_, body, verdict, ended, exit) => {
    house.write('gates/a.sh', sh(body));
    expect(await one()).toMatchObject({ verdict, ended, exit });
    expect(await one({ gates: [{ run: body }] })).toMatchObject({ verdict, ended, exit });
  });

  it('a script without the right to execute it', async () => {
    house.write('gates/check.py', 'print(1)\n', 0o644);
    const result = await one({ gates: ['check.py'] });
    expect(result).toMatchObject({ verdict: 'fail', ended: 'not executable', exit: null });
    expect(result.tail).toMatch(/chmod \+x/);
  });

  it('a script whose interpreter is missing', async () => {
    house.write('gates/a', '#!/no/such/interpreter\necho\n');
    const result = await one();
    expect(result).toMatchObject({ verdict: 'fail', ended: 'not found', exit: null });
    expect(result.tail).toMatch(/\/no\/such\/interpreter/);
  });

  it('no end', async () => {
    house.write('gates/a.sh', sh('trap "" TERM; echo begun; sleep 60'));
    const result = await one({ gateTimeout: 300 });
    expect(result).toMatchObject({
      verdict: 'timeout',
      ended: 'timeout after 0.3s',
      exit: null,
      tail: expect.stringMatching(/^begun/) as string,
    });
  });

  it('75, as often as it may try again', async () => {
    house.write('gates/a.sh', sh('echo x >> tries; exit 75'));
    const { results, verdict } = await runGatesOf(house);
    expect(results[0]).toMatchObject({ verdict: 'error', ended: 'exit 75', exit: 75 });
    expect(verdict).toBe('error');
    expect(readFileSync(join(house.top, 'tries'), 'utf8')).toBe('x\nx\nx\n');
    await runGatesOf(house, { gates: [{ name: 'a', retries: 0 }] });
    expect(readFileSync(join(house.top, 'tries'), 'utf8')).toBe('x\nx\nx\nx\n');
  });

  it('75 at first, then a verdict', async () => {
    house.write('gates/a.sh', sh('test -e ready && exit 0; touch ready; exit 75'));
    expect(await one()).toMatchObject({ verdict: 'pass', ended: 'exit 0' });
  });

  it.each([
    ['sh without the right to execute it', 'a.sh', 'test 1 = 1', 0o644],
    ['node without the right to execute it', 'a.mjs', 'await 1; process.exit(0)', 0o644],
    ['a text without #!, as a shell would', 'a', 'test 1 = 1', 0o755],
    ['a program', 'a', undefined, 0o755],
  ])('starts %s', async (_, name, text, mode) => {
    house.write(`gates/${name}`, text ?? readFileSync('/bin/true'), mode);
    expect(await one()).toMatchObject({ verdict: 'pass' });
  });
});

describe('a gate', () => {
  it('runs at the top, at its own path, with the facts of the attempt and none of git’s own variables', async () => {
    house.write('gates/_lib.sh', 'ok() { echo "lib of $PWD"; }');
    house.write(
      'gates/env.sh',
      sh(
        'env; tr "\\0" "|" < "$SKELETON_CHANGED_FILES"; cd "$(dirname "$0")/.." && . gates/_lib.sh && ok',
      ),
    );
    mkdirSync(house.logFolder, { recursive: true });
    writeFileSync(join(house.logFolder, 'prompt.md'), 'x');
    const env = {
      PATH: process.env['PATH'],
      GIT_DIR: '/x',
      GIT_INDEX_FILE: '/y',
      GIT_AUTHOR_NAME: 'A',
      OTHER: '1',
    };
    const gates = house.open({}, { env });
    await gates.run(
      aGateJob(house, await gates.find(plan, plan.tasks[0]), {
        changed: [
          { path: 'a b\nc', status: 'A' },
          { path: 'é', status: 'D' },
        ],
        task: { id: 'one', title: 'A\nB\0C $(touch owned)' },
      }),
    );
    const log = readFileSync(join(house.logFolder, 'gate-env.sh.log'), 'utf8');
    for (const line of [
      `PWD=${house.top}`,
      'OTHER=1',
      'GIT_AUTHOR_NAME=A',
      'SKELETON_RUN_ID=r',
      'SKELETON_PLAN=PLAN.md',
      'SKELETON_TASK_ID=one',
      'SKELETON_TASK_TITLE=A\nB␀C $(touch owned)',
      'SKELETON_ATTEMPT=2',
      'SKELETON_ATTEMPTS=5',
      'SKELETON_BASE=c0ffee',
      `SKELETON_PROMPT_FILE=${house.logFolder}/prompt.md`,
      'a b\nc|é|',
      `lib of ${house.top}`,
    ])
      expect(log).toContain(line);
    expect(log).not.toMatch(/GIT_DIR|GIT_INDEX_FILE/);
    expect(existsSync(join(house.top, 'owned'))).toBe(false);
  });

  it('leaves its whole output in a log, and the lines that matter in its result', async () => {
    house.write(
      'gates/a.sh',
      sh('seq 1 5000; printf "\\033[31mred\\033[0m \\007 \\xff last\\n"; exit 1'),
    );
    const { log, tail, digest } = await one();
    expect(log).toBe('logs/r/t/1/gate-a.sh.log');
    const whole = readFileSync(join(house.commonDir, 'skeleton', log), 'latin1');
    expect(whole.split('\n')).toHaveLength(5002);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    const lines = tail.split('\n');
    expect(lines[0]).toBe('1');
    expect(lines).toContain('[… 4961 lines left out …]');
    expect(lines.at(-1)).toMatch(/^red ␇ .* last$/);
    expect(Buffer.byteLength(tail)).toBeLessThan(4300);
  });

  it('leaves of a longer output than `max_log` its head and its tail', async () => {
    house.write('gates/a.sh', sh('printf begin; head -c 3000000 /dev/zero; printf end'));
    const { results } = await runGatesOf(house, { maxLog: 1000 });
    const whole = readFileSync(join(house.commonDir, 'skeleton', results[0]?.log ?? ''), 'latin1');
    expect(whole).toMatch(/^begin\0+\n\[2999008 bytes of output cut here\]\n\0+end$/);
  });

  it('with an odd name gets a log of its own', async () => {
    house.write('gates/a b.sh', sh('echo 1'));
    house.write('gates/a-b.sh', sh('echo 2'));
    house.write('gates/a\n\u001b[2Jb.sh', sh('echo 3'));
    const { results } = await runGatesOf(house);
    expect(results.map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'pass']);
    expect(new Set(results.map(({ log }) => log)).size).toBe(3);
    expect(results.every(({ name }) => !name.includes('\n'))).toBe(true);
    for (const { log } of results)
      expect(existsSync(join(house.commonDir, 'skeleton', log))).toBe(true);
  });

  it('is never written through a link that was planted in its place', async () => {
    mkdirSync(house.logFolder, { recursive: true });
    house.write('precious', 'mine');
    for (const name of ['changed-files', 'gate-a.sh.log'])
      symlinkSync(join(house.top, 'precious'), join(house.logFolder, name));
    house.write('gates/a.sh', sh('echo overwritten'));
    expect(await one()).toMatchObject({ verdict: 'pass' });
    expect(readFileSync(join(house.top, 'precious'), 'utf8')).toBe('mine');
  });
});

describe('all verdicts together', () => {
  const verdictOf = async (...gates: NonNullable<Config['gates']>): Promise<GateRun['verdict']> =>
    (await runGatesOf(house, { gates })).verdict;

  it('pass needs one that passes and is not soft', async () => {
    expect(await verdictOf('true', { run: 'false', soft: true })).toBe('pass');
    expect(await verdictOf({ run: 'true', soft: true }, { run: 'false', soft: true })).toBe(
      'ungated',
    );
    expect(await verdictOf({ run: 'true', only: ['docs/**'] })).toBe('ungated');
    expect(await verdictOf().catch(() => 'refused')).toBe('refused');
  });

  it('a rejection outweighs an error, an error a pass', async () => {
    const error = { run: 'exit 75', retries: 0 };
    expect(await verdictOf(error, 'false', 'true')).toBe('fail');
    expect(await verdictOf('true', error)).toBe('error');
    expect(await verdictOf('true', { run: 'sleep 9', timeout: 50 })).toBe('fail');
  });

  it('of no gates is none', async () => {
    const run = await house.open().run(aGateJob(house, []));
    expect(run).toEqual({ results: [], verdict: 'ungated' });
  });
});

describe('which gates run', () => {
  const words = async (
    config: Config,
    more: Parameters<typeof runGatesOf>[2] = {},
  ): Promise<readonly string[]> =>
    (await runGatesOf(house, config, more)).results.map(
      ({ verdict, ended }) => `${verdict}: ${ended}`,
    );

  it('`only` where a changed path matches, names with a dot and whole folders included', async () => {
    const only = (...globs: string[]): Config => ({
      gates: ['true', { run: 'true', only: globs }],
    });
    const skipped = ['pass: exit 0', 'skipped: nothing that it looks at has changed'];
    const ran = ['pass: exit 0', 'pass: exit 0'];
    const changed = [{ path: '.github/ci.yml', status: 'M' }] as const;
    expect(await words(only('src/**'), { changed })).toEqual(skipped);
    expect(await words(only('**/*.yml'), { changed })).toEqual(ran);
    expect(await words(only('.github/'), { changed })).toEqual(ran);
    expect(await words(only('**', '!.github'), { changed })).toEqual(skipped);
    expect(await words(only('src/**'), { changed: [], attempt: undefined })).toEqual(ran);
  });

  it('all of them, also after a rejection', async () => {
    expect(await words({ gates: ['false', 'true'] })).toEqual(['fail: exit 1', 'pass: exit 0']);
  });

  it('none after a rejection, with fail_fast; a soft one rejects nothing', async () => {
    const gates = [{ run: 'false', soft: true }, 'exit 2', 'true'];
    expect(await words({ gates }, { failFast: true })).toEqual([
      'fail: exit 1',
      'fail: exit 2',
      'skipped: after a rejection (fail_fast)',
    ]);
  });

  it('not the slow ones after a rejection', async () => {
    const lastSeconds = new Map([
      ['true', 75],
      ['echo', 59],
    ]);
    const gates = house.open({ gates: ['true', 'false', 'true', 'echo'] }, { lastSeconds });
    const [slow, red, , quick] = await gates.find(plan, undefined);
    if (!slow || !red || !quick) throw new Error('three gates');
    const ends = async (...of: (typeof slow)[]): Promise<readonly string[]> =>
      (await gates.run(aGateJob(house, of))).results.map(({ ended }) => ended);
    expect(await ends(red, slow, quick)).toEqual([
      'exit 1',
      'after a rejection, as it last took 1m 15s',
      'exit 0',
    ]);
    expect(await ends(slow, red)).toEqual(['exit 0', 'exit 1']);
    expect(await ends(red, slow)).toEqual(['exit 1', 'exit 0']);
  });

  it('each result is told before the next gate starts', async () => {
    const told: string[] = [];
    const note = (text: string): void => void told.push(text);
    await runGatesOf(
      house,
      { gates: ['true', 'false'] },
      {
        onStart: (name) => note(`start ${name}`),
        onResult: async ({ name, verdict }) => {
          await Promise.resolve();
          note(`${name} ${verdict}`);
        },
      },
    );
    expect(told).toEqual(['start true', 'true pass', 'start false', 'false fail']);
  });

  it('no further one once the run is interrupted, and the one that runs has no verdict', async () => {
    const controller = new AbortController();
    house.write('gates/a.sh', sh('exit 0'));
    house.write('gates/b.sh', sh('touch begun; sleep 60'));
    house.write('gates/c.sh', sh('touch never'));
    const { results, verdict } = await runGatesOf(
      house,
      {},
      {
        signal: controller.signal,
        onStart: (name) => {
          if (name === 'b.sh') setTimeout(() => controller.abort(), 150);
        },
      },
    );
    expect(verdict).toBe('interrupted');
    expect(results.map(({ name }) => name)).toEqual(['a.sh']);
    expect(existsSync(join(house.top, 'never'))).toBe(false);
  });
});

describe('what a gate rests on', () => {
  /** Finds the gates, lets somebody at the tree, runs them; nothing of them may have run. */
  async function after(tamper: () => void): Promise<GateResult> {
    const gates = house.open();
    const found = await gates.find(plan, undefined);
    tamper();
    const { results } = await gates.run(aGateJob(house, found));
    expect(existsSync(join(house.top, 'ran'))).toBe(false);
    const [result] = results;
    if (result === undefined) throw new Error('no result');
    return result;
  }

  beforeEach(() => {
    house.write('gates/a.sh', sh('touch ran; . gates/_lib.sh'));
    house.write('gates/_lib.sh', 'exit 1');
  });

  it.each([
    ['its bytes', 'gates/a.sh', () => house.write('gates/a.sh', sh('touch ran; exit 0'))],
    ['what it sources', 'gates/_lib.sh', () => house.write('gates/_lib.sh', 'exit 0')],
    [
      'its mode',
      'gates/a.sh',
      () => {
        rmSync(join(house.top, 'gates/a.sh'));
        house.write('gates/a.sh', sh('touch ran; . gates/_lib.sh'), 0o644);
      },
    ],
    ['a new file beside it', 'gates/local.sh (new)', () => house.write('gates/local.sh', 'x')],
    ['the folder', 'gates/_lib.sh', () => rmSync(join(house.top, 'gates'), { recursive: true })],
    [
      'a link in its place',
      'gates/a.sh',
      () => {
        rmSync(join(house.top, 'gates/a.sh'));
        symlinkSync('/bin/true', join(house.top, 'gates/a.sh'));
      },
    ],
  ])('is not run if it changed: %s', async (_, path, tamper) => {
    const result = await after(tamper);
    expect(result).toMatchObject({
      verdict: 'fail',
      ended: 'changed since the attempt began',
      log: '',
    });
    expect(result.tail).toContain(path);
  });

  it('is compared again before the second gate', async () => {
    house.write('gates/a.sh', sh('echo "exit 0" > gates/b.sh'));
    house.write('gates/b.sh', sh('exit 1'));
    const { results } = await runGatesOf(house);
    expect(results.map(({ ended }) => ended)).toEqual([
      'exit 0',
      'changed since the attempt began',
    ]);
  });

  it('is compared for a shipped gate too', async () => {
    const path = join(house.packageRoot, 'gates/shipped.sh');
    writeFileSync(path, sh('exit 1'), { mode: 0o755 });
    const gates = house.open({ gates: ['shipped'] });
    const found = await gates.find(plan, undefined);
    writeFileSync(path, sh('exit 0'));
    const { results } = await gates.run(aGateJob(house, found));
    expect(results[0]).toMatchObject({ verdict: 'fail', ended: 'changed since the attempt began' });
  });

  it('may be added to by gates themselves, in this run and for the next', async () => {
    house.write(
      'gates/a.sh',
      sh('echo x >> gates/report.txt; mkdir -p gates/__pycache__; date > gates/__pycache__/b'),
    );
    house.write('gates/b.sh', sh('exit 0'));
    const gates = house.open();
    const found = await gates.find(plan, undefined);
    const first = await gates.run(aGateJob(house, found));
    expect(first.verdict).toBe('pass');
    rmSync(join(house.top, 'gates/__pycache__'), { recursive: true });
    const [, second] = found;
    if (second === undefined) throw new Error('two gates');
    expect((await gates.run(aGateJob(house, [second]))).verdict).toBe('pass');
    house.write('gates/report.txt', 'forged');
    expect((await gates.run(aGateJob(house, [second]))).verdict).toBe('fail');
    expect(readdirSync(join(house.top, 'gates')).sort()).toContain('report.txt');
  });
});
