import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkpointTag, isolateBranch, proofRef, startTag } from '../../src/core/refs.ts';
import { openRemote } from '../../src/git/remote.ts';
import { openRepository } from '../../src/git/repository.ts';
import type { Fence, Publication, Remote } from '../../src/ports.ts';

export const plan = 'plan';
export const branch = isolateBranch(plan);
export const firstTag = startTag(plan, 0);

/** A machine's clone, with its door to the remote. */
export interface Machine {
  readonly top: string;
  readonly remote: Remote;
  /** Another door, as of a new process: it remembers nothing. */
  readonly reopen: (env?: NodeJS.ProcessEnv) => Promise<Remote>;
  readonly git: (...args: readonly string[]) => string;
  /** Writes a commit on another, without moving a ref or a file; gives its id. */
  readonly commit: (parent: string, words: string) => string;
  readonly head: () => string;
}

/** A bare repository and clones of it, all in one folder of their own. */
export interface RemoteLab {
  readonly folder: string;
  readonly bare: string;
  /** Runs git in the bare repository. */
  readonly there: (...args: readonly string[]) => string;
  /** Value of a ref there; '' where there is none. */
  readonly at: (ref: string) => string;
  readonly machine: (name: string) => Promise<Machine>;
  readonly hook: (name: string, script: string) => void;
  readonly remove: () => void;
}

export function makeRemoteLab(format = 'sha1'): RemoteLab {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'remote lab ')));
  const bare = join(folder, 'the remote.git');
  const seed = join(folder, 'seed');
  const run = (cwd: string, ...args: readonly string[]): string =>
    execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  run(folder, 'init', '-q', '--bare', '-b', 'main', `--object-format=${format}`, bare);
  run(folder, 'init', '-q', '-b', 'main', `--object-format=${format}`, seed);
  writeFileSync(join(seed, 'PLAN.md'), '# Plan\n\n- [ ] One\n');
  run(seed, 'add', '-A');
  run(seed, 'commit', '-qm', 'first');
  run(seed, 'push', '-q', bare, 'main');
  return {
    folder,
    bare,
    there: (...args) => run(bare, ...args),
    at: (ref) => run(bare, 'for-each-ref', '--format=%(objectname)', ref),
    machine: async (name) => {
      const top = join(folder, name);
      run(folder, 'clone', '-q', bare, top);
      return openMachine(top, (...args) => run(top, ...args));
    },
    hook: (name, script) => {
      mkdirSync(join(bare, 'hooks'), { recursive: true });
      writeFileSync(join(bare, 'hooks', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }),
  };
}

async function openMachine(top: string, git: Machine['git']): Promise<Machine> {
  const reopen = async (env: NodeJS.ProcessEnv = process.env): Promise<Remote> =>
    openRemote(await openRepository(top, env), 'origin');
  return {
    top,
    git,
    reopen,
    remote: await reopen(),
    commit: (parent, words) => git('commit-tree', `${parent}^{tree}`, '-p', parent, '-m', words),
    head: () => git('rev-parse', 'HEAD'),
  };
}

/** A checkpoint of a new commit on `base`, with a proof, as a worker would publish it. */
export function publicationOf(
  machine: Machine,
  {
    base,
    fence,
    number = 1,
  }: { readonly base: string; readonly fence: Fence; readonly number?: number },
): Publication {
  const commit = machine.commit(base, `work ${number} of ${machine.top} ${fence.at}`);
  const name = `proof-${number}-${commit.slice(0, 8)}`;
  machine.git('tag', '-a', '-m', 'ok', name, commit);
  const proofObject = machine.git('rev-parse', name);
  machine.git('tag', '-d', name);
  const tag = checkpointTag(plan, number, 'one');
  return { branch, base, commit, tag, proof: proofRef(plan, number), proofObject, fence };
}

/** The branch made at the first commit, by one of the machines. */
export async function begun(machine: Machine): Promise<string> {
  const commit = machine.head();
  await machine.remote.begin(branch, { tag: firstTag, commit });
  return commit;
}
