import type { Config } from './config.ts';
import type { BudgetConfig, EnvConfig, StageConfig } from './config/config.ts';

/** The settings of a run, after flags, front matter and files were merged. Times in ms, sizes in bytes. */
export interface Settings {
  readonly attempts: number;
  readonly model: string | undefined;
  readonly models: readonly string[] | undefined;
  readonly retry: 'fresh' | 'continue';
  /** So many attempts that end alike, one after the other, are the last. */
  readonly stagnation: number;
  readonly budget: BudgetConfig | undefined;
  readonly replay: boolean;
  readonly timeout: number;
  readonly maxTime: number;
  /** Summed over the waits of a run. */
  readonly maxWait: number;
  /** Tasks that are worked on at once. */
  readonly jobs: number;
  readonly limit: number;
  readonly judged: boolean;
  readonly keepGoing: boolean;
  readonly failFast: boolean;
  /** Uncommitted work is set aside while the run goes. */
  readonly autostash: boolean;
  /** The machine does not go to sleep while the run goes. */
  readonly keepAwake: boolean;
  readonly baseline: 'run' | 'require' | 'skip';
  readonly protect: readonly string[];
  readonly protectNew: boolean;
  readonly maxFile: number;
  readonly keepCommits: boolean;
  readonly env: EnvConfig | undefined;
  /** Template of the checkpoint's subject. */
  readonly commit: string | undefined;
  /** The steps of each task that names none itself. */
  readonly stages: readonly StageConfig[] | undefined;
}

const MINUTE = 60_000;
export const mostAttempts = 5;
export const defaultTimeout: number = 30 * MINUTE;
export const defaultGateTimeout: number = 15 * MINUTE;
const defaultMaxTime = 8 * 60 * MINUTE;
const defaultMaxWait = 6 * 60 * MINUTE;
const defaultMaxFile = 50 * 2 ** 20;

/** What holds where nobody said anything (contract, "Commands", "Gates"). */
const defaults: Settings = {
  attempts: mostAttempts,
  model: undefined,
  models: undefined,
  retry: 'fresh',
  stagnation: 3,
  budget: undefined,
  replay: false,
  timeout: defaultTimeout,
  maxTime: defaultMaxTime,
  maxWait: defaultMaxWait,
  jobs: 1,
  limit: Infinity,
  judged: true,
  keepGoing: false,
  failFast: false,
  autostash: false,
  keepAwake: true,
  baseline: 'run',
  protect: [],
  protectNew: true,
  maxFile: defaultMaxFile,
  keepCommits: false,
  env: undefined,
  commit: undefined,
  stages: undefined,
};

export function settingsOf(config: Config): Settings {
  const { noGates = false, ...said } = config;
  return { ...defaults, ...said, judged: !noGates };
}
