import { join } from 'node:path';
import { clock, type Environment, type House } from '../compose.ts';
import type { GateResult } from '../core/events.ts';
import { compareProof, parseProof, type Proof } from '../core/proof.ts';
import { planSlug } from '../core/refs.ts';
import { settingsOf } from '../core/settings.ts';
import { judgementOf } from '../core/verdict.ts';
import {
  Refusal,
  type CheckpointMark,
  type Checkpoints,
  type CommitFacts,
  type Workspace,
} from '../ports.ts';
import type { CleanJob, CleanRoom, CleanRun } from '../run/clean-room.ts';
import { filesAt } from './files-at.ts';
import { problemLine, readPlan, type PlanReading } from './read-plan.ts';

export interface Verifying {
  readonly house: House;
  readonly checkpoints: Checkpoints;
  readonly room: CleanRoom;
  readonly workspace: Workspace;
  readonly planPath: string;
  /** Paths of plans, by the names that they have in tags. */
  readonly plans: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
  readonly env: Environment;
}

export interface Verdicts {
  readonly outcome: 'holds' | 'differs' | 'cannot-run';
  /** Why it does not hold, or cannot be told. */
  readonly reasons: readonly string[];
  readonly notes: readonly string[];
  readonly gates: readonly GateResult[];
}

/** One checkpoint against its proof. Nothing of it is taken from an earlier verdict. */
export async function verifyCheckpoint(
  mark: CheckpointMark,
  verifying: Verifying,
): Promise<Verdicts> {
  const { proof: held } = mark;
  const proof = held && parseProof(held.text);
  const missing = whatIsMissing(mark, proof);
  if (missing !== undefined) return differs(missing);
  if (held === undefined || proof === undefined) return differs('its proof cannot be read');
  const facts = await verifying.checkpoints.factsOf(held.commit);
  const unlike = whatIsUnlike(proof, facts);
  if (unlike !== undefined) return differs(unlike);
  const parent = proof.base ?? facts.parent;
  if (parent === undefined)
    return cannotRun('its commit has no parent, which would hold the gates');
  return runOrSayWhyNot({ mark, commit: held.commit, proof, facts, parent }, verifying);
}

/** Gates of then that cannot be read are no bug of now. */
async function runOrSayWhyNot(given: Case, verifying: Verifying): Promise<Verdicts> {
  try {
    return await runAgain(given, verifying);
  } catch (error) {
    if (error instanceof Refusal && error.status === 2) return cannotRun(error.message);
    throw error;
  }
}

function whatIsUnlike(proof: Proof, { tree, trailers }: CommitFacts): string | undefined {
  if (tree !== proof.tree) return `its proof is of the tree ${proof.tree}, not ${tree}`;
  if (trailers.get('Skeleton-Task') === proof.task) return undefined;
  return `its proof is of the task ${proof.task}, which its commit does not name`;
}

function whatIsMissing(
  { tag, proof: held }: CheckpointMark,
  proof: Proof | undefined,
): string | undefined {
  if (held === undefined) return 'it has no proof';
  if (tag === undefined) return `its tag is gone: the proof is of ${held.commit}`;
  if (tag.commit !== held.commit)
    return `its tag was moved: it stands at ${tag.commit}, the proof is of ${held.commit}`;
  return proof?.judged === 'none' ? 'its proof says that no gate judged it' : undefined;
}

function differs(...reasons: readonly string[]): Verdicts {
  return { outcome: 'differs', reasons, notes: [], gates: [] };
}

function cannotRun(...reasons: readonly string[]): Verdicts {
  return { outcome: 'cannot-run', reasons, notes: [], gates: [] };
}

interface Case {
  readonly mark: CheckpointMark;
  readonly commit: string;
  readonly parent: string;
  readonly proof: Proof;
  readonly facts: CommitFacts;
}

async function runAgain(given: Case, verifying: Verifying): Promise<Verdicts> {
  const planPath = await planPathOf(given, verifying);
  if (planPath === undefined)
    return cannotRun(`no plan of the name '${given.mark.plan}' is at its parent ${given.parent}`);
  const workspace = filesAt(given.parent, verifying.workspace);
  const reading = await readPlan({ workspace, planPath, flags: {}, env: verifying.env });
  if (reading.problems.length > 0) return cannotRun(...reading.problems.map(problemLine));
  const run = await verifying.room.judge(await cleanJob(given, reading, verifying));
  return judged(given.proof, run);
}

function judged(proof: Proof, run: CleanRun): Verdicts {
  const { results: gates, changed } = run;
  const judgement = judgementOf(gates);
  const broken = gates.filter(({ verdict, soft }) => verdict === 'error' && !soft);
  if (!run.wasSetUp) return { ...cannotRun(...gates.map(({ ended }) => `setup: ${ended}`)), gates };
  const reasons = [
    ...compareProof(proof, gates),
    ...changed.map((path) => `a gate changes ${path}`),
    ...(judgement.verdict === 'fail' && judgement.failure.kind === 'ungated'
      ? ['no gate passes it']
      : []),
  ];
  const notes =
    run.hash === proof.gatesHash
      ? []
      : ['the digest of its gates differs (a limit, a setting or a file that git does not hold)'];
  if (reasons.length > 0) return { outcome: 'differs', reasons, notes, gates };
  if (broken.length === 0) return { outcome: 'holds', reasons, notes, gates };
  return {
    outcome: 'cannot-run',
    reasons: broken.map(({ name }) => `${name} could not judge`),
    notes,
    gates,
  };
}

async function cleanJob(
  given: Case,
  reading: PlanReading,
  verifying: Verifying,
): Promise<CleanJob> {
  const { proof, facts, parent, commit } = given;
  const { house, checkpoints, signal } = verifying;
  const task = reading.plan.tasks.find(({ id }) => id === proof.task);
  const settings = settingsOf(reading.config);
  const id = clock.id();
  const attempt = Number(facts.trailers.get('Skeleton-Attempt') ?? 1);
  return {
    tree: facts.tree,
    head: parent,
    plan: reading.plan,
    task,
    config: reading.config,
    fixes: true,
    changed: await checkpoints.changes(parent, commit),
    run: facts.trailers.get('Skeleton-Run') ?? id,
    attempt: { attempt, attempts: task?.config.attempts ?? settings.attempts, base: parent },
    token: id,
    logFolder: join(house.stateFolder, 'logs', id, 'verify'),
    failFast: settings.failFast,
    signal,
    onResult: () => Promise.resolve(),
    onStart: () => undefined,
  };
}

/** Where the plan lay: as the ledger has it, as it is given, or, in a clone without a ledger, the file of that name. */
async function planPathOf(
  { mark, parent }: Case,
  verifying: Verifying,
): Promise<string | undefined> {
  const paths = [...(await verifying.checkpoints.files(parent)).keys()];
  const known = verifying.plans.get(mark.plan);
  if (known !== undefined && paths.includes(known)) return known;
  const alike = paths.filter((path) => planSlug(path) === mark.plan);
  if (alike.includes(verifying.planPath)) return verifying.planPath;
  return alike.sort((a, b) => a.length - b.length)[0];
}
