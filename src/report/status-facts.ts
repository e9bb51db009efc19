import type { Note } from '../core/note.ts';
import type { Summary } from '../core/summary.ts';

export interface StatusFacts {
  readonly planPath: string;
  readonly summary: Summary;
  /** Problems of the plan: with any, it does not run. */
  readonly problems: number;
  /** The commit that HEAD names; undefined where there is none. */
  readonly head: string | undefined;
  /** Options that a command about this plan needs, such as ` --plan docs/B.md`; '' for none. */
  readonly planOption: string;
  /** What people have asked for and no run has seen to yet. */
  readonly notes?: readonly Note[];
  /** ISO 8601, UTC. */
  readonly now: string;
  /** Who works on what, where machines share the ledger. */
  readonly team?: Team | undefined;
}

export interface Team {
  /** Where the ledger is, without its password. */
  readonly ledger: string;
  readonly held: readonly Holder[];
  /** What `run` needs beside the ledger; '' for nothing. */
  readonly runOption: string;
}

export interface Holder {
  readonly task: string;
  readonly host: string;
  readonly pid: number;
  readonly run: string;
  /** ISO 8601, UTC. */
  readonly since: string;
}
