/** The tasks as they stand in the text, before anything is known of their ids and needs. */
import type { Box } from './box.ts';
import type { Ignored, Plan } from './plan.ts';
import type { Problem } from './problem.ts';
import type { Section } from './section.ts';
import type { Title } from './titles.ts';

export interface Draft {
  /** Of its heading or box; 1-based. */
  readonly line: number;
  /** The first line after the heading; of a box, its own. */
  readonly body: number;
  /** The first line after the task. */
  readonly end: number;
  readonly title: Title;
  /** Of a task that is a box itself. */
  readonly box: Box | undefined;
  readonly section: Section;
  readonly text: string;
}

/** A task heading with task headings inside; its members are the drafts `from` up to, not including, `to`. */
export interface Group {
  readonly title: Title;
  readonly from: number;
  readonly to: number;
}

export interface Outline {
  readonly form: Plan['form'];
  readonly drafts: readonly Draft[];
  readonly groups: readonly Group[];
  readonly ignored: readonly Ignored[];
  /** Where the first task or group begins; undefined without one. */
  readonly first: number | undefined;
  readonly notices: readonly Problem[];
}
