/** What a person wants of the run that goes on with a plan, or of the next one. */
export type Order =
  | { readonly kind: 'pause' | 'resume' }
  | { readonly kind: 'tell'; readonly task: string; readonly text: string }
  | { readonly kind: 'skip'; readonly task: string };

export interface Steered {
  readonly plan: string;
  readonly kind: Order['kind'];
  /** `noted`: for a run to see; `already`: nothing had to be done; `marked`: the plan's file says it now, not committed. */
  readonly how: 'noted' | 'already' | 'marked';
  /** A run goes on with the plan. */
  readonly runs: boolean;
  /** Its id. */
  readonly task?: string;
  /** An attempt of the task is under way. */
  readonly isUnderWay?: boolean;
  /** Of the pause: ISO 8601, UTC, and who asked for it. */
  readonly since?: string;
  readonly by?: string;
}
