import type { GateConfig } from '../core/config.ts';
import type { GateResult, Verdict } from '../core/events.ts';
import type { Plan, Task } from '../core/plan/plan.ts';
import type { ChangedPath } from './workspace.ts';

export interface Gate {
  readonly name: string;
  /** What is run, as the proof says it: a shell command, or the script's path. */
  readonly command: string;
  /** Path of the script in the work tree; undefined for a plain command and for shipped gates. */
  readonly script?: string;
  readonly timeout: number;
  readonly only: readonly string[];
  readonly soft: boolean;
  readonly fix: boolean;
  readonly retries: number;
}

export interface GateJob {
  readonly gates: readonly Gate[];
  readonly tree: string;
  readonly changed: readonly ChangedPath[];
  readonly run: string;
  readonly plan: string;
  readonly task: { readonly id: string; readonly title: string } | undefined;
  readonly attempt:
    { readonly attempt: number; readonly attempts: number; readonly base: string } | undefined;
  /** SKELETON_SLOT; undefined: 0. */
  readonly slot?: number | undefined;
  /** SKELETON_STAGE. */
  readonly stage?: string | undefined;
  readonly token: string;
  readonly logFolder: string;
  readonly failFast: boolean;
  readonly signal: AbortSignal;
  readonly onResult: (result: GateResult) => Promise<void>;
  readonly onStart: (gate: string) => void;
}

export interface GateRun {
  readonly results: readonly GateResult[];
  /** pass: none rejects and at least one that is not soft passed. ungated: nothing rejected, nothing passed. */
  readonly verdict: Verdict | 'ungated' | 'interrupted';
}

export interface Gates {
  /** The gates that judge this task (the plan's and its own), in order. Throws Refusal(2) for no gate or an empty gate file. */
  find(
    plan: Plan,
    task: Task | undefined,
    /** In place of all others; may be none. */
    only?: readonly (string | GateConfig)[],
  ): Promise<readonly Gate[]>;
  /** Digest of the gates' commands, settings and bytes: what a verdict is valid for. `sha256:HEX`. */
  hash(gates: readonly Gate[]): Promise<string>;
  /** Runs them in order, checked against `hash` right before each is used; throws nothing for a rejection. */
  run(job: GateJob): Promise<GateRun>;
}
