import type { Environment, House } from '../compose.ts';
import type { Config } from '../core/config.ts';
import type { Recorded } from '../core/events.ts';
import type { Ledger, Lock, Workspace } from '../ports.ts';
import { openJournal, type Journal } from '../run/journal.ts';
import type { Progress } from '../run/session.ts';

export interface RunOptions {
  /** Absolute. */
  readonly cwd: string;
  /** `--plan`, relative to `cwd`. */
  readonly planPath?: string;
  /** Ids or numbers; empty for every pending task. */
  readonly tasks: readonly string[];
  readonly from?: string;
  /** Flags as a layer of configuration; they win. */
  readonly flags: Config;
  readonly dryRun: boolean;
  readonly verbose: boolean;
}

export interface RunIo {
  readonly onEvent: (event: Recorded) => void;
  /** What happens right now; never stored. */
  readonly onProgress: (progress: Progress) => void;
  /** The agent's output as it comes, with `verbose`. */
  readonly onAgentOutput?: (chunk: Uint8Array) => void;
  /** Lines of a dry run, and that there is nothing to do. */
  readonly onLine: (text: string) => void;
  readonly signal: AbortSignal;
  readonly env: Environment;
}

/** Everything a run holds open. */
export interface RunBase {
  readonly options: RunOptions;
  readonly io: RunIo;
  readonly house: House;
  readonly workspace: Workspace;
  readonly ledger: Ledger;
  readonly locks: readonly Lock[];
  readonly run: string;
  readonly slug: string;
  readonly planPath: string;
}

/** A pen for a plan's events, held only as long as this run's locks are. */
export function journalOf(base: RunBase, plan: string): Journal {
  const { ledger, locks, run, io } = base;
  return openJournal({ ledger, locks, run, plan, onEvent: io.onEvent });
}
