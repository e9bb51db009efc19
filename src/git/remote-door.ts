import { toByteName, toText } from './byte-name.ts';
import { GitError, openGit } from './git.ts';
import type { Git, GitAnswer, GitCall } from './git.ts';
import type { Repository } from './located-repository.ts';
import { pinRemote } from './remote-address.ts';
import { isHopeless, lacksAtomic, newRefs, readRefusal, whatWentWrong } from './remote-words.ts';
import type { Refused } from './remote-words.ts';

/** What a ref of the remote names. */
export interface RemoteRef {
  readonly oid: string;
  /** What it comes to where that is an annotated tag, else the same. */
  readonly commit: string;
}

/** One ref that a push moves, leased at `from`; '' there: it must not stand. */
export interface RefMove {
  readonly ref: string;
  readonly from: string;
  readonly to: string;
}

export type PushEnd =
  | { readonly kind: 'done'; readonly made: ReadonlySet<string> }
  | Refused
  /** Nobody knows what became of it. */
  | { readonly kind: 'lost'; readonly error: GitError };

/** Git's own calls to one remote, each made once. They throw GitError where it cannot be reached. */
export interface RemoteDoor {
  /** Refs whose full name is one of these, or begins with one that ends in `/`. One connection, whatever there is. */
  list(names: readonly string[]): Promise<ReadonlyMap<string, RemoteRef>>;
  /** All or nothing. A rehearsal asks for everything that a push needs, and moves nothing. */
  push(moves: readonly RefMove[], isRehearsal?: boolean): Promise<PushEnd>;
  /**
   * Objects, and what they need; no ref is made, not even FETCH_HEAD. `after`: a commit that is here and comes before them: only of it
   * the remote is told then, and not of each of many thousand refs.
   */
  bring(oids: readonly string[], after?: string): Promise<void>;
}

/** Milliseconds, for what moves objects; a list has the usual limit. */
const transferLimit = 10 * 60_000;

export function openRemoteDoor(repository: Repository, name: string): RemoteDoor {
  let opened: Promise<Line> | undefined;
  const line = (): Promise<Line> => (opened ??= openLine(repository, name));
  return {
    list: async (names) => listRefs(await line(), names),
    push: async (moves, isRehearsal = false) => push(await line(), { moves, isRehearsal }),
    bring: async (oids, after) => bring(await line(), oids, after),
  };
}

/** Git, and what each of its calls is told of the remote. */
interface Line {
  readonly git: Git;
  /** For these calls only. */
  readonly name: string;
  readonly settings: readonly string[];
}

async function openLine(repository: Repository, name: string): Promise<Line> {
  const unasked = ['core.askPass=', 'credential.interactive=false'];
  const pinned = await pinRemote(repository, name);
  const settings = [...unasked, ...pinned.settings];
  return { git: await openNetworkGit(repository), name: pinned.name, settings };
}

/** Nobody sits there to answer: credential helpers work as ever, but nothing is asked. A user's own ssh command is left as it is. */
async function openNetworkGit({ facts, state, git, environment }: Repository): Promise<Git> {
  const nowhere = `${facts.commonDir}/skeleton/no-index`;
  const named = ['GIT_SSH_COMMAND', 'GIT_SSH'].some((key) => environment[key] !== undefined);
  const asked = ['config', '--get', 'core.sshCommand'];
  const isOwn = named || (await git.ask(asked, { answers: [1] })).code === 0;
  const ssh = isOwn ? {} : { GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o ConnectTimeout=15' };
  return openGit({ ...facts, nowhere, state }, { ...environment, ...ssh });
}

async function listRefs(
  { git, name, settings }: Line,
  names: readonly string[],
): Promise<ReadonlyMap<string, RemoteRef>> {
  // The remote sends no more than these (protocol v2, ls-refs); patterns only sift here what it sent.
  const scopes = ['heads', 'tags'].filter((kind) =>
    names.every((ref) => ref.startsWith(`refs/${kind}/`)),
  );
  const patterns = names.flatMap((ref) => (ref.endsWith('/') ? [`${ref}*`] : [ref, `${ref}^{}`]));
  const args = ['ls-remote', ...scopes.map((kind) => `--${kind}`), name, ...patterns];
  const out = (await git.run(args, { settings })).toString('latin1');
  const isWanted = (ref: string): boolean =>
    names.some((own) => (own.endsWith('/') ? ref.startsWith(own) : ref === own));
  const found = new Map<string, RemoteRef>();
  for (const line of out.split('\n')) {
    const [oid = '', shown = ''] = line.split('\t');
    const ref = toText(shown.replace(/\^\{\}$/, ''));
    if (!isWanted(ref)) continue;
    // The peeled line comes after the other (git-ls-remote(1)).
    found.set(ref, {
      oid: shown.endsWith('^{}') ? (found.get(ref)?.oid ?? oid) : oid,
      commit: oid,
    });
  }
  return found;
}

interface Push {
  readonly moves: readonly RefMove[];
  readonly isRehearsal: boolean;
}

/** Everything that a configuration could add is turned off: hooks, more refs, signatures, submodules. */
async function push({ git, name, settings }: Line, { moves, isRehearsal }: Push): Promise<PushEnd> {
  const args = [
    ...['push', '--porcelain', '--atomic', '--no-verify', '--no-follow-tags', '--no-signed'],
    ...['--recurse-submodules=no', ...(isRehearsal ? ['--dry-run'] : [])],
    ...moves.map(({ ref, from }) => `--force-with-lease=${ref}:${from}`),
    ...[name, ...moves.map(({ ref, to }) => `${to}:${ref}`)],
  ];
  try {
    const answer = await git.ask(args, { settings, limit: transferLimit, answers: [1] });
    return endOf(args, answer);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return isHopeless(error.stderr) ? turnedAway(error.stderr) : { kind: 'lost', error };
  }
}

/** By the host, before any ref was spoken of; or we ourselves would not go on. */
function turnedAway(stderr: string): Refused {
  const why = lacksAtomic(stderr) ? 'it does not support --atomic pushes' : whatWentWrong(stderr);
  return { kind: 'refused', why, isPassing: false };
}

/** Status 1 without a ref that was turned down: the connection broke in the answer. */
function endOf(args: readonly string[], { code, stdout, stderr }: GitAnswer): PushEnd {
  const text = stdout.toString();
  if (code === 0) return { kind: 'done', made: newRefs(text) };
  const lost = new GitError(args, { code, stderr, how: `exit ${code}` });
  return readRefusal(text, stderr) ?? { kind: 'lost', error: lost };
}

async function bring(
  { git, name, settings }: Line,
  oids: readonly string[],
  after?: string,
): Promise<void> {
  const tips = after === undefined ? [] : [`--negotiation-tip=${after}`];
  const args = [
    ...['fetch', '--quiet', '--no-tags', '--no-prune', '--no-prune-tags', '--refmap='],
    ...['--no-write-fetch-head', '--no-auto-maintenance', '--no-recurse-submodules'],
    ...['--no-show-forced-updates', ...tips, '--stdin', name],
  ];
  // A ref of ours will name them: a power cut must not take them (git-config(1), core.fsync).
  const durable = ['core.fsync=committed', 'core.fsyncMethod=batch'];
  const call: GitCall = {
    input: toByteName(oids.map((oid) => `${oid}\n`).join('')),
    settings: [...settings, ...durable, 'fetch.writeCommitGraph=false'],
    limit: transferLimit,
  };
  await git.run(args, call);
}
