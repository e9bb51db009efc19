import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { AnchorNote } from './anchor-note.ts';
import { toByteName, toPath } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { objectTypes, readObjects, writeObject } from './objects.ts';
import { hasRefFiles, readRefs } from './read-refs.ts';
import { changeRefs } from './ref-changes.ts';
import type { RefReading } from './refs.ts';
import type { Repository } from './located-repository.ts';

/**
 * While an attempt runs, one commit whose parents are all tips of the repository keeps them reachable: an agent may delete a
 * branch or drop the stash and then `git gc --prune=now`, and a ref can be put back only if its object is still there.
 */
export function anchorRef({ id }: Pick<Repository, 'id'>): ByteName {
  return toByteName(`refs/skeleton/anchor/${id}`);
}

/** Objects that were looked at once: they never change. */
export interface Anchors {
  /** Makes the anchor stand for these refs; gives the tag objects among them, which no commit can hold. */
  hold(
    reading: RefReading,
    stashLog: Buffer | undefined,
    note: AnchorNote,
  ): Promise<readonly Buffer[]>;
  /** Commits of our own making need not be looked at. */
  readonly know: (commit: string) => void;
  /** Forgets it: the attempt is over. */
  drop(): Promise<void>;
}

export function openAnchors(repository: Repository): Anchors {
  const commits = new Set<string>();
  const tags = new Map<string, Buffer>();
  return {
    hold: async (reading, stashLog, note) => {
      const tips = tipsOf(reading, stashLog);
      await learn(repository, tips, { commits, tags });
      const targets = tips.flatMap((tip) => tagTarget(tags.get(tip)) ?? tip);
      const parents = [...new Set(targets)].filter((tip) => commits.has(tip));
      await raise(repository, parents, note);
      return tips.flatMap((tip) => tags.get(tip) ?? []);
    },
    know: (commit) => {
      commits.add(commit);
    },
    drop: () => lower(repository),
  };
}

/** Proofs are left out: the ledger can write them again. */
const notHeld = /^refs\/skeleton\/(?:anchor|proof)\//;

function tipsOf({ refs }: RefReading, stashLog: Buffer | undefined): readonly string[] {
  const stashed = (stashLog?.toString('latin1') ?? '')
    .split('\n')
    .flatMap((line) => line.split(' ')[1] ?? []);
  const held = [...refs].filter(([name]) => !notHeld.test(name)).map(([, value]) => value);
  return [...new Set([...held, ...stashed])]
    .filter((value) => /^[0-9a-f]{40,}$/.test(value))
    .sort();
}

interface Learned {
  readonly commits: Set<string>;
  readonly tags: Map<string, Buffer>;
}

async function learn(
  { git }: Repository,
  tips: readonly string[],
  { commits, tags }: Learned,
): Promise<void> {
  const unknown = tips.filter((tip) => !commits.has(tip) && !tags.has(tip));
  const types = await objectTypes(git, unknown);
  for (const [oid, type] of types) if (type === 'commit') commits.add(oid);
  const tagIds = unknown.filter((oid) => types.get(oid) === 'tag');
  for (const [oid, bytes] of await readObjects(git, tagIds)) tags.set(oid, bytes);
  const targets = [...tags.values()].flatMap((tag) => tagTarget(tag) ?? []);
  for (const target of targets) commits.add(target);
}

/** The commit that a tag object names directly. */
function tagTarget(tag: Buffer | undefined): string | undefined {
  return /^object ([0-9a-f]{40,})\ntype commit\n/.exec(tag?.toString('latin1') ?? '')?.[1];
}

const nobody = 'skeleton <skeleton@localhost> 0 +0000';

async function raise(
  repository: Repository,
  parents: readonly string[],
  note: AnchorNote,
): Promise<void> {
  const lines = [
    `tree ${writeObject(repository, 'tree', Buffer.alloc(0))}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${nobody}`,
    `committer ${nobody}`,
    '',
    `skeleton: holds all refs while an attempt runs\n\n${JSON.stringify(note)}\n`,
  ];
  const commit = writeObject(repository, 'commit', Buffer.from(lines.join('\n')));
  const ref = anchorRef(repository);
  if (!hasRefFiles(repository))
    return changeRefs(repository.git, [{ kind: 'update', ref, to: commit, from: '' }], 'anchor');
  // Ours alone, so it may be put in place by a rename, without a process. Not by way of a lock, which a kill would leave.
  const path = `${repository.commonDir}/${ref}`;
  const beside = `${repository.state}/anchor`;
  mkdirSync(toPath(path.slice(0, path.lastIndexOf('/'))), { recursive: true });
  rmSync(toPath(beside), { recursive: true, force: true });
  writeFileSync(toPath(beside), `${commit}\n`, { flag: 'wx' });
  renameSync(toPath(beside), toPath(path));
}

async function lower(repository: Repository): Promise<void> {
  const ref = anchorRef(repository);
  if (hasRefFiles(repository)) rmSync(toPath(`${repository.commonDir}/${ref}`), { force: true });
  // An agent's `git pack-refs` may have taken it in.
  const left = (await readRefs(repository)).refs.get(ref);
  if (left !== undefined)
    await changeRefs(repository.git, [{ kind: 'delete', ref, from: left }], 'anchor');
}
