import { spawnSync } from 'node:child_process';
import { accessSync, constants, cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { TestContext } from 'vitest';
import { makeUserRepository, type Ended, type UserRepository } from './user-repository.ts';

export interface Judged {
  readonly status: number | null;
  /** Both outputs, in turn. */
  readonly said: string;
  /** What git finds changed or new afterwards. */
  readonly left: string;
}

/** A copy of an example project in a repository of its own, under the shipped gate of its stack. */
export interface ExampleProject extends Pick<UserRepository, 'top' | 'outside' | 'write' | 'git'> {
  /** The gate itself, as sh runs it. */
  readonly judge: (env?: NodeJS.ProcessEnv) => Judged;
  /** `skeleton gate`, the gate being named in `gates:`. */
  readonly judgeByName: (env?: NodeJS.ProcessEnv) => Promise<Ended>;
}

/** Copies test/fixtures/gates/STACK/KIND, commits it, and removes it when the test is over. */
export function copyExample(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  stack: string,
  kind: string,
): ExampleProject {
  const repository = makeUserRepository();
  onTestFinished(() => repository.remove());
  const { top, outside, write, git } = repository;
  cpSync(resolve('test/fixtures/gates', stack, kind), top, { recursive: true });
  write('.skeleton.yml', `gates: [${stack}]\n`);
  git('add', '--all');
  git('commit', '--quiet', '--message=the example');
  const judge: ExampleProject['judge'] = (env = {}) => {
    const gate = spawnSync('/bin/sh', [resolve(`gates/${stack}.sh`)], {
      cwd: top,
      env: { ...process.env, ...env },
      encoding: 'utf8',
    });
    const left = git('status', '--porcelain');
    return { status: gate.status, said: gate.stdout + gate.stderr, left };
  };
  const judgeByName = (env?: NodeJS.ProcessEnv): Promise<Ended> =>
    repository.start(['gate'], env).ended;
  return { top, outside, write, git, judge, judgeByName };
}

/** Tells whether a program answers here; if not, prints which tests are left out. */
export function isHere(program: string, args: readonly string[], env?: NodeJS.ProcessEnv): boolean {
  const { status } = spawnSync(program, args, { env: { ...process.env, ...env } });
  if (status === 0) return true;
  console.warn(`left out: tests that need \`${[program, ...args].join(' ')}\` to work here`);
  return false;
}

const basics = 'awk cat cp env find git grep head mktemp rm sed sh sort tail tr xargs';

/** A PATH with the plain tools of any system, the named ones that are installed, and nothing else. */
export function bareSystem({ outside }: ExampleProject, ...more: readonly string[]): string {
  const folder = join(outside, ['bare system', ...more].join(' and '));
  mkdirSync(folder, { recursive: true });
  for (const name of [...basics.split(' '), ...more]) {
    const program = find(name);
    if (program !== undefined) symlinkSync(program, join(folder, name));
  }
  return folder;
}

function find(program: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
