import type { Connection } from './connection.ts';

/** Numbers of plans and tasks, which never change: each is asked for once. */
export interface Numbers {
  /** Undefined for a plan that is not there. */
  plan(on: Connection, slug: string): Promise<number | undefined>;
  /** Made where it is not there. */
  task(on: Connection, plan: number, id: string): Promise<number>;
}

export function numbersOf(project: string): Numbers {
  const plans = new Map<string, number>();
  const tasks = new Map<string, number>();
  return {
    plan: async (on, slug) => {
      const known = plans.get(slug);
      if (known !== undefined) return known;
      const sql = 'select no from skeleton.plan where project = $1 and slug = $2';
      const [row] = await on.query(sql, [project, slug]);
      if (row !== undefined) plans.set(slug, Number(row['no']));
      return plans.get(slug);
    },
    task: async (on, plan, id) => {
      const key = `${plan} ${id}`;
      const known = tasks.get(key);
      if (known !== undefined) return known;
      await addTasks(on, plan, [id]);
      const sql = 'select no from skeleton.task where plan = $1 and id = $2';
      const [row] = await on.query(sql, [plan, id]);
      tasks.set(key, Number(row?.['no']));
      return Number(row?.['no']);
    },
  };
}

/** Those that are not there yet. */
export async function addTasks(
  on: Connection,
  plan: number,
  ids: readonly string[],
): Promise<void> {
  // A conflict alone would cost a number each time, of which there are two thousand million.
  await on.query(
    `insert into skeleton.task (plan, id)
    select $1, wanted.id from unnest($2::text[]) with ordinality as wanted (id, place)
    where not exists (select from skeleton.task as t where t.plan = $1 and t.id = wanted.id)
    order by wanted.place
    on conflict do nothing`,
    [plan, ids],
  );
}

/** The plan's number, made (without a path yet) where it is not there. */
export async function ensurePlan(on: Connection, project: string, slug: string): Promise<number> {
  const sql = 'select no from skeleton.plan where project = $1 and slug = $2';
  const [known] = await on.query(sql, [project, slug]);
  if (known !== undefined) return Number(known['no']);
  await on.query(
    `insert into skeleton.plan (project, slug, path) values ($1, $2, '') on conflict do nothing`,
    [project, slug],
  );
  const [made] = await on.query(sql, [project, slug]);
  return Number(made?.['no']);
}
