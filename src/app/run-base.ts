import type { Environment, House } from '../compose.ts';
import type { Config } from '../core/config.ts';
import type { Recorded } from '../core/events.ts';
import type { Claims, Keeper, Ledger, Workspace } from '../ports.ts';
import type { Journal } from '../run/journal.ts';
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
  /** `--once`: does nothing where a finished run has done the same; true: the key is made of what is to be done. */
  readonly once?: string | true;
  readonly dryRun: boolean;
  readonly verbose: boolean;
}

/** What a run would do. */
export interface WouldDo {
  /** '' where there is nothing to do. */
  readonly agent: string;
  /** Pending and selected, in order; `needs`: which it waits for. */
  readonly tasks: readonly {
    readonly id: string;
    readonly title: string;
    readonly promptBytes: number;
    readonly needs: readonly string[];
  }[];
  /** Names of the gates; none with `--no-gates`. */
  readonly gates: readonly string[];
}

export interface RunIo {
  readonly onEvent: (event: Recorded) => void;
  /** Gets, before a dead run's task is recovered, what was written about it by then: what of it a later event rests on. */
  readonly onEarlier?: (event: Recorded) => void;
  /** What happens right now; never stored. */
  readonly onProgress: (progress: Progress) => void;
  /** The agent's output as it comes, with `verbose`. */
  readonly onAgentOutput?: (chunk: Uint8Array) => void;
  /** What a dry run comes to, as data. */
  readonly onDryRun?: (would: WouldDo) => void;
  /** Lines of a dry run, and that there is nothing to do. */
  readonly onLine: (text: string) => void;
  /** Aborts the run. A reason of 129, 130 or 143 becomes its exit status; any other is 130. */
  readonly signal: AbortSignal;
  /** What went wrong beside the run, and changes nothing of it: somebody could not be told. */
  readonly onWarning?: (text: string) => void;
  /** What commands of `on_success` and `on_failure` print. */
  readonly onAfterOutput?: (chunk: Uint8Array) => void;
  readonly env: Environment;
}

/** A run before it is decided where it works. */
export interface PlaceJob {
  readonly options: RunOptions;
  readonly io: RunIo;
  readonly house: House;
  readonly planPath: string;
  /** Gets what the run's files say before any agent works on them. */
  readonly onBegin: (config: Config) => void;
}

/** Everything that a command which changes a work tree holds open. */
export interface OpenBase {
  readonly house: House;
  readonly workspace: Workspace;
  readonly keeper: Keeper;
  readonly ledger: Ledger;
  readonly run: string;
  readonly slug: string;
  readonly planPath: string;
  /** The one pen for a plan's events, held only as long as the locks are. */
  readonly journalOf: (plan: string) => Journal;
  /** Shows an event that is not stored. */
  readonly onEvent: (event: Recorded) => void;
}

export interface RunBase extends OpenBase {
  /** Where machines share the ledger. */
  readonly claims?: Claims;
  readonly options: RunOptions;
  readonly io: RunIo;
  readonly onBegin: PlaceJob['onBegin'];
  /** The linked worktree, where the run works in one. */
  readonly isolated?: string;
}
