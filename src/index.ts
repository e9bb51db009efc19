/** The library: what the command line is built on, for scripts that want the same without it. */
import type { checkPlan as CheckPlan } from './app/check.ts';
import type { copyLedger as CopyLedger } from './app/copy-ledger.ts';
import type { doctor as Doctor } from './app/doctor.ts';
import type { draftPlan as DraftPlan } from './app/draft-plan.ts';
import type { drill as Drill, drillKinds as DrillKinds } from './app/drill.ts';
import type { runGates as RunGates } from './app/gate.ts';
import type { gc as Gc } from './app/gc.ts';
import type {
  readFoldedHistory as ReadFoldedHistory,
  readHistory as ReadHistory,
} from './app/history.ts';
import type { importPlan as ImportPlan } from './app/import-plan.ts';
import type { init as Init } from './app/init.ts';
import type { openPull as OpenPull } from './app/pull-request.ts';
import type { readReport as ReadReport } from './app/read-report.ts';
import type { restore as Restore } from './app/restore.ts';
import type { runPlan as RunPlan } from './app/run.ts';
import type { steer as Steer } from './app/steer.ts';
import type { take as Take } from './app/take.ts';
import type { taskIds as TaskIds } from './app/task-ids.ts';
import type { undo as Undo } from './app/undo.ts';
import type { verifyCheckpoints as VerifyCheckpoints } from './app/verify.ts';

export type { RunResult } from './app/carry-out.ts';
export type { RunIo, RunOptions } from './app/run-base.ts';
export type { Undone } from './app/undo.ts';
export type { GcOptions, GcResult } from './app/gc-options.ts';
export type { CopyLedgerOptions, LedgerCopied } from './app/copy-ledger.ts';
export type { ImportOptions, ImportResult } from './app/import-plan.ts';
export type { InitFile, InitOptions, InitResult } from './app/init.ts';
export type { DraftOptions, DraftResult } from './app/draft-plan.ts';
export type { DraftRound, Drafted } from './app/draft-rounds.ts';
export type { PullOptions, PullResult } from './app/pull-request.ts';
export type { Restored } from './app/restore.ts';
export type { CheckResult } from './app/check.ts';
export type { GateCheck, GateIo, GateOptions } from './app/gate.ts';
export type { SteerOptions } from './app/steer.ts';
export type { TakeOptions } from './app/take.ts';
export type { Verification, VerifyIo, VerifyOptions, VerifyResult } from './app/verify.ts';
export { locate } from './app/locate.ts';
export type { Located } from './app/locate.ts';
export type { FoldedHistory, History } from './app/history.ts';
export { hostOf, readAttempt } from './app/read-attempt.ts';
export type { ReadReport } from './app/read-report.ts';
export { readHolders, readRunOption } from './app/read-holders.ts';
export type { Holders } from './app/read-holders.ts';
export { followRun } from './app/follow-run.ts';
export type { FollowedRun } from './app/follow-run.ts';
export { followReport } from './app/follow-report.ts';
export type { FollowedReport } from './app/follow-report.ts';
export type { DrillIo, DrillOptions, DrillResult } from './app/drill.ts';
export { configSchema } from './core/config.ts';
export { parsePlan } from './core/plan/parse-plan.ts';
export { Interrupted, Refusal } from './ports.ts';
export type { Config } from './core/config.ts';
export type { Event, Recorded } from './core/events.ts';
export type { Plan, Problem, Task } from './core/plan/plan.ts';
export type { Order, Steered } from './core/steered.ts';
export type { Progress } from './run/session.ts';

/** What a use case needs is loaded when it is called: reading needs a tenth of what a run does. */
function lazily<A extends readonly unknown[], R>(
  load: () => Promise<(...args: A) => Promise<R>>,
): (...args: A) => Promise<R> {
  return async (...args) => (await load())(...args);
}

export const runPlan: typeof RunPlan = lazily(async () => (await import('./app/run.ts')).runPlan);
export const undo: typeof Undo = lazily(async () => (await import('./app/undo.ts')).undo);
export const gc: typeof Gc = lazily(async () => (await import('./app/gc.ts')).gc);
export const init: typeof Init = lazily(async () => (await import('./app/init.ts')).init);
export const draftPlan: typeof DraftPlan = lazily(
  async () => (await import('./app/draft-plan.ts')).draftPlan,
);
export const openPull: typeof OpenPull = lazily(
  async () => (await import('./app/pull-request.ts')).openPull,
);
export const importPlan: typeof ImportPlan = lazily(
  async () => (await import('./app/import-plan.ts')).importPlan,
);
export const doctor: typeof Doctor = lazily(async () => (await import('./app/doctor.ts')).doctor);
export const restore: typeof Restore = lazily(
  async () => (await import('./app/restore.ts')).restore,
);
export const checkPlan: typeof CheckPlan = lazily(
  async () => (await import('./app/check.ts')).checkPlan,
);
export const runGates: typeof RunGates = lazily(
  async () => (await import('./app/gate.ts')).runGates,
);
export const take: typeof Take = lazily(async () => (await import('./app/take.ts')).take);
export const steer: typeof Steer = lazily(async () => (await import('./app/steer.ts')).steer);
export const verifyCheckpoints: typeof VerifyCheckpoints = lazily(
  async () => (await import('./app/verify.ts')).verifyCheckpoints,
);
export const readHistory: typeof ReadHistory = lazily(
  async () => (await import('./app/history.ts')).readHistory,
);
export const readFoldedHistory: typeof ReadFoldedHistory = lazily(
  async () => (await import('./app/history.ts')).readFoldedHistory,
);
export const readReport: typeof ReadReport = lazily(
  async () => (await import('./app/read-report.ts')).readReport,
);
export const copyLedger: typeof CopyLedger = lazily(
  async () => (await import('./app/copy-ledger.ts')).copyLedger,
);
export const taskIds: typeof TaskIds = lazily(
  async () => (await import('./app/task-ids.ts')).taskIds,
);
export const drill: typeof Drill = lazily(async () => (await import('./app/drill.ts')).drill);
export const drillKinds: typeof DrillKinds = lazily(
  async () => (await import('./app/drill.ts')).drillKinds,
);
