import { Refusal } from '../ports.ts';
import type { AttemptId, AttemptRules, Checkpoint, Inspection, Workspace } from '../ports.ts';
import { openAnchors } from './anchors.ts';
import { beginAttempt } from './begin.ts';
import type { Equipment } from './beginning.ts';
import { toByteName } from './byte-name.ts';
import { leaveCompany } from './company.ts';
import { followCommit } from './follow-commit.ts';
import { moveRefs } from './checkpoint.ts';
import type { Identity } from './identity.ts';
import { tellIgnored } from './ignored-files.ts';
import { inspectAttempt } from './inspect.ts';
import { readLateAnchor, type LateAnchor } from './late-anchor.ts';
import { keepAttempt, keepBeforeGates } from './keep-attempt.ts';
import { layOutLeft } from './lay-out-left.ts';
import { openLineEnds } from './line-ends.ts';
import { explainingLoss } from './lost-objects.ts';
import { noRules } from './no-rules.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { isSame, reopenAttempt } from './open-record.ts';
import { useIndex, type IndexContent } from './private-index.ts';
import { mergeKept } from './merge-kept.ts';
import { reapplySnapshot } from './reapply.ts';
import { deleteRecord } from './record.ts';
import { resolveRef } from './refs.ts';
import { moveRefsOutOfTheWay } from './refs-in-the-way.ts';
import { putOwedBack } from './refs-guard.ts';
import type { Repository } from './located-repository.ts';
import { rollBackAttempt } from './roll-back.ts';
import { settleTree } from './settle.ts';
import { dropSnapshot, snapshotRefOf } from './snapshot.ts';
import { stoppedByMachine } from './stopped-by-machine.ts';
import { cutShort } from './stopping.ts';
import { giveToUser } from './user-index.ts';

type AttemptMethods = Pick<
  Workspace,
  | 'begin'
  | 'takeUp'
  | 'inspect'
  | 'reinspect'
  | 'settle'
  | 'checkpoint'
  | 'rollBack'
  | 'reapply'
  | 'merge'
  | 'layOut'
  | 'end'
>;

/** What this process knows of the attempt under way. */
interface Memory {
  open: OpenAttempt | undefined;
  /** Index of the tree that the gates judge. */
  candidate: IndexContent | undefined;
  /** Where the branch stood when we last looked. */
  head: string | undefined;
}

export interface Attempts extends AttemptMethods {
  /** The branch is at a commit of ours now. */
  readonly noteHead: (commit: string) => void;
  /** When the attempt under way began; without one, long ago. Milliseconds since 1970. */
  readonly since: () => number;
}

/** The methods of Workspace that belong to one attempt; what they must not forget stays in memory, where no agent reaches it. */
export function openAttempts(repository: Repository, identity: () => Promise<Identity>): Attempts {
  const equipment: Equipment = {
    repository,
    anchors: openAnchors(repository),
    lineEnds: openLineEnds(repository),
  };
  const memory: Memory = { open: undefined, candidate: undefined, head: undefined };
  const work: Work = { equipment, memory, identity };
  const explained = explainingLoss(repository);
  const brief: typeof explained = (call) => cutShort(explained(call));
  return {
    begin: brief((attempt, rules, startTree) => begin(work, { attempt, rules, startTree })),
    takeUp: brief((attempt, rules) =>
      begin(work, { attempt, rules, startTree: undefined, isTaken: true }),
    ),
    inspect: brief((attempt, rules) => inspect(work, attempt, { rules, again: false })),
    reinspect: brief((attempt, rules) => inspect(work, attempt, { rules, again: true })),
    settle: explained(async (attempt) => {
      const open = await reopen(work, attempt);
      const settled = await settleTree(open, memory.candidate ?? open.baseIndex);
      memory.candidate = settled.index;
      return settled.failure;
    }),
    checkpoint: explained((attempt, checkpoint) => finish(work, attempt, checkpoint)),
    rollBack: stoppedByMachine(explained((...call) => rollBack(work, ...call))),
    reapply: async (attempt, snapshot) => reapplySnapshot(await reopen(work, attempt), snapshot),
    merge: async (attempt, ...kept) => mergeKept(await reopen(work, attempt), identity, ...kept),
    layOut: async (attempt, left) => layOutLeft(await reopen(work, attempt), left),
    end: async (attempt) => end(work, attempt),
    noteHead: (commit) => {
      memory.head = commit;
    },
    since: () => memory.open?.record.began ?? 0,
  };
}

interface Work {
  readonly equipment: Equipment;
  readonly memory: Memory;
  readonly identity: () => Promise<Identity>;
}

interface Beginning {
  readonly attempt: AttemptId;
  readonly rules: AttemptRules;
  readonly startTree: string | undefined;
  readonly isTaken?: boolean;
}

async function begin({ equipment, memory }: Work, beginning: Beginning): Promise<string> {
  memory.open?.record.close();
  [memory.open, memory.candidate] = [undefined, undefined];
  memory.open = await beginAttempt(equipment, { ...beginning, expectedHead: memory.head });
  memory.head = memory.open.record.base;
  return memory.head;
}

/** The attempt as this process, or a dead one before it, began it. */
async function reopen(work: Work, attempt: AttemptId): Promise<OpenAttempt> {
  const open = await findOpen(work, attempt);
  if (open !== undefined) return open;
  const name = `${attempt.id}#${attempt.number}`;
  throw new Refusal(4, `there is no record of attempt ${name}: nothing was touched`, 'git status');
}

async function findOpen(
  { equipment, memory }: Work,
  attempt: AttemptId,
  heldUntil = 0,
): Promise<OpenAttempt | undefined> {
  if (memory.open !== undefined && isSame(memory.open.record.attempt, attempt)) return memory.open;
  const { repository, anchors } = equipment;
  const found = await reopenAttempt(repository, anchors, attempt, heldUntil);
  if (found === undefined) return undefined;
  memory.open?.record.close();
  memory.open = found;
  memory.candidate = undefined;
  return found;
}

async function inspect(
  work: Work,
  attempt: AttemptId,
  { rules, again }: { readonly rules: AttemptRules; readonly again: boolean },
): Promise<Inspection> {
  const open = await reopen(work, attempt);
  const notices = await keepBeforeGates(open, work.identity);
  const { inspection, index } = await inspectAttempt(open, rules, again);
  work.memory.candidate = index;
  return { ...inspection, notices: [...notices, ...inspection.notices] };
}

async function finish(
  work: Work,
  attempt: AttemptId,
  checkpoint: Checkpoint,
): ReturnType<AttemptMethods['checkpoint']> {
  const { equipment, memory } = work;
  const { repository, anchors } = equipment;
  const open = await findOpen(work, attempt);
  const moved = await moveRefsOutOfTheWay(repository, attempt);
  const stands = await moveRefs(repository, attempt, checkpoint);
  memory.head = stands;
  anchors.know(checkpoint.commit);
  if (stands !== checkpoint.commit) {
    // A person has committed on top: the index is theirs.
  } else if (open !== undefined && memory.candidate !== undefined)
    await giveToUser(repository, useIndex(repository, memory.candidate), open.record.flags);
  else await followCommit(repository, stands);
  if (open?.record.taken !== undefined) await dropSnapshot(open);
  const late = open === undefined ? [] : await putOwedBack(open);
  await anchors.drop();
  const notices = open === undefined ? moved : [...moved, ...late, ...tellIgnored(open)];
  end(work, attempt);
  return notices;
}

async function rollBack(
  work: Work,
  ...[attempt, heldUntil]: Parameters<AttemptMethods['rollBack']>
): ReturnType<AttemptMethods['rollBack']> {
  const { equipment, memory, identity } = work;
  const found = await findOpen(work, attempt, heldUntil);
  const ref = snapshotRefOf(attempt);
  const commit = resolveRef(equipment.repository, toByteName(ref));
  const anchored = found
    ? undefined
    : await readLateAnchor(equipment.repository, attempt, heldUntil);
  // It was over before the crash: only the ledger does not know yet. While its anchor stands it was not, whoever made the ref.
  if (found === undefined && anchored === undefined && commit !== '')
    return { snapshot: { ref, commit }, notices: [] };
  const { ended } = attempt;
  const open = {
    ...(found ?? (await beginLate(work, attempt, anchored))),
    ...(ended && { ended }),
  };
  if (open.record.taken !== undefined) return keep(work, open);
  const rolledBack = await rollBackAttempt(open, { identity, lineEnds: equipment.lineEnds });
  memory.head = open.record.base;
  memory.candidate = undefined;
  return { ...rolledBack, notices: [...rolledBack.notices, ...(await putOwedBack(open))] };
}

/** A person's attempt: the work tree stays theirs. */
async function keep(
  { memory, identity }: Work,
  open: OpenAttempt,
): ReturnType<AttemptMethods['rollBack']> {
  const kept = await keepAttempt(open, memory.candidate, identity);
  memory.candidate = undefined;
  return { ...kept, kept: true };
}

/** Nothing can be put back without a record but the base's tree, HEAD's where no anchor tells it; what lies there now is kept all the same. */
async function beginLate(
  { equipment, memory }: Work,
  attempt: AttemptId,
  anchored: LateAnchor | undefined,
): Promise<OpenAttempt> {
  const open = await beginAttempt(equipment, {
    attempt,
    ...{ rules: noRules, startTree: undefined, expectedHead: undefined, isLate: true },
    ...(anchored && { anchored }),
  });
  memory.open?.record.close();
  memory.open = {
    ...open,
    notices: [
      ...open.notices,
      `the record of the attempt is gone: ${anchored ? 'files and the branch are put back as its anchor tells, settings and other refs' : 'files are put back as HEAD has them, settings and refs'} are left as they are`,
    ],
  };
  return memory.open;
}

function end({ equipment, memory }: Work, attempt: AttemptId): void {
  leaveCompany(equipment.repository);
  const open = memory.open;
  if (open === undefined || !isSame(open.record.attempt, attempt)) return;
  open.record.close();
  [memory.open, memory.candidate] = [undefined, undefined];
  deleteRecord(equipment.repository.state);
}
