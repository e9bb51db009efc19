import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, constants, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { deflateSync, inflateSync } from 'node:zlib';
import { toPath, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import type { Git } from './git.ts';
import { oidLength } from './index-file.ts';
import { errorCode, piecesOf, readRegular, statOf, withRegular } from './raw-files.ts';
import type { ObjectFormat, Repository } from './located-repository.ts';

export type ObjectType = 'blob' | 'commit' | 'tag' | 'tree';

function loosePath({ commonDir }: Repository, oid: string): ByteName {
  return `${commonDir}/objects/${oid.slice(0, 2)}/${oid.slice(2)}`;
}

/**
 * Writes an object as git would, into a file of its own (gitformat-loose(5)), and gives its id: a process less for each commit.
 * It is durable only after `makeDurable`.
 */
export function writeObject(repository: Repository, type: ObjectType, body: Uint8Array): string {
  const bytes = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body]);
  const oid = createHash(repository.objectFormat).update(bytes).digest('hex');
  const path = loosePath(repository, oid);
  if (statOf(path) !== undefined) return oid;
  const packed = deflateSync(bytes, { level: 1 });
  for (let tries = 1; !writeLoose(path, packed); tries += 1)
    if (tries === mostTries) throw new Error(`${toText(path)} is taken away again and again`);
  return oid;
}

/** A git that tidies up removes folders of objects that are empty, and files that look left over. */
const mostTries = 20;

/** False where that was done in the middle. */
function writeLoose(path: ByteName, packed: Uint8Array): boolean {
  const folder = path.slice(0, path.lastIndexOf('/'));
  const beside = `${folder}/tmp_obj_${randomBytes(6).toString('hex')}`;
  try {
    mkdirSync(toPath(folder), { recursive: true });
    writeFileSync(toPath(beside), packed, { flag: 'wx' });
    chmodSync(toPath(beside), 0o444);
    linkSync(toPath(beside), toPath(path));
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return true;
    if (errorCode(error) !== 'ENOENT') throw error;
    return false;
  } finally {
    rmSync(toPath(beside), { force: true });
  }
}

interface LooseObject {
  readonly type: string;
  readonly body: Buffer;
}

/** An object that lies in a file of its own, its id checked; undefined where it does not. Throws where it is damaged. */
export function readLooseObject(repository: Repository, oid: string): LooseObject | undefined {
  const packed = readRegular(loosePath(repository, oid));
  if (packed === undefined) return undefined;
  const bytes = inflateSync(packed);
  if (createHash(repository.objectFormat).update(bytes).digest('hex') !== oid)
    throw new Error(`object ${oid} is damaged`);
  const end = bytes.indexOf(0);
  const [type = ''] = bytes.toString('latin1', 0, end).split(' ');
  return { type, body: bytes.subarray(end + 1) };
}

/** The id that a regular file's bytes have as a blob, unfiltered; undefined where there is none. */
export function blobIdOf(path: ByteName, format: ObjectFormat): string | undefined {
  return withRegular(path, (fd, stat) => {
    const hash = createHash(format).update(`blob ${stat.size}\0`);
    for (const piece of piecesOf(fd)) hash.update(piece);
    return hash.digest('hex');
  });
}

export function blobIdOfBytes(bytes: Uint8Array, format: ObjectFormat): string {
  return createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** Types of objects, by one call; what is missing has none. */
export async function objectTypes(
  git: Git,
  oids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (oids.length === 0) return new Map();
  const input = `${oids.join('\n')}\n`;
  const out = await git.run(['cat-file', '--batch-check=%(objectname) %(objecttype)'], { input });
  const lines = out.toString('latin1').split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [oid = '', type = 'missing'] = line.split(' ');
      return oid === '' || type === 'missing' ? [] : [[oid, type] as const];
    }),
  );
}

/** Bytes of objects, by one call; what is missing is left out. */
export async function readObjects(
  git: Git,
  oids: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const objects = new Map<string, Buffer>();
  if (oids.length === 0) return objects;
  const out = await git.run(['cat-file', '--batch'], { input: `${oids.join('\n')}\n` });
  for (let at = 0; at < out.length;) {
    const end = out.indexOf(0x0a, at);
    const [oid = '', , size] = out.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (size === undefined) continue;
    objects.set(oid, out.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
  return objects;
}

/** Those of the objects that the repository does not have. */
export async function missingObjects(
  repository: Repository,
  oids: readonly string[],
): Promise<ReadonlySet<string>> {
  const unsure = oids.filter((oid) => statOf(loosePath(repository, oid)) === undefined);
  const types = await objectTypes(repository.git, unsure);
  return new Set(unsure.filter((oid) => !types.has(oid)));
}

/** The tree of a commit. */
export async function treeOf(repository: Repository, commit: string): Promise<string> {
  const loose = readLooseObject(repository, commit);
  const tree = /^tree ([0-9a-f]{40,})\n/.exec(loose?.body.toString('latin1') ?? '')?.[1];
  if (tree !== undefined) return tree;
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{tree}`];
  return (await repository.git.run(args)).toString().trim();
}

interface TreeEntry {
  readonly mode: string;
  readonly name: ByteName;
  readonly oid: string;
}

function* treeEntries(body: Buffer, format: ObjectFormat): Generator<TreeEntry> {
  const oidBytes = oidLength(format);
  for (let at = 0; at < body.length;) {
    const space = body.indexOf(0x20, at);
    const end = body.indexOf(0, space);
    const next = end + 1 + oidBytes;
    yield {
      mode: body.toString('latin1', at, space),
      name: body.toString('latin1', space + 1, end),
      oid: body.toString('hex', end + 1, next),
    };
    at = next;
  }
}

/** Files of an object, and of those below it if it is a tree, that were written since: older ones are on the disk already. */
function youngFiles(repository: Repository, oid: string, since: number): readonly ByteName[] {
  const path = loosePath(repository, oid);
  if (!isYoung(path, since)) return [];
  const object = readLooseObject(repository, oid);
  if (object?.type !== 'tree') return [path];
  const below = [...treeEntries(object.body, repository.objectFormat)].flatMap((entry) => {
    if (entry.mode === '40000') return youngFiles(repository, entry.oid, since);
    const blob = loosePath(repository, entry.oid);
    return isYoung(blob, since) ? [blob] : [];
  });
  return [path, ...below];
}

function isYoung(path: ByteName, since: number): boolean {
  const stat = statOf(path);
  return stat !== undefined && stat.mtimeMs >= since;
}

/** Milliseconds: clocks of file systems tick coarsely. */
const slack = 2000;

/**
 * Flushes new objects to the disk: a commit that the ledger names must be there after a power cut. Git itself does not, for
 * speed (`core.fsync` in git-config(1)). The calls run side by side, so that the file system can join them.
 */
export async function makeDurable(
  repository: Repository,
  oids: readonly string[],
  since: number,
): Promise<void> {
  const files = new Set(oids.flatMap((oid) => youngFiles(repository, oid, since - slack)));
  await syncFiles([...files]);
}

/** A git that tidies up may have packed it meanwhile: then that has flushed it. */
async function openIfThere(path: ByteName): Promise<FileHandle | undefined> {
  try {
    return await open(toPath(path), constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Flushes files, those that are there. */
export async function syncFiles(paths: readonly ByteName[]): Promise<void> {
  await Promise.all(
    paths.map(async (path) => {
      const file = await openIfThere(path);
      if (file === undefined) return;
      try {
        await file.sync();
      } finally {
        await file.close();
      }
    }),
  );
}
