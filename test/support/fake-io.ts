import type { Io, Sink } from '../../cli/io.ts';

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
    out: sink(out, isTerminal),
    err: sink(err, isTerminal),
    ask: () => Promise.resolve(answer),
    conceal: () => undefined,
    windDown: () => new AbortController().signal,
    stdout: () => out.join(''),
    stderr: () => err.join(''),
  };
}

function sink(written: string[], isTerminal: boolean): Sink {
  const write = (text: string): void => void written.push(text);
  return { write, raw: write, isTerminal, hasReader: () => true };
}
