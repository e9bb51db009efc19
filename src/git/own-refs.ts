import { namedByRef } from '../core/own-things.ts';
import { Refusal } from '../ports.ts';
import type { OwnRef } from '../ports.ts';
import { toByteName, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { GitError } from './git.ts';
import { objectTypes, readObjects } from './objects.ts';
import { statOf } from './raw-files.ts';
import { readRefs } from './read-refs.ts';
import { changeRefs } from './ref-changes.ts';
import type { Repository } from './located-repository.ts';

/** Every ref below `refs/skeleton/`. A snapshot is as old as its commit, any other ref as the file that holds it. */
export async function readOwnRefs(repository: Repository): Promise<readonly OwnRef[]> {
  const { refs } = await readRefs(repository);
  const own = [...refs].filter(
    ([ref, oid]) => ref.startsWith('refs/skeleton/') && /^[0-9a-f]{40,}$/.test(oid),
  );
  const found = own.map(([ref, oid]) => ({ ref, oid, ...namedByRef(toText(ref)) }));
  const snapshots = found.filter(({ kind }) => kind === 'snapshot').map(({ oid }) => oid);
  const times = await commitTimes(repository, snapshots);
  return found.map(({ ref, oid, ...named }) => {
    const at = times.get(oid) ?? fileTime(repository, ref);
    return { ...named, oid, name: toText(ref), at, bytes: undefined };
  });
}

async function commitTimes(
  { git }: Repository,
  oids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const types = await objectTypes(git, oids);
  const commits = [...new Set(oids)].filter((oid) => types.get(oid) === 'commit');
  const times = new Map<string, number>();
  for (const [oid, bytes] of await readObjects(git, commits)) {
    const seconds = /^committer .*> (\d+) [-+]\d+$/m.exec(bytes.toString('latin1'))?.[1];
    if (seconds !== undefined) times.set(oid, Number(seconds) * 1000);
  }
  return times;
}

/** When a ref can have been written at the latest: of a packed one, when all were packed. */
function fileTime({ commonDir }: Repository, ref: ByteName): number {
  const files = [ref, 'packed-refs', 'reftable/tables.list'];
  const stats = files.map((file) => statOf(`${commonDir}/${file}`));
  return stats.find((stat) => stat?.isFile() === true)?.mtimeMs ?? Infinity;
}

/** All or none (git-update-ref(1)). Throws Refusal(3), with nothing changed, where that is not possible now. */
export async function deleteOwnRefs({ git }: Repository, refs: readonly OwnRef[]): Promise<void> {
  const changes = refs.map(({ name, oid }) => {
    return { kind: 'delete', ref: toByteName(name), from: oid } as const;
  });
  try {
    await changeRefs(git, changes, 'gc');
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const words = `the refs could not be deleted, and nothing was touched: ${error.stderr.trim()}`;
    throw new Refusal(3, words, 'skeleton gc, once nothing else changes refs here');
  }
}

/** As `Pruner.weigh`. One git call a ref: a walk over many cannot say whose an object is. */
export async function weighEach(
  repository: Repository,
  refs: readonly OwnRef[],
  limit: number,
): Promise<ReadonlyMap<string, number>> {
  const until = performance.now() + limit;
  const others = await othersThan(repository, refs);
  const weights = new Map<string, number>();
  for (const ref of refs) {
    const left = until - performance.now();
    const bytes = left > 0 ? await measure(repository, [ref.oid, ...others], left) : undefined;
    if (bytes === undefined) break;
    weights.set(ref.name, bytes);
  }
  return weights;
}

/** As `Pruner.weighTogether`. */
export async function weighAll(
  repository: Repository,
  refs: readonly OwnRef[],
  limit: number,
): Promise<number | undefined> {
  if (refs.length === 0) return 0;
  const others = await othersThan(repository, refs);
  return measure(repository, [...refs.map(({ oid }) => oid), ...others], limit);
}

async function othersThan(
  repository: Repository,
  refs: readonly OwnRef[],
): Promise<readonly string[]> {
  const chosen = new Set(refs.map(({ name }) => toByteName(name)));
  const reading = await readRefs(repository);
  const tips = [...reading.refs].filter(([ref]) => !chosen.has(ref)).map(([, oid]) => oid);
  const known = await objectTypes(
    repository.git,
    [...tips, reading.head].filter((oid) => /^[0-9a-f]{40,}$/.test(oid)),
  );
  return [...known.keys()].map((oid) => `^${oid}`);
}

/** `--disk-usage` is of git 2.31; an older one, and one that takes too long, give undefined. */
async function measure(
  { git }: Repository,
  revisions: readonly string[],
  limit: number,
): Promise<number | undefined> {
  const args = ['rev-list', '--objects', '--disk-usage', '--stdin'];
  try {
    const input = `${revisions.join('\n')}\n`;
    return Number((await git.run(args, { input, limit: Math.ceil(limit) })).toString().trim());
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}
