import { openHouse, type Environment } from '../compose.ts';
import { nearest } from '../core/config/nearest.ts';
import { openRuns } from '../core/open-run.ts';
import {
  attemptName,
  reportOf,
  reportOfAll,
  type AttemptDetail,
  type RunReport,
} from '../core/run-report.ts';
import { lastTeam } from '../core/team-runs.ts';
import { Refusal } from '../ports.ts';
import { readHistory, type History } from './history.ts';
import { isDead } from './is-dead.ts';
import { isAlive, livingRuns, type Living } from './plan-holder.ts';
import { readAttempt, type AttemptReading } from './read-attempt.ts';

export interface ReadReport {
  readonly report: RunReport;
  /** By `TASK#N`, of every attempt in the report. */
  readonly details: ReadonlyMap<string, AttemptDetail>;
  /** Its process is gone, and no end of it was recorded. */
  readonly hasDied: boolean;
  readonly history: History;
}

/**
 * One run of a plan with what is kept of its attempts (all of it, unless `texts` says less; long texts cut, with the cut
 * stated): the last run, and where machines share the ledger all that it worked together with, unless the id of one is given. No lock
 * is taken.
 * Throws Refusal(2) where there is no such run, or none yet.
 */
export async function readReport(options: {
  readonly cwd: string;
  readonly planPath?: string;
  readonly run?: string;
  readonly texts?: AttemptReading['texts'];
  readonly env: Environment;
}): Promise<ReadReport> {
  const { history, living } = await readSettled(options);
  const { events, plan } = history;
  const team =
    options.run === undefined ? lastTeam(events, (run) => isAlive(run, living, events)) : undefined;
  const report =
    team === undefined
      ? reportOf(events, plan?.tasks, options.run)
      : reportOfAll(events, plan?.tasks ?? [], team);
  if (report === undefined) throw noRun(history, options.run);
  const reading = { texts: options.texts ?? 'all', most: mostOfText(report) };
  const details = new Map<string, AttemptDetail>();
  for (const { title, attempts } of report.tasks)
    for (const attempt of attempts)
      details.set(attemptName(attempt), await readAttempt(history, title, attempt, reading));
  return { report, details, hasDied: isDead(report, history, living), history };
}

/** Where nobody is at work on a run that is open, its end may have been written since: it is read once more. */
async function readSettled(
  options: Parameters<typeof readHistory>[0],
): Promise<{ readonly history: History; readonly living: Living }> {
  const history = await readHistory(options);
  const open = openRuns(history.events);
  if (open.size === 0) return { history, living: 'none' };
  const living = await livingRuns(await openHouse(options.cwd, options.env), history.planPath);
  const areAlive = [...open].every((run) => isAlive(run, living, history.events));
  return { history: areAlive ? history : await readHistory(options), living };
}

/** Characters that one text of an attempt may have: all of them are held at once. */
export function mostOfText({ tasks }: RunReport): number {
  const attempts = tasks.flatMap((task) => task.attempts);
  const texts = attempts.reduce((sum, { gates }) => sum + 2 + gates.length, 0);
  return Math.max(20_000, Math.min(200_000, Math.floor(24_000_000 / texts)));
}

/** That a plan has no run of an id, or none at all. */
export function noRun({ events, planPath }: History, asked: string | undefined): Refusal {
  const runs = [...new Set(events.map(({ run }) => run))];
  if (asked === undefined || runs.length === 0)
    return new Refusal(2, `${planPath}: no run of it is recorded yet`, 'skeleton run');
  const near = nearest(asked, runs);
  const hint = near === undefined ? '' : `; did you mean '${near}'?`;
  return new Refusal(2, `${planPath}: there is no run '${asked}'${hint}`, 'skeleton status --json');
}
