import type { Recorded, RunCounts } from './events.ts';
import { groupBy } from './history.ts';
import { notKnown, type Sighting } from './sightings.ts';
import type { PlanTraces } from './traces.ts';

/** What is to be appended: in order of writing, with the time that git has it from. */
export type Entry = Pick<Recorded, 'run' | 'at' | 'task' | 'event'>;

interface Telling {
  readonly planPath: string;
  readonly history: readonly Recorded[];
  readonly traces: PlanTraces;
}

/** The start of each run that the history does not know: without it the commits that they began at would be strangers. */
export function runsStarted(telling: Telling, seen: readonly Sighting[]): readonly Entry[] {
  const known = runsWith('run.started', telling.history);
  const runs = runsIn(seen).filter(([run]) => !known.has(run));
  return runs.flatMap(([run, [first]]) => {
    if (first === undefined) return [];
    const start = telling.traces.starts.find(({ commit }) => commit === first.base)?.ref ?? '';
    const { planPath: plan } = telling;
    const facts = { schema: 1, plan, base: first.base, branch: '', start, options: {} } as const;
    return [{ run, at: first.at, task: '', event: { type: 'run.started', ...facts } }];
  });
}

/**
 * The end of each run, but for one that left an attempt under way: what a run has failed for good, a person's next run begins
 * anew. `failed`: tasks whose last word that is.
 */
export function runsFinished(
  { history }: Pick<Telling, 'history'>,
  seen: readonly Sighting[],
  failed: ReadonlySet<string>,
): readonly Entry[] {
  const known = runsWith('run.finished', history);
  const dead = seen.filter(({ kind }) => kind === 'open').map(({ run }) => run);
  const runs = runsIn(seen).filter(([run]) => !known.has(run) && !dead.includes(run));
  return runs.map(([run, own]) => {
    const passed = own.filter(({ kind }) => kind === 'passed').length;
    const lost = new Set(own.map(({ task }) => task).filter((task) => failed.has(task))).size;
    const counts: RunCounts = { ...nothing, passed, failed: lost };
    const status = lost > 0 ? 1 : 0;
    const event = { type: 'run.finished', status, why: 'as far as git tells', counts } as const;
    return { run, at: own.at(-1)?.at ?? '', task: '', event };
  });
}

const nothing = { passed: 0, failed: 0, blocked: 0, skipped: 0, unjudged: 0, pending: 0 };

function runsWith(type: 'run.started' | 'run.finished', history: readonly Recorded[]): Set<string> {
  return new Set(history.filter(({ event }) => event.type === type).map(({ run }) => run));
}

/** Runs with what is seen of them, oldest first. */
function runsIn(seen: readonly Sighting[]): readonly (readonly [string, readonly Sighting[]])[] {
  const named = seen.filter(({ run }) => run !== notKnown);
  const inTime = named.toSorted((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)));
  return [...groupBy(inTime, ({ run }) => run)];
}
