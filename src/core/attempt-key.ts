/** What decides an attempt's result, as far as it can be named: attempts with equal parts have the same key. */
export interface KeyParts {
  /** The task as the plan has it. */
  readonly task: string;
  /** With what differs from run to run taken out of it (`steady`). */
  readonly prompt: string;
  /** 1…5. */
  readonly attempt: number;
  readonly trees: KeyTrees;
  readonly agent: string;
  /** Undefined: the agent's default. */
  readonly model: string | undefined;
  /** What else changes how the agent works: its command, its permissions, what of the environment it gets. No limits of time. */
  readonly options: Readonly<Record<string, unknown>>;
}

export interface KeyTrees {
  /** Of the commit where the attempt begins. */
  readonly base: string;
  /** Of the rejected attempt whose files it begins with (`retry: continue`). */
  readonly continues?: string;
  /** What the last attempt had left for the gates: it stands for the numbers that `steady` takes out of what they said. */
  readonly last?: string;
}

/** The text whose SHA-256 is the key. The order of options does not count, nor those that are not set. */
export function keyText({ task, prompt, attempt, trees, agent, model, options }: KeyParts): string {
  const { base, continues = '', last = '' } = trees;
  const set = Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const who = [agent, model ?? null, set];
  return JSON.stringify(['skeleton attempt 1', task, prompt, attempt, base, continues, last, who]);
}

/** Texts that are another in each run, or on each machine. */
export interface Unsteady {
  /** The work tree, our own folder, the run's id. */
  readonly here: readonly string[];
  /** The folder for temporary files, where it is none of the usual ones. */
  readonly temporary: string | undefined;
}

const temporary = /\/(?:private\/)?(?:tmp|var\/tmp|var\/folders|dev\/shm)\/[^\s'"`:;,)\]}]+/g;
/** Ids and addresses; a word without a digit is none. */
const hex = /\b(?:0x)?(?=[a-f]*\d)[\da-f]{7,}\b/gi;

/**
 * What a gate printed, without what differs each time although the tree is the same: our folders, temporary paths, ids and all
 * numbers: times, dates, durations, process ids.
 */
export function steady(text: string, { here, temporary: own = '' }: Unsteady): string {
  const longestFirst = here.filter((one) => one !== '').sort((a, b) => b.length - a.length);
  const placed = longestFirst.reduce((left, one) => left.replaceAll(one, '.'), text);
  const named = own.length > 1 ? placed.replaceAll(own, '/tmp') : placed;
  return named
    .replace(temporary, '#')
    .replace(hex, '#')
    .replace(/\d+(?:[.,:]\d+)*/g, '#');
}
