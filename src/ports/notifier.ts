import type { NotifyConfig } from '../core/config/config.ts';
import type { Notification } from '../core/notification.ts';

export interface Delivery {
  /** Milliseconds; what takes longer is ended. */
  readonly limitMs: number;
  /** Aborted, it ends what is under way. */
  readonly signal: AbortSignal;
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
}
