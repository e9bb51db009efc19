/**
 * The ledger's schema, one step a version; `pragma user_version` counts the steps that a file has had. Only ever append: a step that
 * was released is never edited. A new type of event is a new version too, even if its step is empty, so that an older skeleton says
 * that the ledger is newer than itself.
 */
export const migrations: readonly string[] = [
  `
  create table plan (
    slug text primary key,
    path text not null
  ) strict, without rowid;

  create table event (
    id integer primary key,
    plan text not null references plan (slug),
    task text not null,
    seq integer not null check (seq > 0),
    run text not null,
    at text not null,
    type text not null,
    body text not null,
    unique (plan, task, seq)
  ) strict;

  create index event_by_type on event (type, plan);

  create table number (
    plan text primary key,
    highest integer not null
  ) strict, without rowid;

  create table verdict (
    tree text not null,
    gates_hash text not null,
    verdict text not null check (verdict in ('pass', 'fail')),
    primary key (tree, gates_hash)
  ) strict, without rowid;
  `,
  // checkpoint.verified, and what passed in a rebuilt history.
  '',
  // What an agent used, its model and session, and who was turned away.
  '',
  `
  create table digest (
    plan text primary key references plan (slug),
    form integer not null,
    sum integer not null,
    body text not null
  ) strict;
  `,
  `
  create table note (
    no integer primary key,
    id text not null unique,
    plan text not null,
    at text not null,
    kind text not null check (kind in ('pause', 'tell', 'skip')),
    task text not null,
    text text not null,
    by text not null,
    taken integer not null default 0
  ) strict;

  create index note_to_take on note (plan) where taken = 0;
  `,
];

/** What brings a file from a version to the newest; to be run in one transaction. */
export function upgradeFrom(version: number, steps: readonly string[] = migrations): string {
  return [...steps.slice(version), `pragma user_version = ${steps.length}`].join(';\n');
}
