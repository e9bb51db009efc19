import type { Failure } from '../core/failure.ts';
import { named } from '../core/env-rules.ts';
import { spellings, type Secret } from '../core/mask.ts';
import { secretsIn } from '../core/secrets.ts';
import type { AttemptRules } from '../ports.ts';
import { toShown } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import type { Git } from './git.ts';
import { readObjects } from './objects.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { linkTarget, piecesOf, statOf, withRegular } from './raw-files.ts';
import type { Repository } from './located-repository.ts';
import type { Change } from './survey.ts';

interface Needle extends Secret {
  /** One of its spellings. */
  readonly bytes: Buffer;
}

type Looking = Pick<AttemptRules, 'notSecret'> & {
  /** The newest commit of those that stay in the history. */
  readonly commits: string | undefined;
};

/**
 * Why an attempt cannot pass whose files, or names of new ones, or commits where those stay in the history, hold the value of a
 * variable that looks like a secret, unless the tree in which it began holds that value already; undefined where none does. Only
 * paths and names of variables are told. Without a finding it costs no git, but for commits that stay.
 */
export async function findSecrets(
  attempt: OpenAttempt,
  changes: readonly Change[],
  { commits, notSecret = [] }: Looking,
): Promise<Failure | undefined> {
  const { repository, record } = attempt;
  const needles = needlesIn(repository.environment, notSecret);
  if (needles.length === 0) return undefined;
  const inFiles = changes.flatMap(({ path, status }) =>
    status === 'D' ? [] : [{ path, found: heldByChange(repository, { path, status }, needles) }],
  );
  const inCommits = commits === undefined ? [] : await heldByCommits(attempt, commits, needles);
  const fresh = new Set<Needle>();
  for (const needle of new Set([...inFiles.flatMap(({ found }) => found), ...inCommits]))
    if (!(await isKnown(repository, record.tree, needle))) fresh.add(needle);
  if (fresh.size === 0) return undefined;
  const paths = inFiles.filter(({ found }) => found.some((one) => fresh.has(one)));
  const names = [...new Set([...fresh].map(({ name }) => name))].join(', ');
  const where = paths.length === 0 ? ', in its commits' : '';
  return {
    kind: 'secret',
    detail: `the value of ${names}${where}`,
    paths: paths.map(({ path }) => toShown(path)),
  };
}

function needlesIn(env: NodeJS.ProcessEnv, notSecret: readonly string[]): readonly Needle[] {
  const isNone = named(notSecret);
  const secrets = secretsIn(env).filter(({ name }) => !isNone(name));
  return secrets.flatMap((secret) =>
    spellings(secret.value).map((spelling) => ({ ...secret, bytes: Buffer.from(spelling) })),
  );
}

function heldByChange(
  { top }: Repository,
  { path, status }: Change,
  needles: readonly Needle[],
): readonly Needle[] {
  const inName = status === 'A' ? heldIn(Buffer.from(path, 'latin1'), needles) : [];
  return [...inName, ...heldBy(`${top}/${path}`, needles)];
}

function heldBy(path: ByteName, needles: readonly Needle[]): readonly Needle[] {
  if (statOf(path)?.isSymbolicLink() === true)
    return heldIn(Buffer.from(linkTarget(path), 'latin1'), needles);
  return withRegular(path, (fd) => heldByPieces(piecesOf(fd), needles)) ?? [];
}

/** A value may lie across two pieces. */
function heldByPieces(pieces: Iterable<Buffer>, needles: readonly Needle[]): readonly Needle[] {
  const overlap = Math.max(...needles.map(({ bytes }) => bytes.length)) - 1;
  const found = new Set<Needle>();
  let before = Buffer.alloc(0);
  for (const piece of pieces) {
    const all = Buffer.concat([before, piece]);
    for (const needle of heldIn(all, needles)) found.add(needle);
    before = all.subarray(Math.max(0, all.length - overlap));
  }
  return [...found];
}

function heldIn(bytes: Buffer, needles: readonly Needle[]): readonly Needle[] {
  return needles.filter((needle) => bytes.includes(needle.bytes));
}

/** What was added and taken away again stays in the history too, and so do names, people and messages. */
async function heldByCommits(
  { repository, record }: OpenAttempt,
  commits: string,
  needles: readonly Needle[],
): Promise<readonly Needle[]> {
  const { git } = repository;
  const range = `${record.base}..${commits}`;
  const people = '--format=%an%n%ae%n%cn%n%ce%n%B';
  const found = new Set(heldIn(await git.run(['log', people, range]), needles));
  const listed = await git.run(['rev-list', '--objects', range]);
  for (const needle of heldIn(listed, needles)) found.add(needle);
  const ids = listed.toString('latin1').trim().split('\n');
  for (const oids of await portions(
    git,
    ids.map((line) => line.replace(/ .*$/s, '')),
  ))
    for (const bytes of (await readObjects(git, oids)).values())
      for (const needle of heldIn(bytes, needles)) found.add(needle);
  return [...found];
}

/** Bytes of what one call may give. A larger file alone is not looked through. */
const mostAtOnce = 64 * 2 ** 20;

/** Those of the objects that are files, in portions that fit into memory. */
async function portions(
  git: Git,
  oids: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const input = `${oids.join('\n')}\n`;
  const out = await git.run(
    ['cat-file', '--batch-check=%(objecttype) %(objectname) %(objectsize)'],
    { input },
  );
  const all: string[][] = [[]];
  let size = 0;
  for (const line of out.toString('latin1').split('\n')) {
    const [type, oid = '', length] = line.split(' ');
    if (type !== 'blob' || Number(length) > mostAtOnce) continue;
    size += Number(length);
    if (size > mostAtOnce) all.push([]);
    if (size > mostAtOnce) size = Number(length);
    all.at(-1)?.push(oid);
  }
  return all;
}

/**
 * A value that stands in the tree, in any spelling, or in a name there, is published already. Patterns are lines to git, so a
 * longer value is known by its longest.
 */
async function isKnown({ git }: Repository, tree: string, needle: Needle): Promise<boolean> {
  const lines = spellings(needle.value).map(
    (spelling) => spelling.split(/\r?\n/).sort((a, b) => b.length - a.length)[0] ?? '',
  );
  // Not as an argument: every user of the machine can read those.
  const args = ['grep', '--quiet', '--text', '--fixed-strings', '-f', '-', tree];
  const { code } = await git.ask(args, { input: `${lines.join('\n')}\n`, answers: [1] });
  if (code === 0) return true;
  const names = await git.run(['ls-tree', '-r', '-z', '--name-only', tree]);
  return names.includes(needle.bytes);
}
