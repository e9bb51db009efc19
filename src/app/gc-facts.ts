import type { House } from '../compose.ts';
import type { GcFacts, PlanRecord } from '../core/gc.ts';
import { attemptTimes, finishedTasks, KEPT_RUNS, openRuns } from '../core/gc.ts';
import type { OwnThing } from '../core/own-things.ts';
import { parsePlan } from '../core/plan/parse-plan.ts';
import type { Pruner, RunRow, Workspace } from '../ports.ts';

/** Ids of work trees in which an attempt is under way, or a dead run left one, work set aside or a branch on its way. */
export async function underWay(house: House, pruner: Pruner): Promise<ReadonlySet<string>> {
  const open = await openInLedger(house);
  // Without a ledger, a record of an attempt may be of one that is not over.
  const telling = ['aside', 'move', ...(open === undefined ? ['attempt'] : [])];
  const told = pruner
    .worktrees()
    .filter(({ records }) => records.some((record) => telling.includes(record)));
  return new Set([...(open ?? []), ...told.map(({ id }) => id)]);
}

async function openInLedger(house: House): Promise<readonly string[] | undefined> {
  const ledger = await house.history();
  if (ledger === undefined) return undefined;
  try {
    const open: string[] = [];
    for (const plan of (await ledger.plans()).keys())
      for (const { worktree } of await ledger.underWayElsewhere(plan, '')) open.push(worktree);
    return open;
  } finally {
    await ledger.close();
  }
}

/** Reads what decides over the things that are there; takes no lock and writes nothing. Throws Refusal(3) for a damaged ledger. */
export async function readGcFacts(
  house: House,
  things: readonly OwnThing[],
  { now, busy }: Pick<GcFacts, 'now' | 'busy'>,
): Promise<GcFacts> {
  const { runs, plans } = await readRecords(house);
  const open = plans.flatMap(({ events }) => openRuns(events));
  const ofBusy = runs.filter(({ plan }) => busy.has(plan));
  const last = runs.length > 0 ? runs.map(({ run }) => run) : byLogs(things);
  const recent = [...last.slice(0, KEPT_RUNS), ...ofBusy.map(({ run }) => run)];
  const stashes = things.filter(({ kind }) => kind === 'autostash');
  return {
    now,
    busy,
    recent: new Set([...recent, ...open]),
    finished: new Set(plans.flatMap((plan) => finishedTasks(plan))),
    attempts: new Map(plans.flatMap(({ slug, events }) => [...attemptTimes(slug, events)])),
    runs: new Map(runs.map(({ run, startedAt }) => [run, Date.parse(startedAt)])),
    setAside: new Set(stashes.map(({ plan = '', number = '' }) => `${plan}/${number}`)),
  };
}

/** Where no ledger tells of runs: those that have logs, newest first. */
function byLogs(things: readonly OwnThing[]): readonly string[] {
  return things
    .filter(({ kind }) => kind === 'logs')
    .sort((a, b) => b.at - a.at)
    .flatMap(({ run }) => run ?? []);
}

async function readRecords(
  house: House,
): Promise<{ readonly runs: readonly RunRow[]; readonly plans: readonly PlanRecord[] }> {
  const ledger = await house.history();
  if (ledger === undefined) return { runs: [], plans: [] };
  try {
    const workspace = await house.workspace();
    const plans: PlanRecord[] = [];
    for (const [slug, path] of await ledger.plans())
      plans.push({
        slug,
        events: await ledger.history(slug),
        tasks: await tasksAtHead(workspace, path),
      });
    return { runs: await ledger.runs(), plans };
  } finally {
    await ledger.close();
  }
}

async function tasksAtHead(workspace: Workspace, path: string): Promise<PlanRecord['tasks']> {
  if (workspace.facts.head === undefined) return 'unreadable';
  const bytes = await workspace.readAt(workspace.facts.head, path);
  if (bytes === undefined) return undefined;
  const { tasks, problems } = parsePlan(bytes, path);
  return problems.length > 0 ? 'unreadable' : tasks;
}
