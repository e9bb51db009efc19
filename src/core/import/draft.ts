/** A plan before it is text: what an importer or a drafting agent found, settled so that it can be written. */
import type { Problem } from '../plan/problem.ts';

export type DraftState = 'pending' | 'done' | 'skipped';

/** A box inside of a task. */
export interface Criterion {
  readonly text: string;
  readonly done: boolean;
}

export interface DraftTask {
  readonly id: string;
  /** One line. */
  readonly title: string;
  readonly state: DraftState;
  /** Undefined: it waits for the one before it. */
  readonly needs: readonly string[] | undefined;
  /** Any Markdown; it stays text, whatever is in it. */
  readonly text: string;
  readonly acceptance: readonly Criterion[];
  readonly files: readonly string[];
  readonly allowEmpty: boolean;
}

/** What `settle` gives, so that `planText` can write it and the parser reads the same back. */
export interface Draft {
  readonly title: string;
  /** Any Markdown: what the agent is told with every task. */
  readonly preamble: string;
  /** In an order that satisfies their needs. */
  readonly tasks: readonly DraftTask[];
}

export interface SourceNeed {
  readonly id: string;
  /** Of the source. */
  readonly line: number;
}

/** A task as its source has it: ids may be missing, taken twice or no ids of ours. */
export interface SourceTask extends Omit<DraftTask, 'id' | 'needs'> {
  readonly id: string | undefined;
  readonly needs: readonly SourceNeed[] | undefined;
  /** Of the source; 1-based. */
  readonly line: number;
  /** Lower ones go first, where their needs let them. */
  readonly rank: number;
}

/** What a source that says no more than this means. */
export const bareTask: Omit<SourceTask, 'title' | 'line'> = {
  id: undefined,
  state: 'pending',
  needs: undefined,
  text: '',
  acceptance: [],
  files: [],
  allowEmpty: false,
  rank: 0,
};

export interface Source {
  readonly title: string;
  readonly preamble: string;
  readonly tasks: readonly SourceTask[];
}

/** What became of a field of the source, over all its tasks. */
export interface FieldCount {
  readonly field: string;
  /** Undefined: it is not mapped. */
  readonly became: string | undefined;
  readonly count: number;
  /** Of the first one. */
  readonly line: number;
}

export interface Told {
  readonly notices: readonly Problem[];
  readonly problems: readonly Problem[];
}
