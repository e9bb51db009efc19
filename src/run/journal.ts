import type { Event, Recorded, TaskEvent } from '../core/events.ts';
import { isOfTask } from '../core/history.ts';
import type { Mask } from '../core/mask.ts';
import { maskTexts } from '../core/mask-texts.ts';
import type { Ledger, Lock } from '../ports.ts';

/** One run's pen: appends in order, after checking that this process still holds its locks. */
export interface Journal {
  readonly run: string;
  readonly plan: string;
  /** All events of a task so far, over all runs; the list grows with what is appended here. */
  open(task: string): Promise<readonly TaskEvent[]>;
  /** Durable when it resolves. Throws StaleWrite or Refusal(4) when another process took over. */
  append(task: string, event: Event): Promise<void>;
}

export interface JournalParts {
  readonly ledger: Ledger;
  readonly locks: readonly Lock[];
  readonly run: string;
  readonly plan: string;
  /** Of the texts in every event; without it, nothing is masked. */
  readonly mask?: Mask;
  readonly onEvent: (event: Recorded) => void;
}

export function openJournal(parts: JournalParts): Journal {
  const { ledger, locks, run, plan, mask, onEvent } = parts;
  const opened = new Map<string, { seq: number; readonly events: TaskEvent[] }>();
  const open = async (task: string): Promise<{ seq: number; readonly events: TaskEvent[] }> => {
    const history = await ledger.taskHistory(plan, task);
    const events = history.filter(isOfTask).map((recorded) => recorded.event);
    const page = { seq: history.at(-1)?.seq ?? 0, events };
    opened.set(task, page);
    return page;
  };
  const write = async (task: string, clear: Event): Promise<void> => {
    const event = mask === undefined ? clear : maskTexts(clear, mask);
    const page = opened.get(task) ?? (await open(task));
    for (const lock of locks) lock.assertHeld();
    // Of runs as a whole, other machines write too.
    const expected = ledger.isShared && task === '' ? undefined : page.seq;
    const recorded = await ledger.append({ run, plan, task, event }, expected);
    page.seq = recorded.seq;
    if (isOfTask(recorded)) page.events.push(recorded.event);
    onEvent(recorded);
  };
  // One after the other: a signal may want to write while a gate's result is being written.
  let last: Promise<void> = Promise.resolve();
  return {
    run,
    plan,
    open: async (task) => (await open(task)).events,
    append: (task, event) => {
      const written = last.then(() => write(task, event));
      last = written.catch(() => undefined);
      return written;
    },
  };
}
