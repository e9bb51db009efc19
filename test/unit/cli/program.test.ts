import { tmpdir } from 'node:os';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { explainError } from '../../../cli/explain-error.ts';
import { runProgram } from '../../../cli/program.ts';
import { placeOf, directoryOption, planOption } from '../../../cli/place.ts';
import { addRunOptions, configOf } from '../../../cli/run-options.ts';
import type { RunFlags } from '../../../cli/run-options.ts';
import { Interrupted } from '../../../src/index.ts';
import { fakeIo } from '../../support/fake-io.ts';

interface Said {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What the command says and ends with, for arguments that do not get as far as a repository. */
async function say(...argv: readonly string[]): Promise<Said> {
  const io = fakeIo({ argv, cwd: tmpdir() });
  const status = await runProgram(io, '1.2.3').catch((error: unknown) => {
    return explainError(error, '1.2.3').status;
  });
  return { status, stdout: io.stdout(), stderr: io.stderr() };
}

const commands = [
  'run',
  'demo',
  'init',
  'import',
  'check',
  'gate',
  'verify',
  'take',
  'status',
  'log',
  'show',
  'report',
  'ui',
  'restore',
  'undo',
  'doctor',
  'gc',
  'ledger',
];

describe('help and version', () => {
  test('--version is on standard output, and 0', async () => {
    expect(await say('--version')).toEqual({ status: 0, stdout: '1.2.3\n', stderr: '' });
  });

  test('--help lists every command and every exit status', async () => {
    const { status, stdout } = await say('--help');
    expect(status).toBe(0);
    for (const word of [...commands, '-C <dir>', '70', '129, 130, 143'])
      expect(stdout).toContain(word);
  });

  test.each(commands)('%s --help has two examples and -C', async (command) => {
    const { status, stdout } = await say(command, '--help');
    expect(status).toBe(0);
    expect(stdout.match(/^ {2}\$ skeleton /gm)).toHaveLength(2);
    expect(stdout).toContain('-C <dir>');
  });

  test('no command is a usage error: the help goes to standard error', async () => {
    const { status, stdout, stderr } = await say();
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Usage: skeleton');
  });
});

describe('wrong usage ends with 2 and says what was meant', () => {
  test.each<[readonly string[], string]>([
    [['rum'], '(Did you mean run?)'],
    [['UI'], '(Did you mean ui?)'],
    [['help', 'rnu'], "unknown command 'rnu'\n(Did you mean run?)"],
    [['-C', '/', 'help', 'sttus'], '(Did you mean status?)'],
    [['run', '--attemps', '2'], '(Did you mean --attempts?)'],
    [['status', '--jsn'], '(Did you mean --json?)'],
    [['run', '--attempts', '6'], 'from 1 to 5'],
    [['run', '--attempts', '0'], 'from 1 to 5'],
    [['run', '--attempts', '1e0'], 'from 1 to 5'],
    [['run', '--attempts='], 'from 1 to 5'],
    [['run', '--limit', '0'], 'at least 1'],
    [['run', '--timeout', '-5'], 'duration with a unit'],
    [['run', '--timeout', '30'], 'duration with a unit'],
    [['run', '--timeout='], 'duration with a unit'],
    [['run', '--max-time', '0s'], 'duration with a unit'],
    [['run', '--plan', '--json'], 'begins with a dash'],
    [['run', '--plan='], 'It is empty'],
    [['run', '--agent-command', '-x'], 'begins with a dash'],
    [['run', '--agent-command'], 'argument missing'],
    [['run', '-5'], 'begins with a dash'],
    [['run', '--keep-going', '--fail-fast'], 'cannot be used with'],
    [['run', '--quiet', '--verbose'], 'cannot be used with'],
    [['status', 'extra'], 'too many arguments'],
    [['demo', 'extra'], 'too many arguments'],
    [['show'], "missing required argument 'task[#N]'"],
    [['show', '-1'], 'begins with a dash'],
    [['report', '--json', '--format', 'html'], 'contradict each other'],
    [['report', '--output', 'report.txt'], 'its extension names no format'],
    [['report', '--output='], '--output is empty'],
    [['report', '--format', 'pdf'], 'html, junit, markdown, json'],
    [['ui', '--port', '65536'], 'from 1 to 65535'],
    [['-C', '/no/such/folder', 'status'], 'no such folder'],
    [['status', '-C', '/no/such/folder'], 'no such folder'],
  ])('%j', async (argv, message) => {
    const { status, stdout, stderr } = await say(...argv);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/--help says more|Usage:/);
  });
});

describe('options of run', () => {
  const flagsOf = (...argv: readonly string[]): RunFlags =>
    addRunOptions(new Command()).exitOverride().parse(argv, { from: 'user' }).opts<RunFlags>();

  test('what was not given is not set', () => {
    expect(configOf(flagsOf())).toEqual({});
  });

  test('values are numbers and milliseconds', () => {
    const argv =
      '--attempts 2 --timeout 90s --idle-timeout 1m --max-time 1h30m --max-wait 2h --limit 3'.split(
        ' ',
      );
    expect(configOf(flagsOf(...argv))).toEqual({
      attempts: 2,
      timeout: 90_000,
      idleTimeout: 60_000,
      maxTime: 5_400_000,
      maxWait: 7_200_000,
      limit: 3,
    });
  });

  test('switches are set only one way', () => {
    expect(configOf(flagsOf('--no-gates', '--keep-going'))).toEqual({
      noGates: true,
      keepGoing: true,
    });
  });

  test('a command is taken as it is', () => {
    expect(configOf(flagsOf('--agent-command', 'a "b" $c'))).toEqual({ agentCommand: 'a "b" $c' });
  });
});

describe('-C', () => {
  function place(...argv: readonly string[]): ReturnType<typeof placeOf> | undefined {
    let found: ReturnType<typeof placeOf> | undefined;
    const program = new Command()
      .exitOverride()
      .enablePositionalOptions()
      .addOption(directoryOption());
    const command = program.command('x').addOption(directoryOption()).addOption(planOption());
    command.action(() => {
      found = placeOf(command, '/usr');
    });
    program.parse(argv, { from: 'user' });
    return found;
  }

  test.each<[readonly string[], string, string]>([
    [['x'], '/usr', ''],
    [['-C', 'bin', 'x'], '/usr/bin', ' -C bin'],
    [['x', '-C', 'bin'], '/usr/bin', ' -C bin'],
    [['-C', '/', 'x', '-C', 'usr'], '/usr', ' -C /usr'],
    [['x', '--plan', 'my plan.md'], '/usr', " --plan 'my plan.md'"],
  ])('%j', (argv, cwd, option) => {
    expect(place(...argv)).toMatchObject({ cwd, planOption: option });
  });
});

describe('an error that reached the top', () => {
  class Refusal extends Error {
    override readonly name = 'Refusal';
    readonly status = 3;
    readonly mend = 'git init\ngit commit';
  }

  test('a refusal has its status, and what mends it', () => {
    expect(explainError(new Refusal('no repository'), '1.2.3')).toEqual({
      status: 3,
      text: 'skeleton: no repository\nto mend it:\n    git init\n    git commit\n',
    });
  });

  test('no room on the disk is no bug', () => {
    const error = Object.assign(new Error('write'), { code: 'ENOSPC' });
    const { status, text } = explainError(error, '1.2.3');
    expect(status).toBe(4);
    expect(text).toContain('df -h\n');
  });

  test.each(['EFBIG', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM'])('%s is the machine, no bug', (code) => {
    const error = Object.assign(new Error(`${code}: no more, write`), { code });
    const { status, text } = explainError(error, '1.2.3');
    expect([status, text]).toEqual([
      4,
      expect.stringContaining(`${code}: no more, write\nto mend`),
    ]);
  });

  test('a full disk is named by what could not be written there', () => {
    const error = Object.assign(new Error('open'), { code: 'ENOSPC', path: "/a/it's/x" });
    const { text } = explainError(error, '1.2.3');
    expect(text).toContain("no space left on the device of /a/it's/x: open\nto mend it:\n");
    expect(text).toContain("    df -h '/a/it'\\''s'\n");
  });

  test.each([
    [false, 'skeleton: interrupted; nothing was touched\n'],
    [true, 'skeleton: interrupted; the next skeleton run goes on from here\n'],
  ])('an interruption is one quiet line; begun: %s', (isBegun, text) => {
    const error = new Interrupted('git config was ended by the stop', isBegun);
    expect(explainError(error, '1.2.3', AbortSignal.abort(130))).toEqual({ status: 130, text });
  });

  test.each([new TypeError('x is undefined'), 'a thrown text', undefined])(
    'anything else is a bug of ours: %s',
    (error) => {
      const { status, text } = explainError(error, '1.2.3');
      expect(status).toBe(70);
      expect(text).toContain('This is a bug in skeleton: please report it with this text');
      expect(text).toContain('skeleton 1.2.3, node v');
    },
  );
});

test('every command of the program is described and has two examples, each of which parses', async () => {
  const { stdout: list } = await say('completion', 'fish');
  const names = [...list.matchAll(/-n '__skeleton_at \\'\\'' -a (\S+) -d '(.*)'$/gm)];
  expect(names.length).toBeGreaterThan(15);
  for (const [, name = '', description = ''] of names.filter(([, word]) => word !== 'help')) {
    expect(description, name).not.toBe('');
    const { stdout } = await say(name, '--help');
    const lines = [...stdout.matchAll(/^ {2}\$ skeleton (.+)$/gm)].map(([, line = '']) => line);
    expect(lines, name).toHaveLength(2);
    for (const line of lines) {
      const words = [...line.replace(/ > .*/, '').matchAll(/'([^']*)'|(\S+)/g)];
      const argv = words.map(([, quoted, plain]) => quoted ?? plain ?? '');
      // Help is asked for last: what stands before it has been parsed by then.
      expect(argv[0], line).toBe(name);
      expect((await say(...argv, '--help')).status, line).toBe(0);
      expect((await say(...argv, '--no-such-option')).stderr, line).toContain('--no-such-option');
    }
  }
});
