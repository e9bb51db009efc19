import type { NotifyConfig } from '../core/config/config.ts';
import type { Notification } from '../core/notification.ts';

export interface Delivery {
  /** Milliseconds; what takes longer is ended. */
  readonly limitMs: number;
  /** Aborted, it ends what is under way. */
  readonly signal: AbortSignal;
}

/** What a command that follows a run gets. */
export interface FollowUp {
  /** For its standard input. */
  readonly input: string;
  readonly run: string;
  /** Path of the plan, relative to the top. */
  readonly plan: string;
  /** The run's exit status. */
  readonly status: number;
  /** Gets what it prints, masked. */
  readonly sink?: ((chunk: Uint8Array) => void) | undefined;
}

/** Tells somebody outside of a run. */
export interface Notifier {
  /**
   * Whether it was told is a value: undefined, or why not, in one line without secrets. Never rejects; nothing of it goes on
   * afterwards.
   */
  tell(
    target: NotifyConfig,
    notification: Notification,
    delivery: Delivery,
  ): Promise<string | undefined>;
  /** Runs a command of `on_success` or `on_failure`; the result as of `tell`. */
  follow(command: string, about: FollowUp, delivery: Delivery): Promise<string | undefined>;
}
