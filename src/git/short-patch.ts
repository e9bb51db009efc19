import { toByteName, toText, type ByteName } from './byte-name.ts';
import { treeChanges, type PathChange } from './entries.ts';
import type { Repository } from './located-repository.ts';
import { patchBetween } from './reads.ts';

/** Characters. */
const LONGEST = 200_000;
/** Bytes of the files, before and after, that git is asked about at once: its patch of them fits in what may be read of it. */
const MOST_AT_ONCE = 16 * 1024 * 1024;
const MOST_PATHS = 200;

interface Change {
  readonly from: string;
  readonly to: string;
  /** A path that is left out. */
  readonly but: string;
}

/** The change between two commits as a patch of bounded length; where that is not all, it says so, and lists all (git-diff(1), `--stat`). */
export async function shortPatch(repository: Repository, change: Change): Promise<string> {
  const { from, to, but } = change;
  const changes = await treeChanges(repository, from, to);
  const sizes = await sizesOf(repository, changes);
  const all = [...changes.keys()].filter((path) => toText(path) !== but);
  let patch = '';
  let shown = 0;
  for (const paths of batches(all, sizes)) {
    if (patch.length > LONGEST) break;
    const specs = paths.map((path) => `:(top,literal)${toText(path)}`);
    patch += await patchBetween(repository, from, to, specs);
    shown += paths.length;
  }
  if (patch.length <= LONGEST && shown === all.length) return patch;
  const list = await statOf(repository, change);
  const told = `[… not all of the patch is here: these are the files, and the rest is in the work tree]`;
  return `${patch.slice(0, LONGEST)}\n${told}\n${list}`;
}

/** Without files that are too large for one, or whose name no argument can hold. */
function* batches(
  all: readonly ByteName[],
  sizes: ReadonlyMap<ByteName, number>,
): Generator<readonly ByteName[]> {
  let batch: ByteName[] = [];
  let bytes = 0;
  for (const path of all) {
    const size = sizes.get(path) ?? 0;
    if (size > MOST_AT_ONCE || toByteName(toText(path)) !== path) continue;
    if (batch.length > 0 && (bytes + size > MOST_AT_ONCE || batch.length >= MOST_PATHS)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(path);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** A submodule's commit, which is no object here, has none. */
async function sizesOf(
  { git }: Repository,
  changes: ReadonlyMap<ByteName, PathChange>,
): Promise<ReadonlyMap<ByteName, number>> {
  const oids = [...changes.values()].flatMap(({ from, to }) =>
    [from, to].flatMap((entry) => entry?.oid ?? []),
  );
  if (oids.length === 0) return new Map();
  const out = await git.run(['cat-file', '--batch-check=%(objectname) %(objectsize)'], {
    input: `${oids.join('\n')}\n`,
  });
  const lines = out.toString('latin1').trim().split('\n');
  const known = new Map(
    lines.map((line) => {
      const [oid = '', size = ''] = line.split(' ');
      return [oid, Number(size) || 0];
    }),
  );
  const sizeOf = (entry: PathChange['to']): number => known.get(entry?.oid ?? '') ?? 0;
  return new Map([...changes].map(([path, { from, to }]) => [path, sizeOf(from) + sizeOf(to)]));
}

async function statOf({ git }: Repository, { from, to, but }: Change): Promise<string> {
  const how = ['--no-ext-diff', '--no-textconv', '--no-color', '--no-renames'];
  const stat = ['diff', '--stat=120,100,200', ...how, '--end-of-options', from, to];
  const out = await git.run([...stat, '--', ':(top)', `:(top,exclude,literal)${but}`]);
  return out.toString('utf8');
}
