import type { NotifyWord } from '../notify-words.ts';
import type { Severity } from '../stages/severity.ts';

/**
 * The configuration as values: front matter, `.skeleton.yml` and the user's file read into one type (contract, "Commands").
 * Durations are milliseconds, sizes bytes. A key that is absent was not set.
 */

export interface Config {
  /** Name of an agent; `agent`, `agentCommand` and `agentApi` exclude each other. */
  readonly agent?: string;
  /** Shell command that performs the agent's step. */
  readonly agentCommand?: string;
  /** An endpoint that the built-in agent talks to. */
  readonly agentApi?: ApiConfig;
  readonly model?: string;
  /** Attempt N uses entry N, the last one for the rest. */
  readonly models?: readonly string[];
  /** Names of agents that go on while the ones before them are limited. */
  readonly fallback?: readonly string[];
  /** `bypass` unless given; of agents by name only. */
  readonly permissions?: 'bypass' | 'configured';
  readonly retry?: 'fresh' | 'continue';
  /** 2 to 5. */
  readonly stagnation?: number;
  readonly budget?: BudgetConfig;
  readonly env?: EnvConfig;
  /** Agents may push: they keep the SSH agent, and the remotes their push addresses. */
  readonly push?: boolean;
  readonly replay?: boolean;
  /** 1 to 5. */
  readonly attempts?: number;
  readonly timeout?: number;
  readonly idleTimeout?: number;
  readonly maxTime?: number;
  readonly maxWait?: number;
  /** Most tasks of one run. */
  readonly limit?: number;
  readonly jobs?: number;
  /** What git ignores and each worktree of `jobs` gets all the same. */
  readonly share?: readonly ShareConfig[];
  readonly keepGoing?: boolean;
  readonly failFast?: boolean;
  readonly autostash?: boolean;
  readonly branch?: string;
  readonly isolate?: boolean;
  readonly keepAwake?: boolean;
  readonly noGates?: boolean;
  readonly gates?: readonly (string | GateConfig)[];
  readonly gateTimeout?: number;
  readonly baseline?: 'run' | 'require' | 'skip';
  readonly tasks?: 'heading-2' | 'heading-3' | 'heading-4' | 'boxes';
  readonly protect?: readonly string[];
  readonly protectNew?: boolean;
  readonly tests?: readonly string[];
  readonly setup?: SetupConfig;
  readonly maxFile?: number;
  readonly maxLog?: number;
  readonly keepCommits?: boolean;
  /** Template of a checkpoint's subject. */
  readonly commit?: string;
  /** Path of the prompt's template, relative to the top of the repository. */
  readonly prompt?: string;
  /** Of the user's own file only: where the ledger is, maybe with a password. */
  readonly ledger?: string;
  /** Of the user's own file and of flags only: the git remote that several machines share. */
  readonly remote?: string;
  /** Rejected attempts too go to the shared remote. */
  readonly pushAttempts?: boolean;
  /** The steps of each task, in order; absent: one step. */
  readonly stages?: readonly StageConfig[];
  /** Who is told of the run; empty: nobody. */
  readonly notify?: readonly NotifyConfig[];
  /** Commands that follow a run which ended with 0. */
  readonly onSuccess?: readonly string[];
  /** Commands that follow a run which ended with 1 or 4. */
  readonly onFailure?: readonly string[];
}

/** One step of a task; given as a string, it is a name. */
export interface StageConfig {
  readonly name: string;
  /** Where it stands in its file. */
  readonly line?: number;
  /** Path of its prompt's template, relative to the top of the repository. */
  readonly prompt?: string;
  readonly agent?: string;
  readonly model?: string;
  /** 1 to 5. */
  readonly attempts?: number;
  readonly gates?: readonly (string | GateConfig)[];
  readonly verdict?: boolean;
  readonly block?: Severity;
  /** 1 to 5. */
  readonly rounds?: number;
}

/** A gate given as a map; given as a string, it is a command or the name of a gate. At least one of `name` and `run` is there. */
export interface GateConfig {
  readonly name?: string;
  readonly run?: string;
  readonly timeout?: number;
  readonly only?: readonly string[];
  readonly soft?: boolean;
  readonly fix?: boolean;
  /** 0 to 10. */
  readonly retries?: number;
}

export interface ApiConfig {
  /** Base address: `http://127.0.0.1:11434/v1`. */
  readonly api: string;
  readonly model?: string;
  readonly protocol?: 'openai' | 'anthropic';
  /** Variable that holds the key. */
  readonly keyEnv?: string;
  /** Most answers of the model in one attempt. */
  readonly turns?: number;
  /** Most tokens of one attempt. */
  readonly tokens?: number;
}

export interface BudgetConfig {
  readonly usd?: number;
  /** Read and written. */
  readonly tokens?: number;
  readonly per?: 'attempt' | 'task' | 'run';
  /** What becomes of the attempt that reaches it. */
  readonly reached?: 'finish' | 'cut';
}

/** Names of environment variables, `*` for any part of one. */
export interface EnvConfig {
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[];
  /** Values of these reject no file, whatever they look like. */
  readonly notSecret?: readonly string[];
  /** The user's own `allow`, which holds beside the plan's; never written in a file. */
  readonly within?: readonly string[];
}

/** Exactly one of `command` and `webhook` is there. */
export interface NotifyConfig {
  readonly command?: string;
  /** An address, or `$NAME` for the variable that holds one. */
  readonly webhook?: string;
  readonly on?: readonly NotifyWord[];
}

export interface SetupConfig {
  readonly run: string;
  /** Globs: where one of these differs, the setup runs again. */
  readonly files?: readonly string[];
}

export interface ShareConfig {
  /** Relative to the top of the repository. */
  readonly path: string;
  /** `copy` unless given. */
  readonly how?: 'copy' | 'symlink';
}

export interface TaskConfig {
  /** Commands or names, beside the plan's gates. */
  readonly gate?: readonly string[];
  readonly mayChange?: readonly string[];
  readonly allowEmpty?: boolean;
  readonly agent?: string;
  readonly model?: string;
  readonly timeout?: number;
  readonly idleTimeout?: number;
  readonly attempts?: number;
  /** Names of stages. */
  readonly stages?: readonly StageConfig[];
}
