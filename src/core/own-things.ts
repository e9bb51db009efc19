/** What we keep in a repository beside its branches and tags: refs below `refs/skeleton/`, and the state folder `skeleton/`. */

export type OwnKind =
  | 'snapshot'
  | 'agent'
  | 'undo'
  | 'autostash'
  | 'proof'
  | 'fence'
  | 'anchor'
  | 'ref'
  | 'logs'
  | 'quarantine'
  | 'damaged-ledger'
  | 'private'
  | 'trash'
  | 'state'
  | 'worktree';

/** Whose a thing is, as far as its name says it. */
export interface Owner {
  /** Slugs, as in refs. */
  readonly plan?: string;
  readonly task?: string;
  /** The N of `TASK#N`, or of `undo` and `autostash`. */
  readonly number?: string;
  readonly run?: string;
  /** Id of a work tree. */
  readonly worktree?: string;
}

export interface OwnThing extends Owner {
  readonly kind: OwnKind;
  /** A full ref name; a path relative to the state folder; a worktree's folder. */
  readonly name: string;
  /** Milliseconds since the epoch: the newest that is known of it. */
  readonly at: number;
  /** Of a ref: of the objects that nothing else holds. Undefined where that was not measured. */
  readonly bytes: number | undefined;
}

type Named = Pick<OwnThing, 'kind'> & Owner;

const folders: Readonly<Record<string, OwnKind>> = {
  attempts: 'snapshot',
  agent: 'agent',
  undo: 'undo',
  autostash: 'autostash',
  proof: 'proof',
  fence: 'fence',
  anchor: 'anchor',
};

/** Reads a full ref name below `refs/skeleton/`. */
export function namedByRef(ref: string): Named {
  const [, , folder = '', ...rest] = ref.split('/');
  const kind = folders[folder] ?? 'ref';
  const [first, second, third] = rest;
  if (kind === 'anchor') return { kind, ...(first !== undefined && { worktree: first }) };
  if (['snapshot', 'agent', 'fence'].includes(kind))
    return { kind, ...attempt(first, second, third) };
  const number = second === undefined ? {} : { number: second };
  return { kind, ...(first !== undefined && { plan: first }), ...number };
}

/** Reads a path below the state folder. */
export function namedByPath(path: string): Named {
  const [folder, ...rest] = path.split('/');
  const [first = ''] = rest;
  if (folder === 'logs') return { kind: 'logs', run: first };
  if (folder === 'quarantine') return { kind: 'quarantine', ...attempt(...rest) };
  if (folder === 'worktrees') return { kind: 'private', worktree: first };
  if (folder === 'trash') return { kind: 'trash' };
  if (path.startsWith('ledger.db.damaged-')) return { kind: 'damaged-ledger' };
  // A ledger is made under such a name first.
  return { kind: /^ledger\.db\.[0-9a-f]{8}-[0-9a-f-]+$/.test(path) ? 'private' : 'state' };
}

function attempt(plan?: string, task?: string, number?: string): Owner {
  return {
    ...(plan !== undefined && { plan }),
    ...(task !== undefined && { task }),
    ...(number !== undefined && { number }),
  };
}

export function isRef({ name }: Pick<OwnThing, 'name'>): boolean {
  return name.startsWith('refs/');
}
