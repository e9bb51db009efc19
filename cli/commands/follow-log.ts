import { oneLine } from '../../src/core/text.ts';
import { followRun, readFoldedHistory, readRunOption } from '../../src/index.ts';
import type { FollowedRun } from '../../src/index.ts';
import { eventLine } from '../../src/report/json.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';
import { openRunOutput } from '../run-output.ts';
import type { RunOutput } from '../run-output.ts';
import { refuseMistyped } from '../refuse-no-plan.ts';
import { tellNotice } from '../tell-notice.ts';
import type { LookCommand } from './status.ts';

/**
 * `skeleton log --follow`: what a run in another terminal does, from its start and as it is recorded; the next one where none goes on.
 * 0 when the run has ended, however it did, and when nobody reads any more; 4 where it died; the signal's status where that ended the following.
 */
export async function followLog(command: LookCommand, io: Io): Promise<number> {
  const { cwd, plan: planPath } = command;
  const signal = io.windDown();
  const place = { cwd, env: io.env, ...(planPath !== undefined && { planPath }) };
  const runOption = await readRunOption(place);
  const teller = tellerOf(command, runOption, io);
  if (planPath !== undefined) refuseMistyped(planPath, await readFoldedHistory(place), 'log -f');
  const unread = abortedUnread(io);
  for await (const followed of followRun(place, AbortSignal.any([signal, unread]))) {
    if (followed.kind === 'event') teller(followed.recorded);
    else tellNotice(noticeOf(followed, `${command.planOption}${runOption}`), io);
    if (followed.kind === 'died') return 4;
  }
  return typeof signal.reason === 'number' ? signal.reason : 0;
}

/** Milliseconds between two looks whether somebody still reads. */
const POLL = 300;

function abortedUnread({ out }: Io): AbortSignal {
  const unread = new AbortController();
  const look = setInterval(() => {
    if (out.hasReader()) return;
    clearInterval(look);
    unread.abort();
  }, POLL).unref();
  return unread.signal;
}

/** To a person what the run itself shows, on standard output, each step a line. */
function tellerOf(
  { json, planOption }: LookCommand,
  runOption: string,
  io: Io,
): RunOutput['onEvent'] {
  if (json) return (recorded) => print(io.out, eventLine(recorded));
  const again = `skeleton run${planOption}${runOption}`;
  const look = { json: false, quiet: false, verbose: true, planOption, again };
  return openRunOutput(look, { ...io, err: io.out }).onEvent;
}

function noticeOf(followed: Exclude<FollowedRun, { kind: 'event' }>, runOptions: string): string {
  if (followed.kind === 'died')
    return `the run ${oneLine(followed.run)} has died, and its lock is free: skeleton run${runOptions} goes on from there`;
  const { last, damage } = followed;
  const none =
    damage === undefined ? 'none has been yet' : `the ledger is damaged: ${oneLine(damage)}`;
  const before = last === undefined ? none : `the last began ${last.startedAt}`;
  return `no run is going on (${before}); the next one is waited for, Ctrl-C ends this`;
}
