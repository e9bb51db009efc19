#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import { isatty } from 'node:tty';
import { detectCiHost } from '../src/core/ci-host.ts';
import { ledgerSecrets } from '../src/core/ledger-place.ts';
import { maskFields } from '../src/core/mask-texts.ts';
import { openMask, type Mask, type Secret } from '../src/core/mask.ts';
import { secretsIn } from '../src/core/secrets.ts';
import { harmless, harmlessJson } from '../src/report/ci/harmless.ts';
import { jsonLine } from '../src/report/json.ts';
import { ask } from './ask.ts';
import { explainError } from './explain-error.ts';
import type { Io, Sink } from './io.ts';
import { runProgram } from './program.ts';

/** Exit statuses of the signals that end a command (contract, "Exit status"). */
const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type Signal = keyof typeof signals;

/** A pipe whose reader has gone and a terminal that has gone: nobody is left to tell. */
const nobodyReads: ReadonlySet<unknown> = new Set(['EPIPE', 'EIO']);

const version = readVersion();
/** Whatever a command prints, it prints no secret of our own environment, and none that was typed. */
let mask = maskOf(process.env);
/** And no command to the CI service that reads it, but by `raw`. */
const host = detectCiHost(process.env);
// Asked before a hang-up, after which the answer would be no.
const terminals = [0, 1, 2].filter((fd) => isatty(fd));
const stop = new AbortController();
let windsDown = false;
let lostOutput = false;
/** Milliseconds from the first signal to the end, whatever still goes on then: less than the 10 s that are promised. */
const longestWindDown = 9500;

for (const signal of Object.keys(signals) as Signal[]) process.on(signal, () => onSignal(signal));
process.on('uncaughtException', die);
process.on('exit', endAsHungUp);
process.exitCode = await main();

async function main(): Promise<number> {
  const err = sinkOf(process.stderr, 2);
  const io: Io = {
    cwd: process.cwd(),
    env: process.env,
    argv: process.argv.slice(2),
    out: sinkOf(process.stdout, 1),
    err,
    ask,
    conceal: (env) => {
      mask = maskOf(env);
    },
    windDown: () => {
      windsDown = true;
      return stop.signal;
    },
  };
  try {
    const status = await runProgram(io, version);
    // A result that could not be written is no success.
    return status === 0 && lostOutput ? 4 : status;
  } catch (error) {
    const { status, text } = explainError(error, version, stop.signal);
    err.write(text);
    return status;
  }
}

/** The first signal lets a command wind down that has to; the second ends it at once. */
function onSignal(signal: Signal): void {
  // Under nohup or cron there is no terminal that could hang up: the signal is meant for others.
  if (signal === 'SIGHUP' && terminals.length === 0) return;
  const status = signals[signal];
  if (!windsDown) process.exit(status);
  if (stop.signal.aborted) endAtOnce('ended at once', status);
  setTimeout(endAtOnce, longestWindDown, 'could not wind down in time, and ended', status).unref();
  stop.abort(status);
}

function endAtOnce(words: string, status: number): never {
  process.stderr.write(`\nskeleton: ${words}; the next skeleton run tidies up\n`);
  process.exit(status);
}

/**
 * With its terminal gone Node aborts at its very end, because it cannot give that terminal its settings back (node::ResetStdio):
 * the signal itself, which shells report as 129 too, ends it without that.
 */
function endAsHungUp(status: number): void {
  if (status !== signals.SIGHUP || terminals.every((fd) => isatty(fd))) return;
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}

function sinkOf(stream: NodeJS.WriteStream, fd: number): Sink {
  let isRead = true;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    isRead &&= !nobodyReads.has(error.code);
    if (stream === process.stdout && !nobodyReads.has(error.code)) loseOutput(error);
  });
  return {
    write: (text) => {
      if (text === '') return;
      stream.write(stream === process.stdout ? result(text) : harmless(masked(text), host));
    },
    raw: (text) => void stream.write(masked(text)),
    isTerminal: isatty(fd),
    hasReader: () => isRead,
  };
}

function maskOf(env: Io['env']): Mask {
  return openMask([...secretsIn(env), ...process.argv.flatMap(typedSecrets)]);
}

function typedSecrets(word: string): readonly Secret[] {
  return ledgerSecrets(word.replace(/^--[\w-]+=/, ''));
}

/** Of a crash too: what cannot be masked is not printed. */
function masked(text: string): string {
  try {
    return mask.text(text);
  } catch {
    return 'skeleton: a message is left out, as its secrets could not be masked\n';
  }
}

/** With `--json` each line is an object of ours: its strings are masked, not the line, which would be JSON no more. */
function result(text: string): string {
  const isJson = process.argv.includes('--json') && text.startsWith('{');
  return isJson ? harmlessJson(maskedJson(text), host) : harmless(masked(text), host);
}

function maskedJson(text: string): string {
  if (masked(text) === text) return text;
  try {
    return `${jsonLine(maskFields(JSON.parse(text) as object, mask))}\n`;
  } catch {
    return masked(text);
  }
}

function loseOutput(error: Error): void {
  if (!lostOutput)
    process.stderr.write(`skeleton: standard output cannot be written: ${error.message}\n`);
  lostOutput = true;
  if (process.exitCode === 0) process.exitCode = 4;
}

/** Nothing can be relied on any more: the next run recovers. */
function die(error: unknown): void {
  const { status, text } = explainError(error, version);
  process.stderr.write(masked(text), () => process.exit(status));
}

/** package.json lies one folder above the sources, two above the build. */
function readVersion(): string {
  const places = ['../package.json', '../../package.json'].map(
    (path) => new URL(path, import.meta.url),
  );
  const place = places.find((url) => existsSync(url));
  if (place === undefined) throw new Error('package.json is missing beside the program');
  const { version } = JSON.parse(readFileSync(place, 'utf8')) as { readonly version: string };
  return version;
}
