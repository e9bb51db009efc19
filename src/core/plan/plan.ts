/** What PLAN.md says, as values (contract, "PLAN.md"). */
import type { Config, TaskConfig } from '../config/config.ts';
import type { Problem } from './problem.ts';

export type { Problem } from './problem.ts';

export interface Plan {
  /** As it was given. */
  readonly path: string;
  /** The front matter's valid keys. */
  readonly config: Config;
  /** The text before the first task or group, front matter removed. */
  readonly preamble: string;
  readonly form: 'headings' | 'boxes';
  /** In the file's order; ids are unique, also where the plan has problems. */
  readonly tasks: readonly Task[];
  /** Boxes that are no tasks and belong to none. */
  readonly ignored: readonly Ignored[];
  /** The plan may not run with any of these. By line. */
  readonly problems: readonly Problem[];
  /** How doubtful things were read. By line. */
  readonly notices: readonly Problem[];
}

export interface Ignored {
  readonly line: number;
  readonly why: string;
}

export interface Task {
  readonly id: string;
  readonly title: string;
  readonly state: 'pending' | 'done' | 'skipped';
  /** Ids of tasks of this plan, each once. */
  readonly needs: readonly string[];
  /** Declared by a field, the summary table or `[P]`; false: by position. */
  readonly explicitNeeds: boolean;
  /** Of its heading or box; 1-based. */
  readonly line: number;
  /** Verbatim, heading or box included; the own text of the groups that it is in goes before. */
  readonly text: string;
  /** `**Goal:**`, or ''. */
  readonly goal: string;
  /** Boxes inside, and the items of Acceptance and Validation fields. */
  readonly acceptance: readonly string[];
  /** Paths and globs that it is expected to touch: a hint. */
  readonly files: readonly string[];
  readonly config: TaskConfig;
}
