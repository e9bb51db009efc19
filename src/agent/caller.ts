import type { StepCommand } from '../exec/run-step.ts';
import type { Reports } from '../ports.ts';
import type { Reader } from './reading.ts';

/** How one agent is called and read. What differs between agents, and nothing else. */
export interface Caller {
  /** As trailers and reports name it. */
  readonly name: string;
  readonly reports: Reports;
  /** What makes it another agent under the same name: its command, its endpoint. */
  readonly identity?: string;
  /** Undefined: its output is only kept, and its exit status is all that counts. */
  readonly reader?: Reader;
  /** What begins with a sign such as `/` it takes for a command of its own (`plainStart`). */
  readonly takesCommands?: true;
  /** How to sign in, in one line. */
  readonly signIn?: string;
  /** Throws Refusal(2 or 3) where it cannot be called. */
  readonly assertReady: () => Promise<void>;
  readonly call: (call: Call) => CalledStep;
}

export interface Call {
  readonly model: string | undefined;
  readonly session: string | undefined;
  /** It is to look and to answer, and to change nothing, as far as its client can be told that. */
  readonly isToRead?: true;
  /** Absolute. */
  readonly promptFile: string;
}

export interface CalledStep {
  readonly command: StepCommand;
  /** Added where the user has not set them. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: 'prompt' | 'nothing';
}
