import { parseTag, proofRef } from '../core/refs.ts';
import { clip, oneLine } from '../core/text.ts';
import { shellWord } from '../core/shell-word.ts';
import { Refusal, type NamedRemote, type Publisher, type RemoteStand } from '../ports.ts';
import { GitError } from './git.ts';
import type { Repository } from './located-repository.ts';

/** Milliseconds: a question, and a push of a whole history. */
const ASKING = 60_000;
const PUSHING = 15 * 60_000;
const LONGEST_WORDS = 600;

/** Pushes for a person, and asks before (docs/pull-requests.md). */
export function openPublisher(repository: Repository): Publisher {
  return {
    remotes: () => listRemotes(repository),
    remoteOf: (branch) => remoteOf(repository, branch),
    look: (remote, branches) => look(repository, remote, branches),
    checkpointRefs: (plan) => checkpointRefs(repository, plan),
    push: (remote, refs) => push(repository, remote, refs),
  };
}

async function text(
  { git }: Repository,
  args: readonly string[],
  limit: number = ASKING,
): Promise<string> {
  return (await git.run(args, { limit })).toString('utf8');
}

async function listRemotes(repository: Repository): Promise<readonly NamedRemote[]> {
  const names = (await text(repository, ['remote'])).split('\n').filter((name) => name !== '');
  const remotes: NamedRemote[] = [];
  for (const name of names) {
    const { code, stdout } = await repository.git.ask(['remote', 'get-url', '--push', '--', name], {
      answers: [2, 128],
    });
    const [url = ''] = stdout.toString('utf8').split('\n');
    if (code === 0 && url !== '') remotes.push({ name, url });
  }
  return remotes;
}

/** As git-config(1) has it: `branch.*.pushRemote`, `remote.pushDefault`, `branch.*.remote`. */
async function remoteOf({ git }: Repository, branch: string): Promise<string | undefined> {
  for (const key of [
    `branch.${branch}.pushRemote`,
    'remote.pushDefault',
    `branch.${branch}.remote`,
  ]) {
    const { code, stdout } = await git.ask(['config', '--get', key], { answers: [1] });
    const name = stdout.toString('utf8').trim();
    if (code === 0 && name !== '' && name !== '.') return name;
  }
  return undefined;
}

async function look(
  repository: Repository,
  remote: string,
  branches: readonly string[],
): Promise<RemoteStand> {
  const refs = branches.map((branch) => `refs/heads/${branch}`);
  let lines: readonly string[];
  try {
    const said = await text(repository, ['ls-remote', '--symref', '--', remote, 'HEAD', ...refs]);
    lines = said.split('\n');
  } catch (error) {
    throw unreached(error, remote);
  }
  const tips = new Map<string, string>();
  let defaultBranch: string | undefined;
  for (const line of lines) {
    const [value = '', name = ''] = line.split('\t');
    if (name === 'HEAD' && value.startsWith('ref: '))
      defaultBranch = value.slice('ref: '.length).replace(/^refs\/heads\//, '');
    const branch = branches.find((one) => name === `refs/heads/${one}`);
    if (branch !== undefined) tips.set(branch, value);
  }
  return { defaultBranch, tips };
}

function unreached(error: unknown, remote: string): unknown {
  if (!(error instanceof GitError)) return error;
  const why = error.code === null ? 'it did not answer in time' : firstWords(error.stderr);
  return new Refusal(
    3,
    `the remote ${oneLine(remote)} cannot be reached: ${why}`,
    `git ls-remote ${shellWord(remote)}     says more; nobody can be asked for a password here`,
  );
}

function firstWords(stderr: string): string {
  const lines = stderr.split('\n').map((line) => withoutPasswords(oneLine(line.trim())));
  return clip(lines.filter((line) => line !== '').join('; '), LONGEST_WORDS);
}

/** Git's words name the address. */
function withoutPasswords(line: string): string {
  return line.replace(/(?<=:\/\/)[^/@\s]+@/g, '');
}

async function checkpointRefs(repository: Repository, plan: string): Promise<readonly string[]> {
  const format = '--format=%(refname)';
  const folder = `refs/tags/skeleton/${plan}/`;
  const tags = lines(await text(repository, ['for-each-ref', format, '--merged=HEAD', folder]));
  const proofs = new Set(
    lines(await text(repository, ['for-each-ref', format, `refs/skeleton/proof/${plan}/`])),
  );
  return tags.flatMap((tag) => {
    const name = parseTag(tag);
    if (name === undefined) return [];
    const proof = proofRef(plan, name.number);
    return proofs.has(proof) ? [tag, proof] : [tag];
  });
}

function lines(said: string): readonly string[] {
  return said.split('\n').filter((line) => line !== '');
}

async function push(
  repository: Repository,
  remote: string,
  refs: readonly string[],
): Promise<void> {
  const specs = refs.map((ref) => `${ref}:${ref}`);
  // What the user's configuration adds to a push was not asked for here.
  const plain = ['--no-follow-tags', '--recurse-submodules=no', '--no-force-with-lease'];
  const args = ['push', '--porcelain', ...plain, '--', remote, ...specs];
  try {
    const { code, stdout } = await repository.git.ask(args, { limit: PUSHING, answers: [1] });
    if (code !== 0) throw refused(stdout.toString('utf8'), remote, refs);
  } catch (error) {
    throw unreached(error, remote);
  }
}

/** git-push(1), "OUTPUT": `!`, a tab, the refs, a tab, why. */
function refused(said: string, remote: string, refs: readonly string[]): Refusal {
  const why = lines(said)
    .filter((line) => line.startsWith('!'))
    .map((line) => {
      const [, names = '', summary = ''] = line.split('\t');
      return `${names.replace(/^.*:/, '')} ${summary}`;
    });
  const [first = ''] = refs;
  const isBehind = why.some((line) => /\((?:fetch first|non-fast-forward)\)/.test(line));
  const branch = first.replace(/^refs\/heads\//, '');
  return new Refusal(
    3,
    `${oneLine(remote)} does not take it: ${clip(why.map((line) => oneLine(line)).join('; '), LONGEST_WORDS)}`,
    isBehind
      ? `git fetch ${shellWord(remote)} && git log --oneline HEAD..${shellWord(`${remote}/${branch}`)}     what is there and not here; nothing is ever forced`
      : `git push ${shellWord(remote)} ${shellWord(first)}     says more`,
  );
}
