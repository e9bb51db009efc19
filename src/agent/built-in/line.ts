/** What the built-in agent prints, one JSON object a line; the last is `result` or `error`. */
export type BuiltInLine =
  | { readonly type: 'start'; readonly api: string; readonly model: string }
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool';
      readonly name: string;
      readonly input: unknown;
      readonly output: string;
    }
  | { readonly type: 'usage'; readonly tokens: Tokens }
  | {
      readonly type: 'result';
      readonly text: string;
      /** Why the model stopped: `stop`, or a limit of ours (`turns`, `tokens`), `length`, `content-filter`… */
      readonly finish: string;
      readonly turns: number;
      readonly tokens: Tokens;
    }
  | {
      readonly type: 'error';
      readonly kind: ErrorKind;
      readonly detail: string;
      /** HTTP status, where there was an answer. */
      readonly status?: number;
      /** Milliseconds until the endpoint wants to be asked again. */
      readonly afterMs?: number;
      readonly tokens: Tokens;
    };

export type ErrorKind =
  | 'throttled'
  | 'overloaded'
  | 'signed-out'
  | 'account'
  | 'unknown-model'
  | 'context-overflow'
  | 'error';

/** As the endpoint reports them, summed over the attempt; null where it reported none: nothing is guessed. */
export interface Tokens {
  readonly input: number | null;
  readonly output: number | null;
  /** One of the answers reported none, or broke off: the sums are least ones. */
  readonly atLeast?: true;
}
