import type { GateResult } from '../core/events.ts';
import type { Failure } from '../core/failure.ts';
import type { Plan, Task } from '../core/plan/plan.ts';

export interface AgentJob {
  readonly plan: Plan;
  readonly task: Task;
  readonly attempt: {
    readonly number: number;
    readonly attempt: number;
    readonly attempts: number;
  };
  readonly run: string;
  readonly base: string;
  readonly token: string;
  /** Gates that will judge, by name. */
  readonly gates: readonly string[];
  readonly protect: readonly string[];
  /** Why the last attempt did not pass; undefined at the first. */
  readonly feedback: Feedback | undefined;
  /** Absolute folder for prompt.md and agent.log. */
  readonly logFolder: string;
  readonly signal: AbortSignal;
}

export interface Feedback {
  readonly failure: Failure;
  readonly gates: readonly GateResult[];
  /** What was noticed of the attempt: what was put back, ignored files that it made. */
  readonly notices: readonly string[];
}

/** How the agent's step ended. Anything but `finished` is a failed or void attempt. */
export type AgentEnd =
  | {
      readonly kind: 'finished';
      readonly seconds: number;
      readonly ended: string;
      readonly log: string;
    }
  | {
      readonly kind: 'failed';
      readonly seconds: number;
      readonly ended: string;
      readonly exit: number | null;
      readonly failure: Failure;
      readonly log: string;
    }
  | {
      /** The provider turned it away for now: the attempt costs nothing, and another begins once the time has passed. */
      readonly kind: 'throttled';
      readonly seconds: number;
      readonly ended: string;
      readonly exit: number | null;
      /** ISO 8601, UTC. */
      readonly until: string;
      readonly log: string;
    }
  | { readonly kind: 'interrupted'; readonly seconds: number; readonly log: string };

export interface Agent {
  /** As trailers and reports name it. */
  readonly name: string;
  /** Throws Refusal(3) when it cannot be started at all. */
  assertReady(): Promise<void>;
  /** The prompt's text, as `run` would send it (for --dry-run and tests). */
  prompt(job: AgentJob): Promise<string>;
  run(job: AgentJob): Promise<AgentEnd>;
}
