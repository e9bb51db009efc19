/** The library: what the command line is built on, for scripts that want the same without it. */
export { runPlan } from './app/run.ts';
export type { RunResult } from './app/carry-out.ts';
export type { RunIo, RunOptions } from './app/run-base.ts';
export { checkPlan } from './app/check.ts';
export type { CheckResult } from './app/check.ts';
export { runGates } from './app/gate.ts';
export type { GateCheck, GateIo, GateOptions } from './app/gate.ts';
export { readHistory } from './app/history.ts';
export type { History } from './app/history.ts';
export { parsePlan } from './core/plan/parse-plan.ts';
export { Refusal } from './ports.ts';
export type { Config } from './core/config.ts';
export type { Event, Recorded } from './core/events.ts';
export type { Plan, Problem, Task } from './core/plan/plan.ts';
export type { Progress } from './run/session.ts';
