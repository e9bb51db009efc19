import type { GateResult } from '../core/events.ts';
import type { Failure } from '../core/failure.ts';
import { pathMatcher } from '../core/globs.ts';
import { judgementOf } from '../core/verdict.ts';
import { weakenedTests } from '../core/weakened-tests.ts';
import type { Inspection } from '../ports.ts';
import type { CleanRun } from './clean-room.ts';
import { attemptOf, type Life } from './life.ts';
import type { CleanGround, Session } from './session.ts';
import { isIntermediate } from './stages.ts';

type Candidate = Extract<Inspection, { kind: 'candidate' }>;

interface CleanWork {
  readonly seen: Candidate;
  readonly ground: CleanGround;
  /** Paths that lie there as they were where the attempt began, and what the gates' names get then. */
  readonly old?: { readonly paths: ReadonlySet<string>; readonly suffix: string };
}

/** The gates on exactly the tree to be tagged, where nothing else lies (contract, "Gates"). */
export async function judgeClean(life: Life, work: CleanWork, session: Session): Promise<CleanRun> {
  const { task, state } = life;
  const { seen, ground, old } = work;
  const { attempt, attempts, base, token } = attemptOf(state);
  const suffix = old?.suffix ?? '';
  const results: GateResult[] = [];
  const folder = session.logFolder(life.id.task, state.number);
  const run = await ground.room.judge({
    tree: seen.tree,
    changed: seen.changed,
    head: base,
    plan: session.plan,
    task,
    ...(isIntermediate(life) && { only: life.staged?.stage.gates }),
    stage: life.staged?.stage.name,
    config: ground.config,
    fixes: false,
    run: session.journal.run,
    attempt: { attempt, attempts, base },
    slot: session.seat,
    token,
    logFolder: old === undefined ? folder : `${folder}/old-tests`,
    failFast: session.settings.failFast,
    signal: session.signal,
    ...(old !== undefined && { isOld: (path: string) => old.paths.has(path) }),
    onResult: async (result) => {
      const named = { ...result, name: result.name + suffix };
      results.push(named);
      await session.journal.append(task.id, { type: 'gate.finished', ...named });
    },
    onStart: (gate) => {
      const name = gate + suffix;
      session.onProgress({ type: 'step', task: task.id, attempt, attempts, step: 'gate', name });
    },
  });
  return { ...run, results };
}

/** What the tests that an attempt found there say of its work. */
export type OldTests =
  | { readonly kind: 'pass'; readonly notices: readonly string[] }
  | { readonly kind: 'fail'; readonly failure: Failure }
  | { readonly kind: 'error' }
  | { readonly kind: 'interrupted' };

/**
 * An attempt that passes with tests of its own making has to pass with those that it found too, where it touched any (contract,
 * "Gates": `tests`). What a task `may_change` is not held against it.
 */
export async function judgeOldTests(
  life: Life,
  seen: Candidate,
  session: Session,
): Promise<OldTests> {
  const ground = session.clean;
  const touched = touchedTests(life, seen, ground?.tests ?? []);
  if (ground === undefined || touched.length === 0) return { kind: 'pass', notices: [] };
  const weakened = await describeWeakened(life, { seen, touched }, session);
  const old = { paths: new Set(touched), suffix: ' (old tests)' };
  const run = await judgeClean(life, { seen, ground, old }, session);
  if (run.verdict === 'interrupted') return { kind: 'interrupted' };
  const judgement = judgementOf(run.results);
  if (judgement.verdict === 'error') return { kind: 'error' };
  if (judgement.verdict === 'fail') {
    const said = weakened.length === 0 ? '' : `; ${weakened.join('; ')}`;
    const detail = `with the tests that it found there and changed${said}`;
    return { kind: 'fail', failure: { ...judgement.failure, detail, paths: touched } };
  }
  return {
    kind: 'pass',
    notices: weakened.map((one) => `tests were weakened, though the old ones pass too: ${one}`),
  };
}

function touchedTests(
  { task }: Life,
  { changed }: Candidate,
  tests: readonly string[],
): readonly string[] {
  const isTest = pathMatcher(tests);
  const mayChange = pathMatcher(task.config.mayChange ?? []);
  return changed
    .filter(({ path, status }) => status !== 'A' && isTest(path) && !mayChange(path))
    .map(({ path }) => path);
}

async function describeWeakened(
  { state }: Life,
  { seen, touched }: { readonly seen: Candidate; readonly touched: readonly string[] },
  session: Session,
): Promise<readonly string[]> {
  const { workspace } = session.ports;
  const decoder = new TextDecoder();
  const found: string[] = [];
  for (const path of touched) {
    const before = await workspace.readAt(attemptOf(state).base, path);
    const now = await workspace.readAt(seen.tree, path);
    const what = weakenedTests(decoder.decode(before), now && decoder.decode(now));
    if (what !== undefined) found.push(`${path}: ${what}`);
  }
  return found;
}
