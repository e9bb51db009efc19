import { lstatSync } from 'node:fs';
import { identityOf } from './file-identity.ts';

/**
 * What changes whenever something was written to the ledger at a path, told from its files' facts alone: nobody is held up, and a
 * damaged ledger has one too. '' where there is none.
 */
export function ledgerStamp(path: string): string {
  return [path, `${path}-wal`]
    .map((file) => {
      const facts = lstatSync(file, { bigint: true, throwIfNoEntry: false });
      if (facts === undefined) return '';
      return `${identityOf(file) ?? ''} ${facts.size.toString()} ${facts.mtimeNs.toString()}`;
    })
    .join('|');
}
