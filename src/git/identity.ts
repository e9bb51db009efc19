import { Refusal } from '../ports.ts';
import { GitError } from './git.ts';
import type { Repository } from './located-repository.ts';

/** `NAME <MAIL>` of the user, as git would write them. */
export interface Identity {
  readonly author: Stamp;
  readonly committer: Stamp;
}

interface Stamp {
  readonly who: string;
  /** Time that the environment prescribes; undefined for now. */
  readonly when: string | undefined;
}

/** For what we keep by ourselves, where an attempt has even taken the user's name away. */
export async function identityOrOurs(identity: () => Promise<Identity>): Promise<Identity> {
  try {
    return await identity();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const ours = { who: 'skeleton <skeleton@localhost>', when: undefined };
    return { author: ours, committer: ours };
  }
}

/** Throws Refusal(3) where git knows no name or address. */
export async function readIdentity(repository: Repository): Promise<Identity> {
  const { environment } = repository;
  return {
    author: await readStamp(repository, 'GIT_AUTHOR_IDENT', environment['GIT_AUTHOR_DATE']),
    committer: await readStamp(
      repository,
      'GIT_COMMITTER_IDENT',
      environment['GIT_COMMITTER_DATE'],
    ),
  };
}

async function readStamp(
  { git }: Repository,
  name: string,
  date: string | undefined,
): Promise<Stamp> {
  try {
    const line = (await git.plain((plain) => plain.raw('var', name))).trim();
    const end = line.indexOf('> ') + 1;
    return { who: line.slice(0, end), when: date === undefined ? undefined : line.slice(end + 1) };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new Refusal(
      3,
      `git does not know who you are: ${error.stderr.trim().split('\n').at(-1) ?? ''}`,
      'git config --global user.name "Your Name"; git config --global user.email you@example.com',
    );
  }
}

/** A line of a commit or tag object: `NAME <MAIL> SECONDS ZONE`. */
export function identLine({ who, when }: Stamp): string {
  return `${who} ${when ?? now()}`;
}

function now(): string {
  const date = new Date();
  const minutes = -date.getTimezoneOffset();
  const two = (number: number): string => String(Math.floor(Math.abs(number))).padStart(2, '0');
  const zone = `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}${two(Math.abs(minutes) % 60)}`;
  return `${Math.floor(date.getTime() / 1000)} ${zone}`;
}
