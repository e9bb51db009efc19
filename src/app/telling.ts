import { hostname } from 'node:os';
import { basename } from 'node:path';
import { clock, openNotifier } from '../compose.ts';
import type { NotifyConfig } from '../core/config.ts';
import type { Recorded } from '../core/events.ts';
import { isTold, notificationOf, spellNotifier, type Notification } from '../core/notification.ts';
import { openMask } from '../core/mask.ts';
import { maskFields } from '../core/mask-texts.ts';
import { secretsIn } from '../core/secrets.ts';
import { shellWord } from '../core/shell-word.ts';
import { summarise } from '../core/summary.ts';
import { openWaitWatch } from '../core/wait-watch.ts';
import type { RunResult } from './carry-out.ts';
import type { RunIo, RunOptions } from './run-base.ts';
import { endOfError, endOfResult, type Turn } from './turn.ts';
import { whoIsTold, type Told } from './who-is-told.ts';

/** Milliseconds that one of those who are told may take, all at once: with the end of its processes less than 10 s. */
const LIMIT = 8000;
/** The same once the run is interrupted: the end of its 10 s is near. */
const SHORT_LIMIT = 2000;

type Work = (io: RunIo, begin: (told: Told) => void) => Promise<RunResult>;

/**
 * Does a run, and tells those that `notify` names how it ended, when it waits, and that it did not start. Nothing of that
 * changes the result: what cannot be told is a warning.
 */
export async function telling(options: RunOptions, io: RunIo, work: Work): Promise<RunResult> {
  if (options.dryRun) return work(io, () => undefined);
  const teller = openTeller(options, io);
  let result: RunResult;
  try {
    result = await work({ ...io, ...teller.hearing }, teller.begin);
  } catch (error) {
    await teller.end(endOfError(error, io.signal));
    throw error;
  }
  await teller.end(endOfResult(result));
  return result;
}

interface Teller {
  readonly hearing: Pick<RunIo, 'onEvent' | 'onProgress'>;
  readonly begin: (told: Told) => void;
  /** Resolves when all that was to be told is told, or could not be. Never rejects. */
  readonly end: (turn: Turn) => Promise<void>;
}

function openTeller(options: RunOptions, io: RunIo): Teller {
  const events: Recorded[] = [];
  const waits = openWaitWatch();
  const underWay: Promise<void>[] = [];
  let begun: Told | undefined;
  const send = async (turn: Turn): Promise<void> => {
    // Nothing of a run that was interrupted before it began is worth a word.
    if (begun === undefined && turn.event === 'interrupted') return;
    const told = begun ?? (await whoIsTold(options, io));
    await tellAll(told, wordsOf(told, turn, events), io);
  };
  const start = (turn: Turn): void => {
    const warn = (error: unknown): void => io.onWarning?.(`nobody was told: ${String(error)}`);
    underWay.push(send(turn).catch(warn));
  };
  return {
    begin: (told) => {
      begun = told;
    },
    hearing: {
      onEvent: (recorded) => {
        events.push(recorded);
        waits.observe(recorded);
        io.onEvent(recorded);
      },
      onProgress: (progress) => {
        io.onProgress(progress);
        const { step, until, name: agent, task } = progress;
        if (step !== 'wait' || until === undefined || !waits.begins(clock.now(), until)) return;
        start({ event: 'waiting', waits: { agent, task, until } });
      },
    },
    end: async (turn) => {
      start(turn);
      await Promise.all(underWay);
    },
  };
}

function wordsOf({ top, plan }: Told, turn: Turn, events: readonly Recorded[]): Notification {
  return notificationOf({
    ...turn,
    ...{ plan, repository: basename(top), host: hostname() },
    summary: events.length === 0 ? undefined : summarise(undefined, events),
    planOption: plan === undefined || plan === 'PLAN.md' ? '' : ` --plan ${shellWord(plan)}`,
  });
}

async function tellAll({ targets, top }: Told, words: Notification, io: RunIo): Promise<void> {
  const chosen = targets.filter((target) => isTold(target, words.event));
  if (chosen.length === 0) return;
  const masked = maskFields(words, openMask(secretsIn(io.env)));
  const notifier = await openNotifier(top, io.env);
  const delivery = io.signal.aborted
    ? { limitMs: SHORT_LIMIT, signal: new AbortController().signal }
    : { limitMs: LIMIT, signal: io.signal };
  const tell = async (target: NotifyConfig): Promise<void> => {
    const wrong = await notifier.tell(target, masked, delivery);
    if (wrong !== undefined)
      io.onWarning?.(`${spellNotifier(target)} was not told '${words.event}': ${wrong}`);
  };
  await Promise.all(chosen.map(tell));
}
