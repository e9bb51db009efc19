import type { Io } from '../../cli/io.ts';

export interface FakeIo extends Io {
  readonly stdout: () => string;
  readonly stderr: () => string;
}

export interface FakeProcess {
  readonly argv?: readonly string[];
  readonly env?: Io['env'];
  readonly isTerminal?: boolean;
  readonly cwd?: string;
  /** To every question; without it, there is nobody to ask. */
  readonly answer?: string;
}

/** A process for commands under test: what they write is kept, no signal ever comes. */
export function fakeIo(process: FakeProcess = {}): FakeIo {
  const { argv = [], env = {}, isTerminal = false, cwd = '/', answer } = process;
  const out: string[] = [];
  const err: string[] = [];
  return {
    cwd,
    env,
    argv,
    out: { write: (text) => void out.push(text), isTerminal },
    err: { write: (text) => void err.push(text), isTerminal },
    ask: () => Promise.resolve(answer),
    windDown: () => new AbortController().signal,
    stdout: () => out.join(''),
    stderr: () => err.join(''),
  };
}
