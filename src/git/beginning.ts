import type { AttemptId, AttemptRules } from '../ports.ts';
import type { Anchors } from './anchors.ts';
import type { LateAnchor } from './late-anchor.ts';
import type { LineEnds } from './line-ends.ts';
import type { Repository } from './located-repository.ts';

/** What an attempt is to begin with. */
export interface Beginning {
  readonly attempt: AttemptId;
  readonly rules: AttemptRules;
  /** The tree that lies in the work tree, where that is not HEAD's. */
  readonly startTree: string | undefined;
  /** A person's attempt: the work tree holds it already. */
  readonly isTaken?: boolean;
  /** Where the branch stood when this process last saw it. */
  readonly expectedHead: string | undefined;
  /** Whatever lies there is taken for an attempt's: its record is lost. */
  readonly isLate?: boolean;
  /** What its anchor tells then. */
  readonly anchored?: LateAnchor;
}

export interface Equipment {
  readonly repository: Repository;
  readonly anchors: Anchors;
  readonly lineEnds: LineEnds;
}
