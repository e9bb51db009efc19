import { Refusal } from '../ports.ts';
import type { AttemptRules } from '../ports.ts';
import type { AnchorNote } from './anchor-note.ts';
import type { Beginning, Equipment } from './beginning.ts';
import { toByteName } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { commonGround, joinCompany, readBeginning, type BegunReading } from './company.ts';
import { fillRecord, sizeOf, type Filling } from './fill-record.ts';
import { assumeGround, lookAtGround } from './ground.ts';
import { movedByPerson, type BranchMove } from './moved-by-person.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { openQuarantine } from './quarantine.ts';
import { readRegular } from './raw-files.ts';
import { createRecord } from './record.ts';
import type { RefReading } from './refs.ts';
import { isWrittenElsewhere } from './refs-elsewhere.ts';
import { moveRefsOutOfTheWay, refuseRefsInTheWay } from './refs-in-the-way.ts';
import { makeStateFolder } from './located-repository.ts';
import type { Repository } from './located-repository.ts';
import { forgetKept } from './snapshot.ts';
import { refuseLocks } from './stale-locks.ts';
import { branchLog } from './whose-commits.ts';

const begun = new Map<string, Promise<unknown>>();

/** One after the other in each repository: each has to know who is under way there. */
export async function beginAttempt(
  equipment: Equipment,
  beginning: Beginning,
): Promise<OpenAttempt> {
  const { store } = equipment.repository.git;
  const mine = (begun.get(store) ?? Promise.resolve()).then(() => beginNext(equipment, beginning));
  begun.set(
    store,
    mine.catch(() => undefined),
  );
  return mine;
}

/**
 * Records where an attempt begins, durably. Throws Refusal(4) where HEAD, branch or work tree are not what the run left: a
 * person works here.
 */
async function beginNext(equipment: Equipment, beginning: Beginning): Promise<OpenAttempt> {
  const { repository, anchors } = equipment;
  makeStateFolder(repository);
  if (beginning.isLate !== true) await refuseLocks(repository);
  const notices = await clearRefs(repository, beginning);
  const { reading, since, stashLog } = await lookAtCommon(repository, beginning);
  const { anchored } = beginning;
  const base = anchored?.base ?? (await standingBase(repository, reading, beginning));
  const look = beginning.isLate === true ? assumeGround : lookAtGround;
  const ground = await look(repository, base, beginning);
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
    const finished = writer.finish({ ...record, ...anchored?.standing });
    const common = { refs: reading.refs, since, stashLog, record: finished };
    return {
      repository,
      anchors,
      record: finished,
      ...(beginning.isLate !== true && joinCompany(repository, common)),
      quarantine: openQuarantine(repository, beginning.attempt),
      baseIndex: ground.baseIndex,
      notices,
    };
  } catch (error) {
    writer.abandon();
    throw error;
  }
}

type Common = BegunReading & { readonly stashLog: Buffer | undefined };

/** What all work trees have in common, as it was before any agent was at work beside this attempt. */
async function lookAtCommon(repository: Repository, { attempt }: Beginning): Promise<Common> {
  const branch = toByteName(repository.facts.branch ?? '');
  const isElsewhere = isWrittenElsewhere(repository, { plan: attempt.plan, branch });
  const isAsRead = (ref: ByteName): boolean => ref === branch || isElsewhere(ref);
  const begun = await readBeginning(repository, isAsRead);
  const others = commonGround(repository);
  const log = `${repository.commonDir}/logs/refs/stash`;
  return { ...begun, stashLog: others === undefined ? readRegular(log) : others.stashLog };
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

async function standingBase(
  repository: Repository,
  { head, refs }: RefReading,
  { expectedHead: expected, rules }: Pick<Beginning, 'expectedHead' | 'rules'>,
): Promise<string> {
  const { branch } = repository.facts;
  if (branch === undefined || head !== `ref: ${toByteName(branch)}`)
    throw new Refusal(
      4,
      `HEAD is no longer at ${branch ?? 'a branch'}`,
      'git status; then run again',
    );
  const base = refs.get(toByteName(branch)) ?? '';
  const move = { branch: toByteName(branch), from: expected, to: base };
  if (await mayBeginAt(repository, move, rules)) return base;
  throw new Refusal(
    4,
    `${branch} was moved meanwhile, from ${expected?.slice(0, 10) ?? 'nothing'} to ${base.slice(0, 10)}`,
    'run again to go on from there',
  );
}

async function mayBeginAt(
  repository: Repository,
  { from, ...move }: Omit<BranchMove, 'from'> & { readonly from: string | undefined },
  { followsBranch, plan }: AttemptRules,
): Promise<boolean> {
  if (move.to === '') return false;
  if (from === undefined || from === move.to) return true;
  return followsBranch === true && movedByPerson(repository, { ...move, from }, plan);
}
