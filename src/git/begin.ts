import { Refusal } from '../ports.ts';
import type { AnchorNote } from './anchor-note.ts';
import type { Beginning, Equipment } from './beginning.ts';
import { toByteName } from './byte-name.ts';
import { fillRecord, sizeOf, type Filling } from './fill-record.ts';
import { assumeGround, lookAtGround } from './ground.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { openQuarantine } from './quarantine.ts';
import { readRegular } from './raw-files.ts';
import { readRefs } from './read-refs.ts';
import { createRecord } from './record.ts';
import type { RefReading } from './refs.ts';
import { moveRefsOutOfTheWay, refuseRefsInTheWay } from './refs-in-the-way.ts';
import { makeStateFolder } from './located-repository.ts';
import type { Repository } from './located-repository.ts';
import { forgetKept } from './snapshot.ts';
import { refuseLocks } from './stale-locks.ts';
import { branchLog } from './whose-commits.ts';

/**
 * Records where an attempt begins, durably. Throws Refusal(4) where HEAD, branch or work tree are not what the run left: a
 * person works here.
 */
export async function beginAttempt(
  equipment: Equipment,
  beginning: Beginning,
): Promise<OpenAttempt> {
  const { repository, anchors } = equipment;
  makeStateFolder(repository);
  if (beginning.isLate !== true) await refuseLocks(repository);
  const notices = await clearRefs(repository, beginning);
  const reading = await readRefs(repository);
  const { anchored } = beginning;
  const base = anchored?.base ?? standingBase(repository, reading, beginning.expectedHead);
  const look = beginning.isLate === true ? assumeGround : lookAtGround;
  const ground = await look(repository, base, beginning);
  const stashLog = readRegular(`${repository.commonDir}/logs/refs/stash`);
  const tags = await holdAll(equipment, beginning, { base, reading, stashLog });
  const writer = createRecord(repository.state);
  try {
    const record = await fillRecord(equipment, {
      ...beginning,
      ...ground,
      base,
      reading: { ...reading, ...(anchored && { refs: anchored.refs }) },
      stashLog,
      tags,
      writer,
    });
    forgetKept(repository);
    return {
      repository,
      anchors,
      record: writer.finish({ ...record, ...anchored?.standing }),
      quarantine: openQuarantine(repository, beginning.attempt),
      baseIndex: ground.baseIndex,
      notices,
    };
  } catch (error) {
    writer.abandon();
    throw error;
  }
}

/** Refs that would be in the way of ours: of an attempt that has begun already they are its own. */
async function clearRefs(
  repository: Repository,
  { attempt, isLate }: Beginning,
): Promise<readonly string[]> {
  if (isLate === true) return moveRefsOutOfTheWay(repository, attempt);
  await refuseRefsInTheWay(repository, attempt.plan, 4);
  return [];
}

/** The anchor of a dead process goes on to hold what it held: it alone tells what stood there then. */
async function holdAll(
  { repository, anchors }: Equipment,
  beginning: Beginning,
  { base, reading, stashLog }: Pick<Filling, 'base' | 'reading' | 'stashLog'>,
): Promise<readonly Buffer[]> {
  if (beginning.anchored !== undefined) return [];
  return anchors.hold(reading, stashLog, noteOf(repository, beginning, base));
}

/** For the anchor: what undoes the attempt where even its record is lost. */
function noteOf(
  repository: Repository,
  { attempt, rules, isTaken = false }: Beginning,
  base: string,
): AnchorNote {
  const branch = toByteName(repository.facts.branch ?? '');
  return {
    ...{ version: 1, attempt, base, branch, isTaken },
    planPath: attempt.facts?.planPath ?? rules.plan.path,
    began: Date.now(),
    branchLogSize: sizeOf(branchLog(repository, branch)),
  };
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
