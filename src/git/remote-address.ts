import { randomBytes } from 'node:crypto';
import { Refusal } from '../ports.ts';
import type { Repository } from './located-repository.ts';

/** A remote for our calls only. */
export interface PinnedRemote {
  /** That nobody else can know, and so nothing in a configuration speaks of. */
  readonly name: string;
  /** `-c` */
  readonly settings: readonly string[];
}

/** Keys of a remote that say what to move: each of our calls says so itself. */
const unwanted = /^(?:fetch|push|mirror|tagopt|prune|prunetags|followremotehead)$/;

/**
 * A remote with the addresses and programs that this one has now (git-config(1), remote.*), and without its refspecs. So no ref of
 * ours follows a push, which an attempt that goes on meanwhile would be blamed for; and whatever becomes of the configuration of the
 * remote, we go on to where we began. Throws Refusal(2) where there is none of that name.
 */
export async function pinRemote(repository: Repository, name: string): Promise<PinnedRemote> {
  const own = await readRemote(repository, name);
  if (!own.some(([key]) => key === 'url'))
    throw new Refusal(2, `there is no git remote named ${name} here`, 'git remote -v');
  const pinned = `skeleton-${randomBytes(8).toString('hex')}`;
  const kept = own.filter(([key]) => !unwanted.test(key));
  return {
    name: pinned,
    settings: kept.map(([key, value]) => `remote.${pinned}.${key}=${value}`),
  };
}

/** Throws Refusal(2), as pinRemote; (3) where it has several addresses: a push is one to each, so nothing could be atomic. */
export async function assertOneAddress(repository: Repository, name: string): Promise<void> {
  await pinRemote(repository, name);
  const own = await readRemote(repository, name);
  const valuesOf = (wanted: string): number => own.filter(([key]) => key === wanted).length;
  if ((valuesOf('pushurl') || valuesOf('url')) <= 1) return;
  throw new Refusal(
    3,
    `the remote ${name} has several addresses to push to, so no push to it is all or nothing`,
    `git config --get-regexp 'remote.${name}.(url|pushurl)', then --unset all but one`,
  );
}

type Entries = readonly (readonly [key: string, value: string])[];

async function readRemote({ git }: Repository, name: string): Promise<Entries> {
  const args = ['config', '-z', '--get-regexp', '^remote\\.'];
  const { stdout } = await git.ask(args, { answers: [1] });
  const prefix = `remote.${name}.`;
  return stdout
    .toString()
    .split('\0')
    .filter((entry) => entry.startsWith(prefix))
    .map((entry) => {
      // A key without a value is true (git-config(1), "Syntax").
      const [key = '', ...value] = entry.slice(prefix.length).split('\n');
      return [key, value.length === 0 ? 'true' : value.join('\n')] as const;
    })
    .filter(([key]) => !key.includes('.'));
}
