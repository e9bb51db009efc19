import type { ByteName } from './byte-name.ts';
import type { Places, Repository } from './located-repository.ts';
import type { OpenRecord, RecordWriter, Thing } from './record.ts';
import type { RefReading } from './refs.ts';
import { inTurn, writtenSince, writesSoFar } from './ref-changes.ts';
import { readRefs } from './read-refs.ts';

/**
 * Attempts of this process that are under way at once in work trees of one repository (`--jobs`). Refs, configuration and hooks
 * are common to them: what one's agent does there must not be taken for where another began, nor undone under its hands.
 */
interface Company {
  /** Git directories of the work trees. */
  readonly members: Set<ByteName>;
  ground: CommonGround | undefined;
  /** Something that an agent did to common refs waits for the last one to put it back. */
  isOwed: boolean;
}

/** What was common to all when the first of them began. */
export interface CommonGround {
  readonly refs: RefReading['refs'];
  /** As of `writesSoFar`. */
  readonly since: number;
  readonly stashLog: Buffer | undefined;
  readonly guarded: readonly CommonThing[];
}

interface CommonThing {
  readonly path: ByteName;
  readonly thing: Thing;
  readonly bytes: Buffer | undefined;
}

const companies = new Map<ByteName, Company>();

/** The ground of the others that are under way; undefined where there are none. */
export function commonGround({ commonDir, gitDir }: Places): CommonGround | undefined {
  const company = companies.get(commonDir);
  return company !== undefined && hasOthers(company, gitDir) ? company.ground : undefined;
}

/** Whether no other attempt of this process is under way in this repository. */
export function isAlone({ commonDir, gitDir }: Places): boolean {
  const company = companies.get(commonDir);
  return company === undefined || !hasOthers(company, gitDir);
}

function hasOthers({ members }: Company, gitDir: ByteName): boolean {
  return members.size > (members.has(gitDir) ? 1 : 0);
}

/**
 * An attempt has begun here; alone, what it stands on is the common ground of those that begin after it. Gives from when on what
 * this process writes is known.
 */
export function joinCompany(
  { commonDir, gitDir }: Places,
  { record, ...ground }: Omit<CommonGround, 'guarded'> & { readonly record: OpenRecord },
): { readonly since: number } {
  const company = companies.get(commonDir) ?? {
    members: new Set(),
    ground: undefined,
    isOwed: false,
  };
  companies.set(commonDir, company);
  if (!hasOthers(company, gitDir)) {
    const common = record.guarded.filter(([path]) => isCommon(commonDir, path));
    const guarded = common.map(([path, thing]) => ({
      ...{ path, thing },
      bytes: thing.kind === 'file' ? record.bytesOf(thing.bytes) : undefined,
    }));
    company.ground = { ...ground, guarded };
  }
  company.members.add(gitDir);
  return { since: ground.since };
}

/** Leaves what an agent did to common refs to the attempt that ends last. */
export function owe({ commonDir }: Places): void {
  const company = companies.get(commonDir);
  if (company !== undefined) company.isOwed = true;
}

export function isOwed({ commonDir }: Places): boolean {
  return companies.get(commonDir)?.isOwed === true;
}

/** The attempt here is over. True where it was the last one and something is owed. */
export function leaveCompany({ commonDir, gitDir }: Places): boolean {
  const company = companies.get(commonDir);
  if (company?.members.delete(gitDir) !== true || company.members.size > 0) return false;
  companies.delete(commonDir);
  return company.isOwed;
}

/** Files of the common git directory that steer git in every work tree. */
const common = ['config', 'info', 'hooks', 'shallow', 'objects/info/alternates', 'modules'];

export function isCommon(commonDir: ByteName, path: ByteName): boolean {
  return common.some((name) => {
    const root = `${commonDir}/${name}`;
    return path === root || path.startsWith(`${root}/`);
  });
}

/** What guards the common files for one that begins while others are under way. */
export function keepCommon(
  { guarded }: CommonGround,
  writer: RecordWriter,
): readonly (readonly [ByteName, Thing])[] {
  return guarded.map(({ path, thing, bytes }) => [
    path,
    thing.kind === 'file' && bytes !== undefined ? { ...thing, bytes: writer.keep(bytes) } : thing,
  ]);
}

export interface BegunReading {
  readonly reading: RefReading;
  /** As of `writesSoFar`. */
  readonly since: number;
}

/** HEAD and all refs, while we change none; common ones as they were before any agent was at work beside this attempt. */
export async function readBeginning(
  repository: Repository,
  isAsRead: (ref: ByteName) => boolean,
): Promise<BegunReading> {
  const { store } = repository.git;
  const read = async (): Promise<BegunReading> => ({
    reading: await readRefs(repository),
    since: writesSoFar(),
  });
  const { reading, since } = await inTurn(store, read);
  const ground = commonGround(repository);
  if (ground === undefined) return { reading, since };
  const refs = new Map<ByteName, string>();
  for (const ref of new Set([...reading.refs.keys(), ...ground.refs.keys()])) {
    const ours = writtenSince(store, ref, ground.since);
    const stood = ours === undefined || ours.isUnsure ? ground.refs.get(ref) : ours.to;
    const value = isAsRead(ref) || ours?.isUnsure === true ? reading.refs.get(ref) : stood;
    if (value !== undefined) refs.set(ref, value);
  }
  return { reading: { ...reading, refs }, since };
}
