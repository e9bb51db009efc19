import type { Failure } from '../core/failure.ts';
import type { Outcome } from '../core/machine.ts';
import { isRepeated, lastFindings, rejectionsOf, reviewUnderWay } from '../core/stages/past.ts';
import { blockingOf, readVerdict, type Answer, type Finding } from '../core/stages/verdict.ts';
import { addUsage } from '../core/usage.ts';
import type { Snapshot } from '../core/events.ts';
import type { Agent, AgentEnd, AgentJob, ReviewJob } from '../ports.ts';
import type { Life } from './life.ts';
import type { Session } from './session.ts';
import { stagnated } from './stagnated.ts';
import { isReviewing } from './stages.ts';

/** What a verdict stage is to judge; undefined where the attempt is none. */
export async function reviewJob(life: Life, session: Session): Promise<ReviewJob | undefined> {
  const { staged, state, events } = life;
  if (staged === undefined || !isReviewing(life)) return undefined;
  const { work } = state;
  const { workspace } = session.ports;
  const diff =
    work && (await workspace.shortDiff(`${work.commit}^1`, work.commit, session.plan.path));
  const { block, name } = staged.stage;
  return { diff: diff ?? '', block, last: lastFindings(events, name), problems: [] };
}

/** How the agent's step ended, with its answer where it is a review that came to its end. */
export interface Asked {
  readonly end: AgentEnd;
  readonly answer?: Answer;
}

/** Asks for a verdict, and once more, with what is wrong named, where the answer is none. */
export async function ask(agent: Agent, job: AgentJob): Promise<Asked> {
  const { stage } = job;
  const end = await agent.run(job);
  if (stage?.review === undefined || end.kind !== 'finished') return { end };
  const answer = readVerdict(end.text ?? '');
  if (!('problems' in answer) || job.signal.aborted) return { end, answer };
  const review = { ...stage.review, problems: answer.problems };
  const logFolder = `${job.logFolder}/again`;
  const again = await agent.run({ ...job, stage: { ...stage, review }, logFolder });
  const both = withFirst(again, end);
  if (again.kind !== 'finished') return { end: both };
  return { end: both, answer: readVerdict(again.text ?? '') };
}

function withFirst(again: AgentEnd, first: AgentEnd): AgentEnd {
  const seconds = Math.round((again.seconds + first.seconds) * 1000) / 1000;
  const isKnown = first.usage !== undefined || again.usage !== undefined;
  const usage = addUsage(first.usage ?? {}, again.usage ?? {});
  return { ...again, seconds, ...(isKnown && { usage }) };
}

/** What an answer adds to the end of the agent's step. */
export async function answered(
  answer: Answer,
  life: Life,
  session: Session,
): Promise<readonly Outcome[]> {
  if ('problems' in answer)
    return [
      stagnated({ type: 'attempt.rejected', failure: noVerdict(answer.problems) }, life, session),
    ];
  const { work } = life.state;
  const tree = work === undefined ? '' : await treeOf(work, session);
  return [{ type: 'review.finished', ...answer, tree }];
}

function noVerdict(problems: readonly string[]): Failure {
  return { kind: 'agent-error', detail: `no verdict: ${problems.join('; ')}` };
}

async function treeOf({ commit }: Snapshot, { ports }: Session): Promise<string> {
  return ports.workspace.treeOf(commit);
}

/** What a review that has answered comes to. The tree is not looked at: whatever the reviewer did to it is rolled back. */
export function concludeReview({ staged, events }: Life): readonly Outcome[] {
  const review = reviewUnderWay(events);
  if (staged === undefined || review === undefined)
    throw new Error('a review is concluded that has not answered');
  const { name, block, rounds } = staged.stage;
  const blocking = blockingOf(review, block);
  if (blocking.length === 0 && review.verdict === 'pass')
    return [{ type: 'attempt.voided', why: 'stage' }];
  const failure = failureOf(name, blocking);
  if (isRepeated(events, review)) {
    const detail = `${failure.detail}; the review says the same as before, and the work did not change`;
    return [{ type: 'attempt.rejected', failure: { ...failure, kind: 'stagnated', detail } }];
  }
  const round = rejectionsOf(events, name).reviewed + 1;
  if (round < rounds) return [{ type: 'attempt.rejected', failure }];
  const detail = `${failure.detail}; round ${round} of ${rounds}`;
  return [{ type: 'attempt.rejected', failure: { ...failure, detail }, isLast: true }];
}

function failureOf(name: string, blocking: readonly Finding[]): Failure & { detail: string } {
  const files = [...new Set(blocking.map(({ file }) => file))].filter((file) => file !== '');
  const [worst] = blocking;
  const many = `${blocking.length} finding${blocking.length === 1 ? '' : 's'} that block`;
  const detail =
    worst === undefined ? `${name}: it blocks, with no finding that does` : `${name}: ${many}`;
  return { kind: 'reviewed', detail, ...(files.length > 0 && { paths: files }) };
}

/** What a reviewer changed, in one line for people; undefined where that is nothing, or cannot be told apart. */
export async function changedByReviewer(
  life: Life,
  left: Snapshot,
  session: Session,
): Promise<string | undefined> {
  const { state, staged } = life;
  if (staged === undefined || !isReviewing(life)) return undefined;
  if (state.work === undefined || left.ref === '') return undefined;
  const paths = await pathsBetween(life, [state.work, left], session);
  if (paths.length === 0) return undefined;
  const shown = paths.slice(0, MOST_PATHS).join(', ');
  const more = paths.length > MOST_PATHS ? ` and ${paths.length - MOST_PATHS} more` : '';
  return `a review changes nothing: what ${staged.stage.name} did to ${shown}${more} is undone`;
}

/** The plan is ticked in one and not in the other: of it, only what differs from the plan as it lay there counts. */
async function pathsBetween(
  { state, plan }: Life,
  [work, left]: readonly [Snapshot, Snapshot],
  { ports: { workspace }, plan: { path } }: Session,
): Promise<readonly string[]> {
  const made = await workspace.resolve(`${work.commit}^1`);
  if (!('base' in state) || made !== state.base) return [];
  const paths = (await workspace.changedPaths(work.commit, left.commit)).filter(
    (one) => one !== path,
  );
  const marked = await workspace.readAt(left.commit, path);
  return marked === undefined || isEqual(plan, marked) ? paths : [...paths, path];
}

const MOST_PATHS = 10;

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
