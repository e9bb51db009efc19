import { dirname } from 'node:path';
import { closed, full, worn } from '../src/core/machine-conditions.ts';
import { oneLine, visible } from '../src/core/text.ts';
import type { Refusal } from '../src/index.ts';

export interface Explanation {
  readonly status: number;
  /** For standard error; '' where everything was said already. */
  readonly text: string;
}

/**
 * What an error that reached the top means for the exit status, and what a person should read (contract, "Exit status").
 * Errors are told apart by name, not by class, so that `--help` does not load the classes.
 */
export function explainError(error: unknown, version: string, stop?: AbortSignal): Explanation {
  if (!(error instanceof Error)) return bug(String(error), version);
  if (isUsage(error)) return { status: error.exitCode === 0 ? 0 : 2, text: '' };
  if (isRefusal(error)) return { status: error.status, text: refusalText(error) };
  if (error.name === 'Interrupted' && typeof stop?.reason === 'number')
    return { status: stop.reason, text: interruptedText(error) };
  return conditionOf(error) ?? bug(error.stack ?? error.message, version);
}

/** What git was doing at that moment is of no use to a person. */
function interruptedText(error: Error): string {
  const isBegun = 'isBegun' in error && error.isBegun === true;
  const stands = isBegun ? 'the next skeleton run goes on from here' : 'nothing was touched';
  return `skeleton: interrupted; ${stands}\n`;
}

function conditionOf(error: Error): Explanation | undefined {
  if (!('code' in error)) return undefined;
  if (full.has(error.code)) return noRoom(error);
  if (worn.has(error.code)) return wornOut(error);
  return closed.has(error.code) ? shutOut(error) : undefined;
}

function wornOut(error: Error): Explanation {
  const message = `the machine does not take more: ${error.message}`;
  const mend = 'ulimit -a; dmesg | tail\nmend that; then the same command again';
  return { status: 4, text: refusalText({ message, mend }) };
}

function noRoom(error: Error): Explanation {
  const place = pathOf(error);
  const where = place === undefined ? 'a device' : `the device of ${place}`;
  const look = place === undefined ? 'df -h' : `df -h ${quoted(dirname(place))}`;
  const message = `no space left on ${where}: ${error.message}`;
  const mend = `${look}\nfree space there; then the same command again, which goes on from here`;
  return { status: 4, text: refusalText({ message, mend }) };
}

function pathOf(error: Error): string | undefined {
  return 'path' in error && typeof error.path === 'string' ? error.path : undefined;
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

function shutOut(error: Error): Explanation {
  const mend = [
    `namei -l ${quoted(pathOf(error) ?? 'PATH')}`,
    'chmod u+rwX what is closed there; then the same command again',
  ];
  return {
    status: 4,
    text: refusalText({
      message: `not allowed by the file system: ${error.message}`,
      mend: mend.join('\n'),
    }),
  };
}

function isUsage(error: Error): error is Error & { readonly exitCode: number } {
  return 'exitCode' in error && 'code' in error && String(error.code).startsWith('commander.');
}

function isRefusal(error: Error): error is Refusal {
  return error.name === 'Refusal' && 'status' in error && 'mend' in error;
}

function refusalText({ message, mend }: Pick<Refusal, 'message' | 'mend'>): string {
  const lines = mend.split('\n').filter((line) => line.trim() !== '');
  const help =
    lines.length === 0
      ? ''
      : `to mend it:\n${lines.map((line) => `    ${oneLine(line)}\n`).join('')}`;
  return `skeleton: ${visible(message)}\n${help}`;
}

function bug(what: string, version: string): Explanation {
  const system = `skeleton ${version}, node ${process.version}, ${process.platform} ${process.arch}`;
  const text = `${what}\n\nThis is a bug in skeleton: please report it with this text (${system}).\nIf it was a run, skeleton status says where it stands; what it had kept is under refs/skeleton/.\n`;
  return { status: 70, text };
}
