import type { Config, GateConfig } from '../core/config.ts';
import type { GateResult } from '../core/events.ts';
import { pathMatcher } from '../core/globs.ts';
import type { Plan, Task } from '../core/plan/plan.ts';
import { judgementOf } from '../core/verdict.ts';
import type { Checkpoints, GateJob, GateRun, Gates, LinkedTree, Worktrees } from '../ports.ts';

/** A tree to be judged where nothing else lies: no ignored file, no leftover of an earlier run. */
export interface CleanJob extends Omit<GateJob, 'gates' | 'plan' | 'task'> {
  /** The commit that HEAD names meanwhile. */
  readonly head: string;
  readonly plan: Plan;
  readonly task: Task | undefined;
  /** Gates that judge in place of the task's: those of a stage. */
  readonly only?: readonly (string | GateConfig)[] | undefined;
  readonly config: Config;
  /** Whether gates with `fix: true` run too: they may change nothing here. */
  readonly fixes: boolean;
  /** The tree or commit whose gates judge; `head` unless given. */
  readonly judges?: string;
  /** Paths that lie there as they are at `head`, whatever the tree says, beside the gates themselves. */
  readonly isOld?: (path: string) => boolean;
}

export interface CleanRun extends GateRun {
  /** Tracked paths that a gate changed. */
  readonly changed: readonly string[];
  /** As Gates.hash. */
  readonly hash: string;
  /** The setup rejected the tree, or could not judge it; then no gate ran. */
  readonly wasSetUp: boolean;
}

export interface CleanRoom {
  /** Gates are those of `head`; what `setup:` made stays while the files that it depends on are the same. */
  judge(job: CleanJob): Promise<CleanRun>;
  /** Takes the worktree away. */
  close(): Promise<void>;
}

export interface CleanRoomParts {
  readonly worktrees: Worktrees;
  readonly checkpoints: Pick<Checkpoints, 'files'>;
  /** The gates that lie in another work tree. */
  readonly gatesIn: (config: Config, top: string) => Promise<Gates>;
}

/** What judges every attempt lies there as it was where the attempt began (contract, "Gates"). */
const isJudge = pathMatcher(['gates', '.skeleton', '.skeleton.yml']);

/** One linked worktree for many trees (contract, "Gates": `setup:`; "Commands": `verify`). */
export function openCleanRoom(parts: CleanRoomParts): CleanRoom {
  let linked: LinkedTree | undefined;
  let ready: Ready = { key: '', made: [] };
  return {
    judge: async (job) => {
      linked ??= await parts.worktrees.add(job.head);
      const isFrom = (path: string): boolean => isJudge(path) || job.isOld?.(path) === true;
      const tree = await parts.worktrees.mix(job.tree, job.judges ?? job.head, isFrom);
      const bench: Bench = { job, tree, linked, gatesIn: parts.gatesIn };
      const key = await setupKey(job.config.setup, tree, parts.checkpoints);
      const isReady = await layOut(bench, key, ready);
      if (!isReady) {
        const failed = await setUp(bench);
        ready = failed === undefined ? { key, made: await linked.extras() } : { key: '', made: [] };
        if (failed !== undefined) return failed;
        await linked.layOut(tree, job.head, ready.made);
      }
      return runGates(bench);
    },
    close: async () => {
      const last = linked;
      linked = undefined;
      await last?.remove();
    },
  };
}

/** What the setup made, and for which files. */
interface Ready {
  readonly key: string;
  readonly made: readonly string[];
}

interface Bench {
  readonly job: CleanJob;
  readonly tree: string;
  readonly linked: LinkedTree;
  readonly gatesIn: CleanRoomParts['gatesIn'];
}

/** Without `files`, a setup depends on all of the tree. */
export async function setupKey(
  setup: Config['setup'],
  tree: string,
  checkpoints: CleanRoomParts['checkpoints'],
): Promise<string> {
  if (setup === undefined) return 'none';
  if (setup.files === undefined) return `${setup.run}\n${tree}`;
  const matches = pathMatcher(setup.files);
  const files = [...(await checkpoints.files(tree))].filter(([path]) => matches(path));
  return JSON.stringify([setup.run, files]);
}

/** True where all that the setup once made for the same files lies there still. */
async function layOut({ job, tree, linked }: Bench, key: string, ready: Ready): Promise<boolean> {
  const isSame = ready.key === key;
  await linked.layOut(tree, job.head, isSame ? ready.made : []);
  if (job.config.setup === undefined) return true;
  if (!isSame) return false;
  const there = await linked.extras();
  return ready.made.every((path) => there.includes(path));
}

/** The setup's command as a gate: it has the same limits, log and feedback. Undefined where it succeeded. */
async function setUp(bench: Bench): Promise<CleanRun | undefined> {
  const { job, linked } = bench;
  const { setup, gateTimeout, env } = job.config;
  if (setup === undefined) return undefined;
  const limits = { ...(gateTimeout !== undefined && { gateTimeout }), ...(env && { env }) };
  const gates = await bench.gatesIn(
    { gates: [{ name: 'setup', run: setup.run }], ...limits },
    linked.top,
  );
  const results: GateResult[] = [];
  const run = await gates.run({
    ...stepOf(job),
    gates: await gates.find(job.plan, undefined),
    onResult: async (result) => {
      results.push(result);
      if (result.verdict !== 'pass') await job.onResult(result);
    },
  });
  const isDone = run.verdict === 'pass' && judgementOf(results).verdict === 'pass';
  return isDone ? undefined : { ...run, changed: [], hash: '', wasSetUp: false };
}

async function runGates({ job, linked, gatesIn }: Bench): Promise<CleanRun> {
  const gates = await gatesIn(job.config, linked.top);
  const found = await gates.find(job.plan, job.task, job.only);
  const chosen = found.filter((gate) => job.fixes || !gate.fix);
  const run = await gates.run({ ...stepOf(job), gates: chosen });
  const changed = await linked.changed();
  return { ...run, changed, hash: await gates.hash(found), wasSetUp: true };
}

function stepOf(job: CleanJob): Omit<GateJob, 'gates'> {
  const { tree, changed, run, plan, task, attempt, token, logFolder, failFast, signal } = job;
  const { onResult, onStart, slot, stage } = job;
  return {
    ...{ tree, changed, run, token, logFolder, failFast, signal, attempt, slot, onResult, onStart },
    stage,
    plan: plan.path,
    task: task && { id: task.id, title: task.title },
  };
}
