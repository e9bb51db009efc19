import type { Environment, House } from '../compose.ts';
import { maskDetails, maskReport } from '../core/mask-report.ts';
import { openMask, type Mask } from '../core/mask.ts';
import { maskTexts } from '../core/mask-texts.ts';
import { planTitle } from '../core/pull-request.ts';
import { secretsIn } from '../core/secrets.ts';
import { summarise, type Summary } from '../core/summary.ts';
import { clip, oneLine } from '../core/text.ts';
import { Refusal } from '../ports.ts';
import { renderPullRequest, type PullRequestFacts } from '../report/pull-request.ts';
import { readHistory, type History } from './history.ts';
import { readReport } from './read-report.ts';

/** Bytes: GitHub takes 256 characters, GitLab 255. */
const LONGEST_TITLE = 250;

/** What a pull request says of a plan. */
export interface PullText {
  readonly title: string;
  readonly body: string;
  /** PLAN in the names of tags and refs. */
  readonly slug: string;
  /** What a person should know before others read it. */
  readonly notices: readonly string[];
}

/** Secrets are masked. Throws Refusal(2) where there is neither a plan nor a history of it. */
export async function textOfPull(
  house: House,
  planPath: string,
  place: { readonly cwd: string; readonly planPath?: string; readonly env: Environment },
): Promise<PullText> {
  const history = await readHistory(place);
  const { plan, events, slug } = history;
  if (plan === undefined && events.length === 0)
    throw new Refusal(2, `no plan: ${planPath} is not there`, 'skeleton pr --plan PATH');
  const mask = openMask(secretsIn(place.env));
  const summary = maskTexts(summarise(plan?.tasks, events), mask);
  const body = renderPullRequest({ planPath, summary, last: await lastRun(history, place, mask) });
  const name = planTitle(plan?.preamble ?? '') ?? planPath;
  return {
    title: clip(mask.text(oneLine(name)), LONGEST_TITLE),
    body: mask.text(body),
    slug,
    notices: [...unfinished(planPath, summary), ...(await dirty(house))],
  };
}

async function lastRun(
  { events }: History,
  place: Parameters<typeof textOfPull>[2],
  mask: Mask,
): Promise<PullRequestFacts['last']> {
  if (!events.some(({ event }) => event.type === 'run.started')) return undefined;
  const { report, details } = await readReport({ ...place, texts: 'outputs' });
  return { report: maskReport(report, mask), details: maskDetails(details, mask) };
}

function unfinished(planPath: string, { tasks, counts }: Summary): readonly string[] {
  const left = (['failed', 'blocked', 'pending', 'unproven'] as const)
    .filter((state) => counts[state] > 0)
    .map((state) => `${counts[state]} ${state}`);
  if (left.length === 0) return [];
  return [`${planPath} is not finished: ${left.join(', ')} of ${tasks.length} tasks`];
}

const MOST_NAMED = 5;

async function dirty(house: House): Promise<readonly string[]> {
  const paths = (await (await house.workspace()).dirt()).map(({ path }) => oneLine(path));
  if (paths.length === 0) return [];
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : '';
  return [`not committed, so not in it: ${paths.slice(0, MOST_NAMED).join(', ')}${more}`];
}
