import type { Environment } from '../compose.ts';
import type { OwnThing } from '../core/own-things.ts';

export interface GcOptions {
  /** Absolute. */
  readonly cwd: string;
  readonly env: Environment;
  /** Everything of ours, as for uninstalling, instead of what is old. */
  readonly all: boolean;
  /** Says what would go, takes no lock and changes nothing. */
  readonly dryRun: boolean;
  /** Asked before `all` takes anything, with what there is to take. */
  readonly confirm: (things: readonly OwnThing[]) => Promise<boolean>;
  /** ISO 8601; the clock's unless given. */
  readonly now?: string;
}

export interface GcResult {
  /** What went, or with `dryRun` would go. */
  readonly things: readonly OwnThing[];
  /** What stays although it might be expected to go, and why; temporary folders that went. */
  readonly notices: readonly string[];
  /** What could not be removed. */
  readonly failures: readonly string[];
  /** The person said no, so nothing was touched. */
  readonly declined: boolean;
}
