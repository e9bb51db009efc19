import type { TaskHolder, TeamSurvey } from '../../ports.ts';
import type { Queryable } from './migrations.ts';
import { locksOn } from './held-locks.ts';

/** SQL of a time as ISO 8601, UTC. */
export function isoTime(time: string): string {
  return `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

const HELD = `
  select t.id, t.owner, ${isoTime('t.since')} as since
  from skeleton.plan as p
  join skeleton.task as t on t.plan = p.no
  join pg_locks as l on ${locksOn('task', 't.no')} and l.pid = t.owner_pid
  where p.project = $1 and p.slug = $2 and t.owner is not null
  order by t.no`;

const SETTLED = `
  select t.id, t.outcome from skeleton.plan as p join skeleton.task as t on t.plan = p.no
  where p.project = $1 and p.slug = $2 and t.campaign = p.campaign and t.outcome in ('failed', 'blocked')
  order by t.no`;

/** A task is held exactly when its lock is; its row only says by whom. */
export async function surveyOf(
  on: Pick<Queryable, 'query'>,
  project: string,
  plan: string,
): Promise<TeamSurvey> {
  const held = await on.query(HELD, [project, plan]);
  const settled = await on.query(SETTLED, [project, plan]);
  return {
    held: held.flatMap((row) => holderIn(row)),
    settled: new Map(
      settled.map(({ id, outcome }) => [String(id), outcome === 'failed' ? 'failed' : 'blocked']),
    ),
  };
}

function holderIn({ id, owner, since }: Readonly<Record<string, unknown>>): readonly TaskHolder[] {
  const { host, pid, run } = JSON.parse(String(owner)) as Omit<TaskHolder, 'task' | 'since'>;
  return [{ task: String(id), since: String(since), host, pid, run }];
}
