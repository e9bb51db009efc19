import type { Note } from '../core/note.ts';
import type { Ledger } from '../ports.ts';
import type { LedgerFile } from './ledger-file.ts';

/** Notes of people to runs. None is ever deleted: one that was taken stays, to be looked up. */
export function inboxOf(file: LedgerFile): Pick<Ledger, 'post' | 'inbox' | 'take'> {
  return {
    post: async (plan, { id, at, kind, task, text, by }) => {
      file.write((db) => db.prepare(POST).run(id, plan, at, kind, task, text, by));
    },
    // The table is `strict`: its columns have the types that it says.
    inbox: async (plan) => file.read((db) => db.prepare(INBOX).all(plan)) as readonly Note[],
    take: async (plan, ids) => {
      if (ids.length === 0) return;
      file.write((db) => {
        const take = db.prepare('update note set taken = 1 where plan = ? and id = ?');
        for (const id of ids) take.run(plan, id);
      });
    },
  };
}

const POST = `insert into note (id, plan, at, kind, task, text, by) values (?, ?, ?, ?, ?, ?, ?)
  on conflict (id) do nothing`;
const INBOX = `select id, at, kind, task, text, by from note
  where plan = ? and taken = 0 order by no`;
