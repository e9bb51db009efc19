import type { KeyTrees } from '../core/attempt-key.ts';
import type { GateResult, StageOf } from '../core/events.ts';
import type { Failure } from '../core/failure.ts';
import type { Plan, Task } from '../core/plan/plan.ts';
import type { Severity } from '../core/stages/severity.ts';
import type { Finding } from '../core/stages/verdict.ts';
import type { Repeats } from '../core/stagnation.ts';
import type { Usage } from '../core/usage.ts';
import type { Refusal } from './refusal.ts';

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
  /** SKELETON_SLOT; undefined: 0. */
  readonly slot?: number | undefined;
  readonly token: string;
  /** Undefined: the agent's own default. */
  readonly model?: string | undefined;
  /** A session of the agent's own to go on with (`AgentSaid.session`), where the last attempt's files were put back. */
  readonly session?: string | undefined;
  /** What the session's earlier steps took; `unknown` where one of them did not report all. */
  readonly sessionUsage?: Usage | 'unknown' | undefined;
  /** Whether the last attempt's files lie in the work tree (`retry: continue`). */
  readonly continues?: boolean | undefined;
  /** Which stage of its task it is; undefined: the task has none. */
  readonly stage?: StageJob | undefined;
  /** Gates that will judge, by name. */
  readonly gates: readonly string[];
  /** Those that judge the task after its last stage; absent at that one, and without stages. */
  readonly gatesAtEnd?: readonly string[];
  readonly protect: readonly string[];
  /** Why the last attempt did not pass; undefined at the first. */
  readonly feedback: Feedback | undefined;
  /** What people told it of the task while runs went, oldest first; absent for nothing. */
  readonly notes?: readonly string[];
  /** Absolute folder for prompt.md and agent.log. */
  readonly logFolder: string;
  readonly signal: AbortSignal;
  /** Asked with what the step has taken so far, as its agent reports it: false ends the step. */
  readonly mayGoOn?: ((usage: Usage) => boolean) | undefined;
}

export interface StageJob extends StageOf {
  /** Path of its prompt's template, relative to the top; undefined: the shipped one of its name. */
  readonly prompt: string | undefined;
  /** A verdict stage: what it is to judge. */
  readonly review?: ReviewJob | undefined;
}

export interface ReviewJob {
  /** From where the task began to the work, as a patch. */
  readonly diff: string;
  /** Findings as grave as this, or graver, reject. */
  readonly block: Severity;
  /** What it found the last time. */
  readonly last: readonly Finding[];
  /** What was wrong with its answer a moment ago. */
  readonly problems: readonly string[];
}

export interface Feedback {
  readonly failure: Failure;
  readonly gates: readonly GateResult[];
  /** What was noticed of the attempt: what was put back, ignored files that it made. */
  readonly notices: readonly string[];
  /** Attempts have ended alike. */
  readonly repeats?: Repeats | undefined;
  /** Of a review. */
  readonly findings?: readonly Finding[] | undefined;
}

/** What is known of a step, however it ended. What the agent does not report is absent. */
export interface AgentSaid {
  readonly seconds: number;
  readonly log: string;
  readonly usage?: Usage;
  /** The agent's own name of the conversation. */
  readonly session?: string;
  /** The end of what it answered; only where a review is asked for. */
  readonly text?: string;
}

/** How the agent's step ended. Anything but `finished` is a failed or void attempt. */
export type AgentEnd = AgentSaid &
  (
    | { readonly kind: 'finished'; readonly ended: string }
    | {
        readonly kind: 'failed';
        readonly ended: string;
        readonly exit: number | null;
        readonly failure: Failure;
      }
    | {
        /** The provider turned it away for now: the attempt costs nothing, and another begins once the time has passed. */
        readonly kind: 'throttled';
        readonly ended: string;
        readonly exit: number | null;
        /** ISO 8601, UTC; absent where the provider does not say it. */
        readonly until?: string;
        /** `overload`: or it cannot be reached. */
        readonly why?: 'limit' | 'overload';
      }
    | {
        /** Signed out, account disabled, unknown model: a person has to mend it. */
        readonly kind: 'signed-out';
        readonly ended: string;
        readonly exit: number | null;
        /** What to do about it, in one line. */
        readonly mend: string;
      }
    | {
        /** Ended because `mayGoOn` said so. */
        readonly kind: 'cut';
        readonly ended: string;
        readonly exit: number | null;
      }
    | { readonly kind: 'interrupted' }
  );

/** What an agent tells of itself, for budgets. */
export interface Reports {
  readonly tokens: boolean;
  readonly usd: boolean;
}

/** What is known of an agent that can be called by its name. */
export interface AgentFacts {
  readonly name: string;
  /** Names of its program, the best first. */
  readonly programs: readonly string[];
  /** Absolute; undefined: it is not installed. */
  readonly path?: string;
  /** Undefined: it did not tell in time. */
  readonly version?: string;
  /** As far as that can be told without the network. */
  readonly signedIn?: 'yes' | 'no' | 'unknown';
  /** How to sign in, in one line. */
  readonly signIn: string;
  readonly reports: Reports;
  /** Its permission flags, and what they let it do. */
  readonly flags: readonly string[];
  readonly meaning: string;
  /** The version with which real runs were made, offline. */
  readonly ranVersion?: string;
  /** The documentation that all is known from, where it was never run. */
  readonly read?: string;
}

/** The agents of a machine. */
export interface AgentsHere {
  readonly known: readonly AgentFacts[];
  readonly chosen: Chosen;
}

/** Who would work, or why nobody would. Of an endpoint and a command it is also known whether they answer. */
export type Chosen = { readonly name: string } | { readonly refusal: Refusal };

export interface Agent {
  /** As trailers and reports name it. */
  readonly name: string;
  readonly reports: Reports;
  /** Throws Refusal(3) when it cannot be started at all, or is signed out. */
  assertReady(): Promise<void>;
  /** The prompt's text, as `run` would send it (for --dry-run and tests). */
  prompt(job: AgentJob): Promise<string>;
  /** `sha256:HEX` of all that decides what it does: an attempt with the same key can stand for this one (`--replay`). */
  key(job: AgentJob, trees: KeyTrees): Promise<string>;
  run(job: AgentJob): Promise<AgentEnd>;
}

/** Who works on a plan's tasks. */
export interface Agents {
  /** The one that works where a task names none, as the run's first line names it. */
  readonly name: string;
  /** Who may work on a task: the preferred one first, then its fallbacks; at least one. Throws Refusal(2) for an unknown name. */
  of(task: Task): readonly Agent[];
}
