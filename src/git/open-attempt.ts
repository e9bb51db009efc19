import type { Ended } from '../core/machine.ts';
import type { Anchors } from './anchors.ts';
import type { IndexContent } from './private-index.ts';
import type { Quarantine } from './quarantine.ts';
import type { OpenRecord } from './record.ts';
import type { Repository } from './located-repository.ts';

/** An attempt that has begun, as the work on it needs it. */
export interface OpenAttempt {
  readonly repository: Repository;
  readonly record: OpenRecord;
  readonly quarantine: Quarantine;
  readonly anchors: Anchors;
  /** The index that matches the record's tree, with good stat data. It is kept in memory, where no agent can set flags in it. */
  readonly baseIndex: IndexContent;
  /** What was put back already to open it, in words: for an attempt that a dead process began. */
  readonly notices: readonly string[];
  /** How it ended; undefined where that is not known (yet). */
  readonly ended?: Ended;
  /** When it began in this process, as of `writesSoFar`; undefined for one that a dead process began. */
  readonly since?: number;
}
