import { autostashRef } from '../core/refs.ts';
import { Refusal } from '../ports.ts';
import { writeAside } from './aside-record.ts';
import type { AsideRecord } from './aside-record.ts';
import { foldersAbove, toByteName, toShown, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { writeCommit } from './commit-object.ts';
import { applyEntries, treeChanges, writeTreeOf } from './entries.ts';
import type { PathChanges } from './entries.ts';
import { followIndex } from './follow-index.ts';
import { GitError } from './git.ts';
import type { Identity } from './identity.ts';
import { foldersIn } from './in-the-way.ts';
import { visitIndex } from './index-file.ts';
import { nextNumber } from './next-number.ts';
import { blobIdOf, makeDurable, missingObjects } from './objects.ts';
import { useIndex } from './private-index.ts';
import { openQuarantine } from './quarantine.ts';
import type { Quarantine } from './quarantine.ts';
import { statOf } from './raw-files.ts';
import { changeRefs } from './ref-changes.ts';
import { makeStateFolder } from './located-repository.ts';
import type { Repository } from './located-repository.ts';
import { resolveCommit } from './reads.ts';
import { setUnignoredAside } from './set-unignored-aside.ts';
import { dirtyChanges, shiftTree } from './shift-tree.ts';
import { stageChanges } from './stage.ts';
import { isIgnored, readStatus } from './status.ts';
import type { StatusLine } from './status.ts';
import { copyUserIndex } from './user-index.ts';
import { walkTree } from './walk.ts';

export interface SettingAside {
  readonly plan: string;
  /** Paths that stay where they are. */
  readonly isLeft: (path: string) => boolean;
  readonly identity: Identity;
}

/** Milliseconds: clocks of file systems tick coarsely. */
const slack = 2000;

/**
 * Takes uncommitted work out of work tree and index, into a commit under `refs/skeleton/autostash/PLAN/N` that is built like a
 * stash of git's (git-stash(1), "DISCUSSION"): its tree is the work tree's, its second parent holds the index. `git stash` is not
 * called. Everything is durable and recorded before the first file changes. Undefined where there is nothing to
 * take. Throws Refusal(3), having touched nothing, for what git cannot hold.
 */
export async function setAside(
  repository: Repository,
  { plan, isLeft, identity }: SettingAside,
): Promise<AsideRecord | undefined> {
  makeStateFolder(repository);
  const since = Date.now() - slack;
  const head = (await resolveCommit(repository, 'HEAD')) ?? '';
  const found = await look(repository, head, isLeft);
  if (found === undefined) return undefined;
  const index = await commitOf(repository, identity, { head, parents: [head], ...found.staged });
  const parents = [head, index.commit];
  const work = await commitOf(repository, identity, { head, parents, ...found.work });
  await assertKept(repository, [found.staged.changes, found.work.changes]);
  await makeDurable(repository, [index.commit, index.tree, work.commit, work.tree], since);
  const number = freshNumber(repository, plan, await nextNumber(repository, autostashRef(plan, 0)));
  const ref = toByteName(autostashRef(plan, number));
  const change = { kind: 'create', ref, to: work.commit, from: '' } as const;
  await changeRefs(repository.git, [change], 'set aside');
  const quarantine = quarantineOf(repository, { plan, number });
  const record: AsideRecord = {
    ...{ version: 1, plan, number, ref, head, commit: work.commit, index: index.commit },
    ...describe(repository, found, quarantine),
  };
  await writeAside(repository, record);
  await takeAway(repository, found, quarantine);
  return record;
}

/** What an earlier one left in quarantine must never come back for this one's. */
function freshNumber(repository: Repository, plan: string, from: number): number {
  let number = from;
  while (statOf(quarantineOf(repository, { plan, number }).folder) !== undefined) number += 1;
  return number;
}

/** `+` is in no task's name. */
export function quarantineOf(
  repository: Repository,
  { plan, number }: Pick<AsideRecord, 'plan' | 'number'>,
): Quarantine {
  return openQuarantine(repository, { plan, task: '+autostash', id: 'autostash', number });
}

interface Part {
  readonly what: string;
  readonly changes: PathChanges;
}

interface Found {
  readonly lines: readonly StatusLine[];
  readonly staged: Part;
  readonly work: Part;
  readonly announced: readonly ByteName[];
}

async function look(
  repository: Repository,
  head: string,
  isLeft: (path: string) => boolean,
): Promise<Found | undefined> {
  const { git } = repository;
  const { index, bytes } = await copyUserIndex(repository, 'index');
  const lines = await readStatus(git, index);
  const taken = lines.filter((line) => !isIgnored(line) && !isLeft(toText(line.path)));
  if (taken.length === 0) return undefined;
  refuseUnheld(repository, taken);
  const stagedTree = await treeOfIndex(repository, index);
  const unaddable = await stageChanges(repository, index, dirtyChanges(lines));
  if (unaddable.length > 0) throw unheld(unaddable);
  const workTree = await writeTreeOf(repository, index);
  const wanted = new Set(taken.map(({ path }) => path));
  const only = async (tree: string): Promise<PathChanges> => {
    const all = await treeChanges(repository, head, tree);
    return new Map([...all].filter(([path]) => !isLeft(toText(path))));
  };
  const announced: ByteName[] = [];
  if (bytes.length > 0)
    visitIndex(bytes, repository.objectFormat, ({ path, intentToAdd }) => {
      if (intentToAdd && wanted.has(path)) announced.push(path);
    });
  return {
    lines,
    staged: { what: 'index', changes: await only(stagedTree) },
    work: { what: 'work tree', changes: await only(workTree) },
    announced,
  };
}

function refuseUnheld({ top }: Repository, taken: readonly StatusLine[]): void {
  const odd = taken.filter(({ path, isFolder, submodule }) => {
    const stat = isFolder || submodule !== undefined ? undefined : statOf(`${top}/${path}`);
    const isUsual = stat === undefined || stat.isFile() || stat.isSymbolicLink();
    return isFolder || submodule !== undefined || !(isUsual || stat.isDirectory());
  });
  if (odd.length > 0) throw unheld(odd.map(({ path }) => path));
}

function unheld(paths: readonly ByteName[]): Refusal {
  const names = paths.slice(0, 10).map(toShown).join(', ');
  const words = `cannot be set aside, because git cannot hold it in a commit here: ${names}`;
  return new Refusal(3, words, 'git status; move it away or commit it, then run again');
}

async function treeOfIndex(repository: Repository, index: string): Promise<string> {
  try {
    return await writeTreeOf(repository, index);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const words = `the index cannot be set aside: ${error.stderr.trim().split('\n')[0] ?? ''}`;
    throw new Refusal(3, words, 'git status; resolve the conflicts, then run again');
  }
}

interface Committing extends Part {
  readonly head: string;
  readonly parents: readonly string[];
}

async function commitOf(
  repository: Repository,
  identity: Identity,
  { head, parents, what, changes }: Committing,
): Promise<{ readonly commit: string; readonly tree: string }> {
  const index = useIndex(repository, undefined, 'other');
  await repository.git.run(['read-tree', head], { index });
  await applyEntries(repository, index, new Map([...changes].map(([path, c]) => [path, c.to])));
  const tree = await writeTreeOf(repository, index);
  const message = { subject: `skeleton: ${what} set aside for a run`, body: '', trailers: [] };
  return { commit: writeCommit(repository, identity, { tree, parents, message }), tree };
}

/** Read back before anything is taken away. */
async function assertKept(repository: Repository, parts: readonly PathChanges[]): Promise<void> {
  const oids = parts.flatMap((part) => [...part.values()].flatMap(({ to }) => to?.oid ?? []));
  const missing = await missingObjects(repository, [...new Set(oids)]);
  if (missing.size > 0)
    throw new Refusal(
      3,
      `${missing.size} objects could not be kept; nothing was touched`,
      'git fsck',
    );
}

type Described = Pick<AsideRecord, 'modes' | 'bareFolders' | 'buried' | 'raw' | 'announced'>;

function describe(
  { top, objectFormat }: Repository,
  { work, lines, announced }: Found,
  quarantine: Quarantine,
): Described {
  const files = [...work.changes].filter(([, { to }]) => to !== undefined);
  const regular = files.filter(([path]) => statOf(`${top}/${path}`)?.isFile() === true);
  const raw = regular
    .filter(([path, { to }]) => blobIdOf(`${top}/${path}`, objectFormat) !== to?.oid)
    .map(([path]) => path);
  for (const path of raw) quarantine.keepCopy(`${top}/${path}`, 'raw', path);
  const folders = new Set(files.flatMap(([path]) => foldersAbove(path)));
  const modes = [...regular.map(([path]) => path), ...folders].map(
    (path) => [path, (statOf(`${top}/${path}`)?.mode ?? 0) & 0o7777] as const,
  );
  const ignored = lines.filter(isIgnored);
  const walk = walkTree(top, {
    skip: new Set(ignored.filter(({ isFolder }) => isFolder).map(({ path }) => path)),
    ignored: new Set(ignored.map(({ path }) => path)),
    usual: { file: 0, program: 0 },
  });
  const written = [...work.changes].filter(([, { from }]) => from !== undefined);
  const buried = written.flatMap(([path]) => foldersIn(top, path));
  return { modes, bareFolders: [...walk.bareFolders], buried, raw, announced };
}

async function takeAway(
  repository: Repository,
  { lines, work, staged, announced }: Found,
  quarantine: Quarantine,
): Promise<void> {
  const away = new Map(
    [...work.changes].map(([path, { from, to }]) => [path, { from: to, to: from }] as const),
  );
  const shifted = await shiftTree(repository, away, quarantine);
  if (shifted.kind === 'conflict')
    throw new Refusal(
      4,
      `the work tree changed while it was set aside: ${shifted.paths.map(toShown).join(', ')}`,
      'git status; then run again',
    );
  const entries = [...staged.changes].map(([path, { from }]) => [path, from] as const);
  const unannounced = announced.map((path) => [path, undefined] as const);
  await followIndex(repository, new Map([...unannounced, ...entries]));
  await setUnignoredAside(repository, lines, quarantine);
}
