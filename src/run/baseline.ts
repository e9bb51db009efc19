import type { GateResult } from '../core/events.ts';
import { judgementOf } from '../core/verdict.ts';
import { Refusal, type Gate, type GateJob } from '../ports.ts';
import { rulesFor } from './life.ts';
import type { CleanGround, Session } from './session.ts';
import type { Task } from '../core/plan/plan.ts';

export interface BaselineJob {
  readonly gates: readonly Gate[];
  /** The tree that lies in the work tree: HEAD's, with what the start commit will add. */
  readonly tree: string;
  readonly plan: Uint8Array;
  readonly tasks: readonly Task[];
}

export interface Baseline {
  readonly verdict: 'pass' | 'fail' | 'skipped';
  readonly gates: readonly GateResult[];
}

/**
 * The gates on the untouched tree, once per tree and gates (contract, "Gates").
 * Throws Refusal(3) where a gate changes the tree, or where red is not accepted (`baseline: require`).
 */
export async function runBaseline(asked: BaselineJob, session: Session): Promise<Baseline> {
  const { ledger, gates } = session.ports;
  const skipped = { verdict: 'skipped', gates: [] } as const;
  // What a gate may fix it may fix once a task is there to take it in: it says nothing of an untouched tree.
  const job = { ...asked, gates: asked.gates.filter((gate) => !gate.fix) };
  if (session.settings.baseline === 'skip' || job.gates.length === 0) return skipped;
  const hash = await gates.hash(job.gates);
  const known = await ledger.verdict(job.tree, hash);
  if (known !== undefined) {
    if (known === 'fail') refuseRed([], session);
    return skipped;
  }
  const { results, isKnown } = await judgeUntouched(job, session);
  if (session.signal.aborted) return skipped;
  const judgement = judgementOf(results);
  const verdict = judgement.verdict === 'pass' ? 'pass' : 'fail';
  if (judgement.verdict !== 'error' && isKnown)
    await ledger.rememberVerdict(job.tree, hash, verdict);
  if (verdict === 'fail') refuseRed(results, session);
  return { verdict, gates: results };
}

function refuseRed(results: readonly GateResult[], session: Session): void {
  if (session.settings.baseline !== 'require') return;
  const red = results.filter((r) => !['pass', 'skipped'].includes(r.verdict)).map((r) => r.name);
  throw new Refusal(
    3,
    `the gates are red before the first task${red.length > 0 ? `: ${red.join(', ')}` : ''} (baseline: require)`,
    'skeleton gate',
  );
}

interface Untouched {
  readonly results: readonly GateResult[];
  /** The verdict is one of the gates, and not of the setup. */
  readonly isKnown: boolean;
}

async function judgeUntouched(job: BaselineJob, session: Session): Promise<Untouched> {
  if (session.clean?.isWhole === true) return judgeApart(job, session.clean, session);
  const { workspace, gates } = session.ports;
  const [first] = job.tasks;
  if (first === undefined) return { results: [], isKnown: false };
  const id = { plan: session.journal.plan, task: 'baseline', id: '', number: 0 };
  await workspace.begin(
    id,
    rulesFor({ task: first, plan: job.plan, gates: job.gates }, session),
    job.tree,
  );
  const run = await gates.run(gateJob(job, session));
  const changed = await workspace.settle(id, job.tree);
  if (changed !== undefined) await workspace.rollBack(id);
  await workspace.end(id);
  if (changed === undefined) return { results: run.results, isKnown: true };
  throw changesFiles(changed.paths ?? []);
}

async function judgeApart(
  job: BaselineJob,
  { room, config }: CleanGround,
  session: Session,
): Promise<Untouched> {
  const head = (await session.ports.workspace.resolve('HEAD')) ?? '';
  const ground = { head, judges: job.tree, plan: session.plan, task: undefined, config };
  const run = await room.judge({ ...gateJob(job, session), ...ground, fixes: false });
  if (run.changed.length > 0) throw changesFiles(run.changed);
  return { results: run.results, isKnown: run.wasSetUp };
}

function changesFiles(paths: readonly string[]): Refusal {
  return new Refusal(
    3,
    `a gate changes tracked files: ${paths.join(', ')} (put back)`,
    'a gate must only read; let it write elsewhere, or say `fix: true` for it in the front matter',
  );
}

function gateJob({ gates, tree }: BaselineJob, session: Session): GateJob {
  const onStart = (name: string): void => {
    session.onProgress({ type: 'step', task: '', attempt: 0, attempts: 0, step: 'baseline', name });
  };
  return {
    gates,
    tree,
    changed: [],
    run: session.journal.run,
    plan: session.plan.path,
    task: undefined,
    attempt: undefined,
    token: session.ports.clock.id(),
    logFolder: session.logFolder('baseline', 0),
    failFast: false,
    signal: session.signal,
    onResult: () => Promise.resolve(),
    onStart,
  };
}
