import type { Note } from '../../core/note.ts';
import type { Ledger } from '../../ports.ts';
import type { Reader } from './read-events.ts';
import { ensurePlan } from './rows.ts';
import type { Session } from './session.ts';

/** Notes of people to runs. None is ever deleted: one that was taken stays, to be looked up. */
export function inboxOf(
  session: Session,
  { ask }: Pick<Reader, 'ask'>,
  project: string,
): Pick<Ledger, 'post' | 'inbox' | 'take'> {
  return {
    post: async (plan, { id, at, kind, task, text, by }) => {
      await session.repeat(async (on) => {
        const no = await ensurePlan(on, project, plan);
        await on.query(POST, [no, id, at, kind, task, text, by]);
      });
    },
    inbox: async (plan) => (await ask(INBOX, [project, plan])) as readonly object[] as Note[],
    take: async (plan, ids) => {
      if (ids.length > 0)
        await session.repeat(async (on) => on.query(TAKE, [project, plan, [...ids]]));
    },
  };
}

/** One whose answer was lost is posted again, and is there once. */
const POST = `insert into skeleton.note (plan, id, at, kind, task, text, by)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict (plan, id) do nothing`;
const INBOX = `select n.id, n.at, n.kind, n.task, n.text, n.by from skeleton.note as n
  join skeleton.plan as p on p.no = n.plan
  where p.project = $1 and p.slug = $2 and not n.taken order by n.no`;
const TAKE = `update skeleton.note as n set taken = true from skeleton.plan as p
  where p.no = n.plan and p.project = $1 and p.slug = $2 and n.id = any ($3::text[])`;
