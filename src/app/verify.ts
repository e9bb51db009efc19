import {
  assertTemporary,
  openHouse,
  planPathIn,
  stoppingWith,
  type Environment,
  type House,
} from '../compose.ts';
import { nearest } from '../core/config/nearest.ts';
import { groupBy } from '../core/history.ts';
import { shortRef } from '../core/refs.ts';
import { Refusal, type CheckpointMark } from '../ports.ts';
import { openCleanRoom } from '../run/clean-room.ts';
import { interruption, type Interruption } from './carry-out.ts';
import { readPlans } from './read-ledger.ts';
import { recordVerified } from './record-verified.ts';
import { noCommit } from './refuse-no-commit.ts';
import { verifyCheckpoint, type Verdicts, type Verifying } from './verify-checkpoint.ts';

export interface VerifyOptions {
  /** Absolute. */
  readonly cwd: string;
  /** `--plan`, relative to `cwd`: where a checkpoint's plan lies, if nothing else tells. */
  readonly planPath?: string;
  /** Tags (`skeleton/plan/0003-x`), or parts of them (`0003-x`, `3`); empty for those that HEAD contains. */
  readonly names: readonly string[];
}

export interface VerifyIo {
  readonly onCheckpoint: (verification: Verification) => void;
  readonly signal: AbortSignal;
  readonly env: Environment;
}

export interface Verification extends Verdicts {
  /** The tag's short name; the proof's where the tag is gone. */
  readonly checkpoint: string;
  readonly commit: string;
}

export interface VerifyResult {
  readonly status: 0 | 1 | 3 | Interruption;
  readonly checkpoints: readonly Verification[];
}

/**
 * Judges checkpoints again: the gates as they stood at each one's parent, on the tagged tree, in a clean worktree, compared
 * with the proof (contract, "Commands": `verify`). Work tree, index and refs stay as they are; the worktree goes whatever
 * happens. Throws Refusal (2: no such checkpoint; 3: none to verify).
 */
export async function verifyCheckpoints(
  options: VerifyOptions,
  io: VerifyIo,
): Promise<VerifyResult> {
  return stoppingWith(io.signal, () => verify(options, io));
}

async function verify(options: VerifyOptions, io: VerifyIo): Promise<VerifyResult> {
  const house = await openHouse(options.cwd, io.env);
  assertTemporary();
  if (house.facts.head === undefined && options.names.length === 0) throw noCommit();
  const checkpoints = await house.checkpoints();
  const marks = chooseMarks(await checkpoints.all(), options.names);
  const gatesIn: House['gates'] = (config, top) => house.gates(config, top);
  const room = openCleanRoom({ worktrees: await house.worktrees(), checkpoints, gatesIn });
  const verifying: Verifying = {
    house,
    checkpoints,
    room,
    workspace: await house.workspace(),
    planPath: planPathIn(house.facts.top, options.cwd, options.planPath),
    plans: await readPlans(house),
    signal: io.signal,
    env: io.env,
  };
  const done: Verification[] = [];
  const held: CheckpointMark[] = [];
  try {
    for (const mark of marks) {
      const verdicts = await verifyCheckpoint(mark, verifying);
      if (io.signal.aborted) break;
      const verification = { ...nameOf(mark), ...verdicts };
      done.push(verification);
      io.onCheckpoint(verification);
      if (verdicts.outcome === 'holds' && mark.tag !== undefined) held.push(mark);
    }
  } finally {
    await room.close();
    await house.close();
  }
  await recordHeld(house, held);
  return {
    status: io.signal.aborted ? interruption(io.signal) : statusOf(done),
    checkpoints: done,
  };
}

async function recordHeld(house: House, held: readonly CheckpointMark[]): Promise<void> {
  for (const [plan, marks] of groupBy(held, ({ plan }) => plan)) {
    const confirmed = marks.flatMap(({ tag }) =>
      tag === undefined ? [] : [{ tag: tag.ref, commit: tag.commit }],
    );
    await recordVerified(house, plan, confirmed);
  }
}

function statusOf(done: readonly Verification[]): 0 | 1 | 3 {
  if (done.some(({ outcome }) => outcome === 'differs')) return 1;
  return done.some(({ outcome }) => outcome === 'cannot-run') ? 3 : 0;
}

function nameOf({ tag, proof }: CheckpointMark): Pick<Verification, 'checkpoint' | 'commit'> {
  return {
    checkpoint: shortRef((tag ?? proof)?.ref ?? ''),
    commit: (tag ?? proof)?.commit ?? '',
  };
}

function chooseMarks(
  all: readonly CheckpointMark[],
  names: readonly string[],
): readonly CheckpointMark[] {
  const marks =
    names.length === 0
      ? all.filter(({ isInHead }) => isInHead)
      : names.flatMap((name) => named(name, all));
  if (marks.length > 0) return all.filter((mark) => marks.includes(mark));
  const newest = all.at(-1);
  if (newest !== undefined)
    throw new Refusal(
      3,
      'HEAD contains no checkpoint, so there is nothing to verify',
      `skeleton verify ${nameOf(newest).checkpoint}     verifies one that HEAD does not contain`,
    );
  throw new Refusal(
    3,
    'HEAD contains no checkpoint, so there is nothing to verify',
    "skeleton run makes some; from elsewhere they are fetched by: git fetch origin 'refs/tags/skeleton/*:refs/tags/skeleton/*' 'refs/skeleton/*:refs/skeleton/*'\nskeleton verify NAME     verifies one that HEAD does not contain; git tag -l 'skeleton/*' names them",
  );
}

/** By the whole name of the tag, by what follows the plan, by number, or by task. */
function named(name: string, all: readonly CheckpointMark[]): readonly CheckpointMark[] {
  const wanted = shortRef(name);
  const found = all.filter((mark) => namesOf(mark).includes(wanted));
  if (found.length > 0) return found;
  const near = nearest(wanted, all.flatMap(namesOf));
  const hint = near === undefined ? '' : `; did you mean '${near}'?`;
  throw new Refusal(2, `there is no checkpoint '${name}'${hint}`, "git tag -l 'skeleton/*'");
}

function namesOf(mark: CheckpointMark): readonly string[] {
  const { checkpoint } = nameOf(mark);
  const last = checkpoint.slice(checkpoint.lastIndexOf('/') + 1);
  return [checkpoint, last, last.replace(/^\d+-/, ''), String(mark.number)];
}
