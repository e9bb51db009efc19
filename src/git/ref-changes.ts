import type { ByteName } from './byte-name.ts';
import type { Git } from './git.ts';

/** One line of a ref transaction. A ref to create must not stand; one to update or delete must hold `from`, unless that is ''. */
export type RefChange =
  | {
      readonly kind: 'create' | 'update';
      readonly ref: ByteName;
      readonly to: string;
      readonly from: string;
    }
  | { readonly kind: 'delete'; readonly ref: ByteName; readonly from: string };

/**
 * Changes refs, all or none (git-update-ref(1)). Deletions go first, in a transaction of their own: git does not create `a`
 * while `a/b` stands, even where the same transaction deletes it. The words go into the reflogs. One after the other in each
 * repository, whichever of its work trees asks.
 */
export async function changeRefs(
  git: Git,
  changes: readonly RefChange[],
  words: string,
): Promise<void> {
  return inTurn(git.store, () => changeInTurn(git, changes, words));
}

/** As changeRefs, for one whose turn it is already. */
export async function changeInTurn(
  git: Git,
  changes: readonly RefChange[],
  words: string,
): Promise<void> {
  const deletions = changes.filter(({ kind }) => kind === 'delete');
  const others = changes.filter(({ kind }) => kind !== 'delete');
  for (const part of [deletions, others]) {
    if (part.length === 0) continue;
    const input = Buffer.from(part.map(renderChange).join(''), 'latin1');
    // Where it fails, or a stop ends it, nobody knows what it wrote.
    for (const { ref } of part) note(git.store, ref, 'unsure');
    await git.run(['update-ref', '-m', `skeleton: ${words}`, '--stdin', '-z'], { input });
    for (const change of part)
      note(git.store, change.ref, change.kind === 'delete' ? undefined : change.to);
  }
}

interface Written {
  /** Undefined where we deleted it. */
  readonly to: string | undefined;
  readonly isUnsure: boolean;
  readonly nth: number;
}

/** What this process has made of refs, by repository and name: what it wrote for one work tree, no other's agent has done. */
const written = new Map<string, Map<ByteName, Written>>();
const turns = new Map<string, Promise<unknown>>();
let count = 0;

function note(store: string, ref: ByteName, to: string | undefined): void {
  const own = written.get(store) ?? new Map<ByteName, Written>();
  written.set(store, own);
  count += 1;
  own.set(ref, { to, isUnsure: to === 'unsure', nth: count });
}

/** Runs while no refs of the repository are changed by this process; `store` as of Git. */
export async function inTurn<T>(store: string, work: () => Promise<T>): Promise<T> {
  const mine = (turns.get(store) ?? Promise.resolve()).then(work);
  turns.set(
    store,
    mine.catch(() => undefined),
  );
  return mine;
}

/** How many changes this process has made so far, to be asked about later with `writtenSince`. */
export function writesSoFar(): number {
  return count;
}

/** What this process made of a ref since then; undefined: nothing. */
export function writtenSince(store: string, ref: ByteName, since: number): Written | undefined {
  const last = written.get(store)?.get(ref);
  return last !== undefined && last.nth > since ? last : undefined;
}

/** Refs of which `writtenSince` gives something. */
export function refsWrittenSince(store: string, since: number): readonly ByteName[] {
  return [...(written.get(store) ?? [])].filter(([, { nth }]) => nth > since).map(([ref]) => ref);
}

function renderChange(change: RefChange): string {
  switch (change.kind) {
    case 'create':
      return `create ${change.ref}\0${change.to}\0`;
    case 'update':
      return `option no-deref\0update ${change.ref}\0${change.to}\0${change.from}\0`;
    case 'delete':
      return `option no-deref\0delete ${change.ref}\0${change.from}\0`;
  }
}
