/** A stream that a command writes to. What cannot be written any more (a closed pipe) is dropped. */
export interface Sink {
  /** Whole lines; in a CI job none of them is a command to the service (src/report/ci/harmless.ts). */
  readonly write: (text: string) => void;
  /** The same for the commands that we mean. */
  readonly raw: (text: string) => void;
  readonly isTerminal: boolean;
  /** False once a line could not be written because nobody reads any more: only writing tells. */
  readonly hasReader: () => boolean;
}

/** Everything of the process that a command may use, so that a test can be its own process. */
export interface Io {
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The arguments as they were typed, without node and script. */
  readonly argv: readonly string[];
  /** For the result only. */
  readonly out: Sink;
  /** Progress and diagnostics. */
  readonly err: Sink;
  /** For a command that has to wind down: from this call on, the first signal aborts this, and only the second ends the process. */
  readonly windDown: () => AbortSignal;
  /** From now on nothing that is printed holds a secret of this environment. */
  readonly conceal: (env: Io['env']) => void;
  /** What a person answers; undefined where there is no terminal to ask at. */
  readonly ask: (question: string) => Promise<string | undefined>;
}

/** Text as lines on a stream. */
export function print(sink: Sink, text: string): void {
  sink.write(`${text}\n`);
}
