import { Refusal } from '../ports.ts';

/** The ledger's file cannot be trusted. Nothing was changed; what passed is in git's tags and proofs. */
export class LedgerDamaged extends Refusal {
  readonly path: string;
  readonly reason: string;
  constructor(path: string, reason: string) {
    super(
      3,
      `the ledger ${path} is damaged: ${reason}`,
      `move ${path}, and its -wal and -shm if they are there, to another folder; what passed is kept by git's tags and proofs`,
    );
    this.name = 'LedgerDamaged';
    this.path = path;
    this.reason = reason;
  }
}
