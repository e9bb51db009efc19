import { createHash } from 'node:crypto';
import type { Recorded } from '../core/events.ts';
import { beginningOf, onceText, type Step } from '../core/once.ts';
import type { PlanPast } from '../core/plan-past.ts';
import { parsePlan } from '../core/plan/parse-plan.ts';
import type { Plan, Task } from '../core/plan/plan.ts';
import { select } from '../core/schedule.ts';
import { Refusal, type Claims } from '../ports.ts';
import type { Work } from './read-work.ts';
import type { RunBase } from './run-base.ts';

/** What `--once` comes to: the key to be written down with the run, or what a run has come to that did the same. */
export type Once =
  | { readonly key: string | undefined }
  | { readonly result: { readonly status: 0 | 1; readonly why: string } };

/**
 * `--once`: whether a finished run of this plan (status 0 or 1) has done the same already; then one line says so. Where machines share the
 * ledger, the right to do it is this process's from here on. Throws Refusal(3), naming who, where another has that right.
 */
export async function checkOnce(base: RunBase, work: Work): Promise<Once> {
  const { options, slug, ledger, io } = base;
  if (options.once === undefined) return { key: undefined };
  const key = options.once === true ? await defaultKey(base, work) : options.once;
  if (base.claims !== undefined) await holdOnce(base.claims, slug, key);
  // Read after the right is ours: what its last holder wrote is there.
  const done = doneBy(await ledger.taskHistory(slug, ''), key);
  if (done === undefined) return { key };
  const { run, at, status } = done;
  io.onLine(
    `nothing to do: run ${run} has done the same (--once), until ${at}, with status ${status}`,
  );
  return { result: { status, why: 'done before' } };
}

async function holdOnce(claims: Claims, slug: string, key: string): Promise<void> {
  const other = await claims.once(slug, key);
  if (other === undefined) return;
  const { heldBy } = other;
  const who =
    heldBy === undefined
      ? 'another run'
      : `run ${heldBy.run} (process ${heldBy.pid} on ${heldBy.host})`;
  throw new Refusal(
    3,
    `${who} is doing the same (--once)`,
    'skeleton status     shows how far it is',
  );
}

interface Done {
  readonly run: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly status: 0 | 1;
}

/** The newest run with the key that came to its end. */
function doneBy(events: readonly Recorded[], key: string): Done | undefined {
  const asked = new Set(
    events.flatMap(({ run, event }) =>
      event.type === 'run.started' && event.options['once'] === key ? [run] : [],
    ),
  );
  for (const { run, at, event } of events.toReversed()) {
    if (event.type !== 'run.finished' || !asked.has(run)) continue;
    const { status } = event;
    if (status === 0 || status === 1) return { run, at, status };
  }
  return undefined;
}

/**
 * SHA-256 of plan, tasks, tree and agent as they were where the work began, so that a trigger which comes again after some of it has
 * passed is the same one. With `--limit` each trigger takes the next tasks, so HEAD is where it begins.
 */
async function defaultKey(base: RunBase, work: Work): Promise<string> {
  const { workspace, planPath, slug, ledger } = base;
  const { reading, settings } = work;
  const head = (await workspace.resolve('HEAD')) ?? '';
  const isLimited = Number.isFinite(settings.limit);
  const at = isLimited ? head : beginningOf(head, stepsOf(await ledger.past(slug)));
  const bytes = at === head ? undefined : await workspace.readAt(at, planPath);
  const plan = bytes === undefined ? reading.plan : parsePlan(bytes, planPath);
  const tasks = selected(plan, base, settings.limit);
  const from = bytes === undefined ? head : at;
  const tree = from === '' ? '' : await workspace.treeOf(from);
  const text = onceText({ planPath, tasks, tree, config: reading.config });
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

function stepsOf({ tasks }: PlanPast): readonly Step[] {
  return tasks.flatMap(([, { attempts }]) =>
    attempts.flatMap(({ base, outcome }) =>
      outcome.kind === 'passed' ? [{ commit: outcome.commit, base }] : [],
    ),
  );
}

function selected(plan: Plan, { options }: RunBase, limit: number): readonly Task[] {
  return select(plan, { named: options.tasks, from: options.from, limit }).tasks;
}
