/**
 * The configuration as values: front matter, `.skeleton.yml` and the user's file read into one type (contract, "Commands").
 * Durations are milliseconds, sizes bytes. A key that is absent was not set.
 */

export interface Config {
  /** Name of an agent; never together with `agentCommand`. */
  readonly agent?: string;
  /** Shell command that performs the agent's step. */
  readonly agentCommand?: string;
  /** 1 to 5. */
  readonly attempts?: number;
  readonly timeout?: number;
  readonly idleTimeout?: number;
  readonly maxTime?: number;
  readonly maxWait?: number;
  /** Most tasks of one run. */
  readonly limit?: number;
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

export interface SetupConfig {
  readonly run: string;
  /** Globs: where one of these differs, the setup runs again. */
  readonly files?: readonly string[];
}

export interface TaskConfig {
  /** Commands or names, beside the plan's gates. */
  readonly gate?: readonly string[];
  readonly mayChange?: readonly string[];
  readonly allowEmpty?: boolean;
  readonly agent?: string;
  readonly timeout?: number;
  readonly idleTimeout?: number;
  readonly attempts?: number;
}
