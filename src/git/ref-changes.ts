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
 * while `a/b` stands, even where the same transaction deletes it. The words go into the reflogs.
 */
export async function changeRefs(
  git: Git,
  changes: readonly RefChange[],
  words: string,
): Promise<void> {
  const deletions = changes.filter(({ kind }) => kind === 'delete');
  const others = changes.filter(({ kind }) => kind !== 'delete');
  for (const part of [deletions, others]) {
    if (part.length === 0) continue;
    const input = Buffer.from(part.map(renderChange).join(''), 'latin1');
    await git.run(['update-ref', '-m', `skeleton: ${words}`, '--stdin', '-z'], { input });
  }
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
