import type { LedgerContents } from '../core/ledger-contents.ts';

/** A ledger as a whole, to be copied from or into. Throws as the ledger itself does where it cannot be opened, read or written. */
export interface LedgerStore {
  /** For people: a path, or an address without its password. */
  readonly where: string;
  /** Keeps runs from these plans until this is closed. Throws Refusal(3) where one goes on. */
  hold(plans: readonly string[]): Promise<void>;
  /** All that it keeps of this repository, as of one moment, every field checked. */
  read(): Promise<LedgerContents>;
  /** Adds what `decide` finds missing, all or nothing, and gives what it found; what it throws leaves everything as it was. */
  add<T extends { readonly missing: LedgerContents }>(
    decide: (there: LedgerContents) => T,
  ): Promise<T>;
  close(): Promise<void>;
}
