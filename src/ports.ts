/**
 * What the loop needs of the world, as interfaces only; `compose.ts` is the one place that builds the adapters behind them.
 * Paths are relative to the top of the work tree with `/`, unless a name says otherwise; times are milliseconds.
 */
export * from './ports/refusal.ts';
export * from './ports/interrupted.ts';
export type * from './ports/workspace.ts';
export type * from './ports/agent.ts';
export type * from './ports/gates.ts';
export * from './ports/ledger.ts';
export * from './ports/claims.ts';
export type * from './ports/ledger-look.ts';
export type * from './ports/ledger-store.ts';
export type * from './ports/remote.ts';
export type * from './ports/notifier.ts';
export type * from './ports/processes.ts';
export type * from './ports/worktrees.ts';
export type * from './ports/checkpoints.ts';
export type * from './ports/traces.ts';
export type * from './ports/keeper.ts';
export type * from './ports/pruner.ts';
export type * from './ports/forge.ts';
export type * from './ports/scribe.ts';
