import { attemptsIn } from './attempt-summary.ts';
import type { AttemptSummary } from './attempt-summary.ts';
import type { Recorded } from './events.ts';
import { groupBy, isOfTask } from './history.ts';
import type { OfTask } from './history.ts';
import { decide, replay } from './machine.ts';
import type { OwnKind, OwnThing } from './own-things.ts';
import { taskSlug } from './refs.ts';

/** What is younger stays, and so does what belongs to one of the last runs (README, "Disk"). */
const KEPT_MS = 30 * 24 * 3_600_000;
export const KEPT_RUNS = 20;

/** What decides over a thing besides its own age. */
export interface GcFacts {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The last runs, those that have an attempt under way, and those of plans that another process works on. */
  readonly recent: ReadonlySet<string>;
  /** Plans and work trees that another process holds. */
  readonly busy: ReadonlySet<string>;
  /** `PLAN/TASK`, as slugs: passed or ticked. Of anything else the work may still be wanted. */
  readonly finished: ReadonlySet<string>;
  /** `PLAN/TASK/N`: when it began, and in which run. */
  readonly attempts: ReadonlyMap<string, { readonly run: string; readonly at: number }>;
  /** When each run began. */
  readonly runs: ReadonlyMap<string, number>;
  /** `PLAN/N` of work of the user's that is set aside. */
  readonly setAside: ReadonlySet<string>;
}

/** The things that `skeleton gc` takes, in the order given. */
export function pickOld(things: readonly OwnThing[], facts: GcFacts): readonly OwnThing[] {
  return things.filter((thing) => goes[thing.kind](thing, facts));
}

type Rule = (thing: OwnThing, facts: GcFacts) => boolean;

const never: Rule = () => false;
const always: Rule = () => true;
const byAge: Rule = (thing, facts) => isFree(thing, facts) && isOld(thing.at, facts);

const ofAttempt: Rule = (thing, facts) => {
  const { plan = '', task = '', number = '' } = thing;
  const begun = facts.attempts.get(`${plan}/${task}/${number}`);
  if (!isFree(thing, facts) || !facts.finished.has(`${plan}/${task}`)) return false;
  if (begun === undefined) return isOld(thing.at, facts);
  // The time of a file, or of a commit that the agent had found somewhere, says less than the ledger.
  const at = thing.kind === 'snapshot' ? Math.max(thing.at, begun.at) : begun.at;
  return isOld(at, facts) && !facts.recent.has(begun.run);
};

const ofRun: Rule = (thing, facts) => {
  const { run = '' } = thing;
  const at = Math.max(thing.at, facts.runs.get(run) ?? 0);
  return isOld(at, facts) && !facts.recent.has(run);
};

const quarantine: Rule = (thing, facts) => {
  const { plan = '', task = '', number = '' } = thing;
  if (task === '+autostash' && facts.setAside.has(`${plan}/${number}`)) return false;
  return task.startsWith('+') ? byAge(thing, facts) : ofAttempt(thing, facts);
};

const goes: Readonly<Record<OwnKind, Rule>> = {
  snapshot: ofAttempt,
  agent: ofAttempt,
  undo: byAge,
  autostash: never,
  proof: never,
  fence: never,
  anchor: byAge,
  ref: never,
  logs: ofRun,
  quarantine,
  'damaged-ledger': byAge,
  private: byAge,
  trash: always,
  state: never,
  worktree: never,
};

function isOld(at: number, { now }: GcFacts): boolean {
  return now - at >= KEPT_MS;
}

function isFree({ plan, worktree }: OwnThing, { busy }: GcFacts): boolean {
  return !busy.has(plan ?? '') && !busy.has(worktree ?? '');
}

/** A plan as gc sees it. */
export interface PlanRecord {
  /** PLAN. */
  readonly slug: string;
  readonly events: readonly Recorded[];
  /** Its tasks at HEAD; undefined where it is not there; `unreadable` where that cannot be told. */
  readonly tasks:
    | readonly { readonly id: string; readonly state: 'done' | 'pending' | 'skipped' }[]
    | 'unreadable'
    | undefined;
}

/** `PLAN/TASK` of what is passed or ticked: as the plan at HEAD says it, else the ledger where the plan no longer has the task. */
export function finishedTasks({ slug, events, tasks }: PlanRecord): readonly string[] {
  if (tasks === 'unreadable') return [];
  const open = openTasks(events);
  const passed = [...histories(events)].flatMap(([id, history]) =>
    replay(history.map(({ event }) => event)).phase === 'passed' ? [id] : [],
  );
  const planned = new Map((tasks ?? []).map(({ id, state }) => [id, state]));
  const gone = passed.filter((id) => !planned.has(id));
  const done = [...planned].flatMap(([id, state]) => (state === 'done' ? [id] : []));
  return [...done, ...gone].filter((id) => !open.has(id)).map((id) => `${slug}/${taskSlug(id)}`);
}

/** Runs that began an attempt which is neither checkpointed nor rolled back. */
export function openRuns(events: readonly Recorded[]): readonly string[] {
  const open = openTasks(events);
  return attemptsOf(events)
    .filter(({ task }) => open.has(task))
    .map(({ run }) => run);
}

/** `PLAN/TASK/N` of each attempt, with its run and its beginning. */
export function attemptTimes(slug: string, events: readonly Recorded[]): GcFacts['attempts'] {
  return new Map(
    attemptsOf(events).map(({ task, number, run, startedAt }) => [
      `${slug}/${taskSlug(task)}/${number}`,
      { run, at: Date.parse(startedAt) },
    ]),
  );
}

function attemptsOf(events: readonly Recorded[]): readonly AttemptSummary[] {
  return [...histories(events)].flatMap(([task, history]) => attemptsIn(task, history));
}

function histories(events: readonly Recorded[]): ReadonlyMap<string, readonly OfTask[]> {
  return groupBy(events.filter(isOfTask), ({ task }) => task);
}

/** Where the machine has something under way. */
function openTasks(events: readonly Recorded[]): ReadonlySet<string> {
  const open = [...histories(events)].filter(([, history]) => {
    const effect = decide(replay(history.map(({ event }) => event)));
    return effect !== undefined && effect !== 'start-attempt';
  });
  return new Set(open.map(([id]) => id));
}
