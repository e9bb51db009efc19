import { rmSync, statSync, writeFileSync } from 'node:fs';
import { pathMatcher } from '../core/globs.ts';
import { Refusal } from '../ports.ts';
import type { AttemptId, AttemptRules } from '../ports.ts';
import type { Anchors } from './anchors.ts';
import { toByteName, toPath, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { recordGuarded } from './config-guard.ts';
import { lookAtGround } from './ground.ts';
import type { Ground } from './ground.ts';
import { recordIgnored } from './ignored-files.ts';
import type { LineEnds } from './line-ends.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { sha256 } from './plan-file.ts';
import { isJudge, watchProtected } from './protect.ts';
import { openQuarantine } from './quarantine.ts';
import { readRegular, statOf } from './raw-files.ts';
import { readRefs } from './read-refs.ts';
import { createRecord } from './record.ts';
import type { AttemptRecord, RecordWriter, Thing } from './record.ts';
import { logSize } from './reflog.ts';
import type { RefReading } from './refs.ts';
import { makeStateFolder } from './repository.ts';
import type { Repository } from './repository.ts';
import { forgetKept } from './snapshot.ts';
import { refuseLocks } from './stale-locks.ts';
import { isIgnored } from './status.ts';
import { recordThing } from './things.ts';
import { walkTree } from './walk.ts';
import type { UsualModes, Walk } from './walk.ts';

export interface Beginning {
  readonly attempt: AttemptId;
  readonly rules: AttemptRules;
  /** The tree that lies in the work tree, where that is not HEAD's. */
  readonly startTree: string | undefined;
  /** Where the branch stood when this process last saw it. */
  readonly expectedHead: string | undefined;
}

export interface Equipment {
  readonly repository: Repository;
  readonly anchors: Anchors;
  readonly lineEnds: LineEnds;
  /** Names this process. */
  readonly owner: string;
}

/**
 * Records where an attempt begins, durably. Throws Refusal(4) where HEAD, branch or work tree are not what the run left: a
 * person works here.
 */
export async function beginAttempt(
  equipment: Equipment,
  beginning: Beginning,
): Promise<OpenAttempt> {
  const { repository, anchors, owner } = equipment;
  makeStateFolder(repository);
  await refuseLocks(repository);
  const reading = await readRefs(repository);
  const base = standingBase(repository, reading, beginning.expectedHead);
  const ground = await lookAtGround(repository, base, beginning.startTree);
  const stashLog = readRegular(`${repository.commonDir}/logs/refs/stash`);
  await anchors.hold(reading, stashLog);
  const writer = createRecord(repository.state);
  try {
    const record = await fillRecord(equipment, {
      ...beginning,
      ...ground,
      base,
      reading,
      stashLog,
      writer,
    });
    forgetKept(repository);
    return {
      repository,
      anchors,
      record: writer.finish({ ...record, owner }),
      quarantine: openQuarantine(repository, beginning.attempt),
      baseIndex: ground.baseIndex,
      isOurs: true,
    };
  } catch (error) {
    writer.abandon();
    throw error;
  }
}

function standingBase(
  { facts }: Repository,
  { head, refs }: RefReading,
  expected: string | undefined,
): string {
  const branch = facts.branch;
  if (branch === undefined || head !== `ref: ${toByteName(branch)}`)
    throw new Refusal(
      4,
      `HEAD is no longer at ${branch ?? 'a branch'}`,
      'git status; then run again',
    );
  const base = refs.get(toByteName(branch)) ?? '';
  if (base === '' || (expected !== undefined && base !== expected))
    throw new Refusal(
      4,
      `${branch} was moved meanwhile, from ${expected?.slice(0, 10) ?? 'nothing'} to ${base.slice(0, 10)}`,
      'run again to go on from there',
    );
  return base;
}

interface Filling extends Beginning, Ground {
  readonly base: string;
  readonly reading: RefReading;
  readonly stashLog: Buffer | undefined;
  readonly writer: RecordWriter;
}

async function fillRecord(
  { repository, lineEnds }: Equipment,
  filling: Filling,
): Promise<Omit<AttemptRecord, 'owner'>> {
  const { base, tree, baseTree, index, writer, attempt, rules, flags, userIndex } = filling;
  const { top } = repository;
  const ignored = ignoredPaths(filling);
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
    attempt,
    began: Date.now(),
    ...{ base, tree, baseTree, flags, userIndex, converts, usualModes },
    branch: toByteName(repository.facts.branch ?? ''),
    refs: [...filling.reading.refs],
    guarded: await recordGuarded(repository, writer),
    ...ignoredParts(top, filling, ignored),
    ignoreFiles: things(top, walk.ignoreFiles, writer),
    rawFiles: things(top, raw, writer),
    ...walkedParts(walk),
    plan: planRecord(top, rules, writer),
    maxFile: rules.maxFile,
    reflog: logSize(repository),
    stashLog: filling.stashLog && writer.keep(filling.stashLog),
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
  const protectedFiles = watchProtected(top, rules.protect, ignored);
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
