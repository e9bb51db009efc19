import type { ByteName } from './byte-name.ts';
import type { Repository } from './located-repository.ts';
import type { Staged } from './stage.ts';

/** What a tree or an index holds at a path; undefined for nothing. */
export type Entry = Staged | undefined;

export interface PathChange {
  readonly from: Entry;
  readonly to: Entry;
}

export type PathChanges = ReadonlyMap<ByteName, PathChange>;

/** What differs between two trees or commits, modes included (git-diff-tree(1), "raw output format"). */
export async function treeChanges(
  { git }: Repository,
  from: string,
  to: string,
): Promise<PathChanges> {
  const out = await git.run(['diff-tree', '-r', '-z', '--raw', '--no-renames', from, to]);
  const parts = out.toString('latin1').split('\0');
  const changes = new Map<ByteName, PathChange>();
  // `:MODE MODE ID ID LETTER`, then the path; a mode of zeros stands for nothing.
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [before = '', after = '', old = '', now = ''] = (parts[at] ?? '').slice(1).split(' ');
    changes.set(parts[at + 1] ?? '', { from: entryOf(before, old), to: entryOf(after, now) });
  }
  return changes;
}

function entryOf(mode: string, oid: string): Entry {
  return Number(mode) === 0 ? undefined : { mode: Number.parseInt(mode, 8), oid };
}

export function isSameEntry(a: Entry, b: Entry): boolean {
  return a?.mode === b?.mode && a?.oid === b?.oid;
}

/** In an index of ours, these paths become what is given. What goes, goes first: a file may take a folder's place. */
export async function applyEntries(
  { git, objectFormat }: Repository,
  index: string,
  entries: ReadonlyMap<ByteName, Entry>,
): Promise<void> {
  if (entries.size === 0) return;
  const none = '0'.repeat(objectFormat === 'sha1' ? 40 : 64);
  const lines = [...entries].map(([path, entry]) =>
    entry === undefined
      ? { isGone: true, text: `0 ${none}\t${path}\0` }
      : { isGone: false, text: `${entry.mode.toString(8)} ${entry.oid}\t${path}\0` },
  );
  const ordered = [...lines.filter((l) => l.isGone), ...lines.filter((l) => !l.isGone)];
  const input = Buffer.from(ordered.map(({ text }) => text).join(''), 'latin1');
  await git.run(['update-index', '-z', '--add', '--replace', '--index-info'], { index, input });
}

export async function writeTreeOf({ git }: Repository, index: string): Promise<string> {
  return (await git.run(['write-tree'], { index })).toString().trim();
}
