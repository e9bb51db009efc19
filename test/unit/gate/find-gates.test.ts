import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../../src/core/config.ts';
import { Refusal, type Gate } from '../../../src/ports.ts';
import { aGateHouse, plan, type GateHouse } from '../../support/gate-house.ts';
import { aPlan, aTask } from '../../support/plans.ts';

let house: GateHouse;
beforeEach(() => {
  house = aGateHouse();
});
afterEach(() => house.remove());

const good = '#!/bin/sh\nexit 0\n';
const find = async (config: Config = {}): Promise<readonly Gate[]> =>
  house.open(config).find(plan, plan.tasks[0]);
const names = async (config: Config = {}): Promise<readonly string[]> =>
  (await find(config)).map(({ name }) => name);
const refusal = async (config: Config = {}): Promise<Refusal> => {
  const thrown: unknown = await find(config).catch((error: unknown) => error);
  if (thrown instanceof Refusal) return thrown;
  throw new Error(`no refusal: ${JSON.stringify(thrown)}`);
};

describe('without `gates:`', () => {
  it('takes what is executable or a script, directly under gates/, by the bytes of its name', async () => {
    for (const path of ['b.sh', 'a.mjs', 'c.js', 'Z.sh', 'é.sh'])
      house.write(`gates/${path}`, good, 0o644);
    house.write('gates/tool', good);
    for (const path of ['README.md', 'check.py', 'data.json'])
      house.write(`gates/${path}`, 'x', 0o644);
    for (const path of ['_lib.sh', '.hidden.sh', 'folder/x.sh', 'd.sh/x'])
      house.write(`gates/${path}`, good);
    expect(await names()).toEqual(['Z.sh', 'a.mjs', 'b.sh', 'c.js', 'tool', 'é.sh']);
  });

  it('gives each the settings of the contract', async () => {
    house.write('gates/a.sh', good);
    expect(await find()).toEqual([
      {
        name: 'a.sh',
        command: 'gates/a.sh',
        script: 'gates/a.sh',
        timeout: 15 * 60_000,
        only: [],
        soft: false,
        fix: false,
        retries: 2,
      },
    ]);
    expect((await find({ gateTimeout: 5000 }))[0]?.timeout).toBe(5000);
  });

  it('shows odd names harmlessly, and still finds their files', async () => {
    house.write('gates/a b\n\u001b[2Jc.sh', good);
    const [gate] = await find();
    expect(gate?.name).toBe('a b␊c.sh');
    expect(gate?.script).toBe('gates/a b\n\u001b[2Jc.sh');
  });

  it('follows a link to a file of the repository', async () => {
    house.write('scripts/check.sh', good);
    house.write('gates/_keep', '');
    symlinkSync('../scripts/check.sh', join(house.top, 'gates/check'));
    expect(await names()).toEqual(['check']);
  });

  it('refuses what nobody can vouch for, all at once, and waits for no FIFO', async () => {
    house.write('gates/_keep', '');
    execFileSync('mkfifo', [join(house.top, 'gates/fifo.sh')]);
    symlinkSync('/bin/true', join(house.top, 'gates/outside'));
    symlinkSync('nowhere', join(house.top, 'gates/broken.sh'));
    const { message, status } = await refusal();
    expect(status).toBe(2);
    expect(message).toMatch(/gates\/fifo\.sh is a FIFO/);
    expect(message).toMatch(
      /gates\/outside is a link that leaves the repository \(\/.*bin\/true\)/,
    );
    expect(message).toMatch(/gates\/broken\.sh is a link to nothing \(nowhere\)/);
  });

  it('refuses a folder of gates that is none, or elsewhere', async () => {
    execFileSync('mkfifo', [join(house.top, 'gates')]);
    expect((await refusal()).message).toContain('gates is a FIFO');
    rmSync(join(house.top, 'gates'));
    symlinkSync(house.packageRoot, join(house.top, 'gates'));
    expect((await refusal()).message).toContain('gates is a link that leaves the repository');
    rmSync(join(house.top, 'gates'));
    house.write('ci/gates/a.sh', good);
    symlinkSync('ci/gates', join(house.top, 'gates'));
    expect(await names()).toEqual(['a.sh']);
  });

  it('refuses a name that is no UTF-8', async () => {
    house.write('gates/_keep', '');
    const name = Buffer.concat([
      Buffer.from(`${house.top}/gates/caf`),
      Buffer.from([0xe9]),
      Buffer.from('.sh'),
    ]);
    writeFileSync(name, good);
    expect((await refusal()).message).toMatch(/no UTF-8/);
  });

  it.each([
    ['nothing', ''],
    ['blanks', ' \n\t\r\n'],
    ['a shebang', '#!/bin/sh\n'],
    ['comments', '#!/bin/sh\n# to do\n\n   # later\n'],
    ['a byte order mark', '\uFEFF# x\n'],
  ])('refuses a gate of %s', async (_, text) => {
    house.write('gates/a.sh', text);
    const { status, message } = await refusal();
    expect(status).toBe(2);
    expect(message).toContain('gates/a.sh is an empty gate');
  });

  it('refuses JavaScript of nothing but comments, but not what only begins with one', async () => {
    house.write('gates/a.mjs', '#!/usr/bin/env node\n/* one\n two */\n// three\n');
    expect((await refusal()).message).toContain('gates/a.mjs');
    house.write('gates/a.mjs', '// one\nprocess.exit(0);\n');
    expect(await names()).toEqual(['a.mjs']);
  });

  it('refuses no gates at all, and says what to do', async () => {
    const none = await refusal();
    expect([none.status, none.message]).toEqual([
      2,
      'no gate would judge the work: gates/ holds no script',
    ]);
    expect(none.mend).toMatch(/--no-gates/);
    house.write('gates/_lib.sh', good);
    expect((await refusal()).status).toBe(2);
    expect((await refusal({ gates: [] })).message).toContain('`gates:` is empty');
  });
});

describe('`gates:`', () => {
  it("takes the repository's script first, then the shipped one, then a command", async () => {
    house.write('gates/check.sh', good);
    writeFileSync(join(house.packageRoot, 'gates/check.sh'), good);
    writeFileSync(join(house.packageRoot, 'gates/no-secrets.sh'), good);
    const gates = await find({
      gates: ['check', 'no-secrets', 'gates/check.sh', 'npm test', 'true', 'git'],
    });
    expect(gates.map(({ name, command }) => [name, command])).toEqual([
      ['check', 'gates/check.sh'],
      ['no-secrets', 'skeleton:gates/no-secrets.sh'],
      ['gates/check.sh', 'gates/check.sh'],
      ['npm test', 'npm test'],
      ['true', 'true'],
      ['git', 'git'],
    ]);
  });

  it('finds a script whose name has a blank, and no shipped one outside of its folder', async () => {
    house.write('gates/my check.sh', good);
    writeFileSync(join(house.packageRoot, 'secret.sh'), good);
    expect((await find({ gates: ['my check'] }))[0]?.script).toBe('gates/my check.sh');
    expect((await find({ gates: ['../secret.sh'] }))[0]?.command).toBe('../secret.sh');
  });

  it('takes a map, with what it says', async () => {
    house.write('gates/check.sh', good);
    const map = {
      name: 'fast',
      run: 'npm test',
      timeout: 9,
      only: ['src/**'],
      soft: true,
      retries: 0,
    };
    expect(
      await find({ gates: [map, { name: 'check', fix: true }, { run: 'make lint' }] }),
    ).toEqual([
      {
        ...{ name: 'check', command: 'gates/check.sh', script: 'gates/check.sh', timeout: 900_000 },
        ...{ only: [], soft: false, fix: true, retries: 2 },
      },
      {
        ...{ name: 'fast', command: 'npm test', timeout: 9 },
        ...{ only: ['src/**'], soft: true, fix: false, retries: 0 },
      },
      {
        ...{ name: 'make lint', command: 'make lint', timeout: 900_000 },
        ...{ only: [], soft: false, fix: false, retries: 2 },
      },
    ]);
  });

  it('refuses a word that is no script and no program, unless it is said to be a command', async () => {
    house.write('gates/tests.sh', good);
    const { status, message } = await refusal({ gates: ['tsst', { name: 'lint' }, ''] });
    expect(status).toBe(2);
    expect(message).toMatch(/no gate is called tsst: no script under gates\/ \(gates\/tests\.sh\)/);
    expect(message).toMatch(/no gate is called lint/);
    expect(message).toMatch(/without a name and a command/);
    expect(await names({ gates: [{ run: 'tsst' }] })).toEqual(['tsst']);
  });

  it('tells gates of the same name apart, and cuts long ones', async () => {
    expect(await names({ gates: ['true', 'true', { name: 'true', run: 'false' }] })).toEqual([
      'true',
      'true-2',
      'true-3',
    ]);
    const [name] = await names({ gates: [`echo ${'x'.repeat(1_000_000)}`] });
    expect(Buffer.byteLength(name ?? '')).toBe(40);
  });

  it("puts the task's own after them, and those that may change the tree first", async () => {
    const task = aTask('one', { config: { gate: ['test -d docs', 'true'] } });
    const gates = await house
      .open({ gates: ['npm test', { name: 'format', run: 'npm run format', fix: true }] })
      .find(aPlan([task]), task);
    expect(gates.map(({ name }) => name)).toEqual(['format', 'npm test', 'test -d docs', 'true']);
  });

  it('is not needed where every task has its own', async () => {
    const task = aTask('one', { config: { gate: ['true'] } });
    expect(await house.open().find(aPlan([task]), undefined)).toEqual([]);
    await expect(house.open().find(aPlan([task, aTask('two')]), undefined)).rejects.toThrow(
      'no gate',
    );
    await expect(house.open().find(aPlan([task, aTask('two')]), aTask('two'))).rejects.toThrow(
      'no gate',
    );
  });
});

describe('hash', () => {
  const hash = async (config: Config = {}): Promise<string> => {
    const gates = house.open(config);
    return gates.hash(await gates.find(plan, undefined));
  };

  it('differs with each setting, command, byte and mode, also of neighbours; and with nothing else', async () => {
    house.write('gates/a.sh', good);
    house.write('gates/_lib.sh', 'x', 0o644);
    house.write('README.md', 'x');
    const first = await hash();
    expect(first).toMatch(/^sha256:[0-9a-f]{64}$/);
    house.write('README.md', 'y');
    mkdirSync(join(house.top, 'gates/__pycache__'));
    house.write('gates/__pycache__/a.pyc', 'compiled');
    expect(await hash()).toBe(first);
    const others = [
      await hash({ gateTimeout: 1 }),
      await hash({ gates: ['true'] }),
      await hash({ gates: ['false'] }),
    ];
    house.write('gates/_lib.sh', 'y');
    others.push(await hash());
    chmodSync(join(house.top, 'gates/a.sh'), 0o644);
    others.push(await hash());
    house.write('gates/lib/new.sh', 'x');
    others.push(await hash());
    expect(new Set([first, ...others]).size).toBe(7);
  });

  it('takes only gates that were found here', async () => {
    house.write('gates/a.sh', good);
    const gates = await find();
    await expect(house.open().hash(gates)).rejects.toThrow('find() first');
  });
});
