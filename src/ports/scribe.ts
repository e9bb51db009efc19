import type { Usage } from '../core/usage.ts';
import type { AgentEnd, Reports } from './agent.ts';

/** One answer that is asked for. */
export interface ScribeJob {
  readonly prompt: string;
  /** Absolute; where the agent runs. A file `PLAN.md` that it leaves there is its answer. */
  readonly folder: string;
  /** Absolute; for prompt.md and agent.log. */
  readonly logFolder: string;
  /** For SKELETON_RUN_ID and SKELETON_PLAN. */
  readonly run: string;
  readonly plan: string;
  readonly token: string;
  readonly signal: AbortSignal;
  readonly mayGoOn?: ((usage: Usage) => boolean) | undefined;
}

export interface Written {
  readonly end: AgentEnd;
  /** '' where it gave none. */
  readonly text: string;
  /** It was too long to be kept whole. */
  readonly isCut: boolean;
}

/** The configured agent, asked for a text: outside of the repository, and without the flags that let it do anything. */
export interface Scribe {
  readonly name: string;
  readonly reports: Reports;
  /** Throws Refusal(2 or 3) as `Agent`. */
  assertReady(): Promise<void>;
  write(job: ScribeJob): Promise<Written>;
}
