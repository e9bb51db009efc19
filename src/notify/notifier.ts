import { oneLine } from '../core/text.ts';
import type { Notifier } from '../ports.ts';
import { call, callAfter } from './call.ts';
import type { NotifierPlaces } from './places.ts';
import { post } from './post.ts';

/** Commands and webhooks (docs/notifications.md), and what follows a run (docs/after-a-run.md). */
export function openNotifier(places: NotifierPlaces): Notifier {
  return {
    tell: async (target, notification, delivery) => {
      const { command, webhook } = target;
      try {
        if (webhook !== undefined)
          return await post(webhook, notification, { ...delivery, ...places });
        return await call(command ?? '', notification, { ...delivery, ...places });
      } catch (error) {
        return wordsOf(error);
      }
    },
    follow: async (command, about, delivery) => {
      try {
        return await callAfter(command, about, { ...delivery, ...places });
      } catch (error) {
        return wordsOf(error);
      }
    },
  };
}

/** A temporary folder that cannot be written, a full disk: whatever it is, it is not the run's. */
function wordsOf(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error));
}
