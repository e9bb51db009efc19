import { openHouse, type Environment } from '../compose.ts';
import { nearest } from '../core/config/nearest.ts';
import { openRun } from '../core/open-run.ts';
import { attemptName, reportOf, type AttemptDetail, type RunReport } from '../core/run-report.ts';
import { Refusal } from '../ports.ts';
import { readHistory, type History } from './history.ts';
import { isDead } from './is-dead.ts';
import { isPlanHeld } from './plan-holder.ts';
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
 * stated): the last run, unless the id of another is given. No lock is taken.
 * Throws Refusal(2) where there is no such run, or none yet.
 */
export async function readReport(options: {
  readonly cwd: string;
  readonly planPath?: string;
  readonly run?: string;
  readonly texts?: AttemptReading['texts'];
  readonly env: Environment;
}): Promise<ReadReport> {
  const { history, isHeld } = await readSettled(options);
  const { events, plan } = history;
  const report = reportOf(events, plan?.tasks, options.run);
  if (report === undefined) throw noRun(history, options.run);
  const reading = { texts: options.texts ?? 'all', most: mostOfText(report) };
  const details = new Map<string, AttemptDetail>();
  for (const { title, attempts } of report.tasks)
    for (const attempt of attempts)
      details.set(attemptName(attempt), await readAttempt(history, title, attempt, reading));
  return { report, details, hasDied: isDead(report, history, isHeld), history };
}

/** Where nobody holds the lock of a run that is open, its end may have been written since: it is read once more. */
async function readSettled(
  options: Parameters<typeof readHistory>[0],
): Promise<{ readonly history: History; readonly isHeld: boolean }> {
  const history = await readHistory(options);
  if (openRun(history.events) === undefined) return { history, isHeld: false };
  const isHeld = await isPlanHeld(await openHouse(options.cwd, options.env), history.planPath);
  return { history: isHeld ? history : await readHistory(options), isHeld };
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
