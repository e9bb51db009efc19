import { rmSync, statSync, writeFileSync } from 'node:fs';
import { pathMatcher } from '../core/globs.ts';
import type { AttemptRules } from '../ports.ts';
import type { Beginning, Equipment } from './beginning.ts';
import { toByteName, toPath, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { recordGuarded } from './config-guard.ts';
import type { Ground } from './ground.ts';
import { recordIgnored } from './ignored-files.ts';
import { sha256 } from './plan-file.ts';
import { isJudge, watchProtected } from './protect.ts';
import { statOf } from './raw-files.ts';
import type { AttemptRecord, RecordWriter, Thing } from './record.ts';
import { headLog } from './reflog.ts';
import type { RefReading } from './refs.ts';
import type { Repository } from './located-repository.ts';
import { isIgnored } from './status.ts';
import { recordTaken } from './taken.ts';
import { recordThing } from './things.ts';
import { walkTree } from './walk.ts';
import type { UsualModes, Walk } from './walk.ts';
import { branchLog } from './whose-commits.ts';

/** All that goes into a record. */
export interface Filling extends Beginning, Ground {
  readonly base: string;
  readonly reading: RefReading;
  readonly stashLog: Buffer | undefined;
  readonly tags: readonly Buffer[];
  readonly writer: RecordWriter;
}

/** Looks at everything an agent may damage; bytes go to the writer. */
export async function fillRecord(
  { repository, lineEnds }: Equipment,
  filling: Filling,
): Promise<AttemptRecord> {
  const { base, tree, baseTree, index, writer, attempt, rules, flags, userIndex } = filling;
  const { top } = repository;
  const ignored = ignoredPaths(filling);
  const branch = toByteName(repository.facts.branch ?? '');
  const usualModes = probeModes(repository);
  const walk = walkTree(top, {
    skip: new Set(ignored.folders),
    ignored: new Set(ignored.files),
    usual: usualModes,
  });
  const converts = await lineEnds.areConverted(walk.attributeFiles);
  const raw = converts ? await lineEnds.unfaithful(tree, index) : [];
  return {
    version: 1,
    top,
    attempt,
    began: Date.now(),
    ...{ base, tree, baseTree, flags, userIndex, converts, usualModes },
    branch,
    refs: [...filling.reading.refs],
    tagObjects: filling.tags.map((tag) => writer.keep(tag)),
    guarded: await recordGuarded(repository, writer),
    ...ignoredParts(top, filling, ignored),
    ignoreFiles: things(top, walk.ignoreFiles, writer),
    rawFiles: things(top, raw, writer),
    ...walkedParts(walk),
    plan: planRecord(top, rules, writer),
    ...(filling.isTaken === true && { taken: recordTaken(repository, filling) }),
    guarding: guardingOf(rules),
    maxFile: rules.maxFile,
    ...logSizes(repository, branch),
    stashLog: filling.stashLog && writer.keep(filling.stashLog),
  };
}

function guardingOf(rules: AttemptRules): NonNullable<AttemptRecord['guarding']> {
  const { protect, protectNew, mayChange, judges } = rules;
  return { protect, protectNew, mayChange, judges };
}

function logSizes(
  repository: Repository,
  branch: ByteName,
): Pick<AttemptRecord, 'reflog' | 'branchLogSize'> {
  return {
    reflog: sizeOf(headLog(repository)),
    branchLogSize: sizeOf(branchLog(repository, branch)),
  };
}

interface IgnoredPaths {
  readonly files: readonly ByteName[];
  readonly folders: readonly ByteName[];
}

function ignoredPaths({ lines }: Ground): IgnoredPaths {
  const ignored = lines.filter(isIgnored);
  return {
    files: ignored.filter(({ isFolder }) => !isFolder).map(({ path }) => path),
    folders: ignored.filter(({ isFolder }) => isFolder).map(({ path }) => path),
  };
}

function ignoredParts(
  top: ByteName,
  { lines, rules, writer }: Filling,
  ignored: IgnoredPaths,
): Pick<AttemptRecord, 'ignored' | 'ignoredOthers' | 'ignoredFolders' | 'protectedFiles'> {
  const protectedFiles = watchProtected(top, [...rules.protect, ...rules.judges], ignored);
  const isProtected = pathMatcher(rules.protect);
  const also = protectedFiles
    .map(([path]) => path)
    .filter((path) => !isJudge(path) && isProtected(toText(path)));
  const { small, others } = recordIgnored(top, lines, { writer, also });
  return {
    ignored: small,
    ignoredOthers: others,
    ignoredFolders: ignored.folders,
    protectedFiles,
  };
}

export function sizeOf(path: ByteName): number {
  return statOf(path)?.size ?? 0;
}

/** By making a file: there is no harmless way to ask for the umask. */
function probeModes({ state }: Repository): UsualModes {
  const probe = toPath(`${state}/probe`);
  rmSync(probe, { force: true });
  writeFileSync(probe, '');
  const file = statSync(probe).mode & 0o777;
  rmSync(probe);
  return { file, program: file | ((file & 0o444) >> 2) };
}

function walkedParts(
  walk: Walk,
): Pick<AttemptRecord, 'bareFolders' | 'oddModes' | 'specials' | 'repositories' | 'unreadable'> {
  return {
    bareFolders: [...walk.bareFolders],
    oddModes: [...walk.oddModes],
    specials: [...walk.specials.keys()],
    repositories: walk.repositories,
    unreadable: walk.unreadable,
  };
}

function planRecord(
  top: ByteName,
  { plan }: AttemptRules,
  writer: RecordWriter,
): AttemptRecord['plan'] {
  const path = toByteName(plan.path);
  const stat = statOf(`${top}/${path}`);
  return {
    path,
    mode: stat && stat.mode & 0o7777,
    before: writer.keep(plan.before),
    ticked: sha256(plan.ticked),
  };
}

function things(
  top: ByteName,
  paths: readonly ByteName[],
  writer: RecordWriter,
): (readonly [ByteName, Thing])[] {
  return paths.flatMap((path) => {
    const thing = recordThing(`${top}/${path}`, writer);
    return thing === undefined ? [] : [[path, thing] as const];
  });
}
