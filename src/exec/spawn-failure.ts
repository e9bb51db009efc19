import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** Why no process came to be. */
export interface SpawnFailure {
  readonly kind: 'not-found' | 'not-executable' | 'spawn-error';
  /** One line for people: what was to be started, what is wrong. */
  readonly message: string;
}

/** What was to be started. */
export interface SpawnAttempt {
  readonly file: string;
  readonly cwd: string;
}

/**
 * Says what spawn's error means. The system's ENOENT alone has three causes: no such program, no such working folder, no such
 * interpreter behind `#!`. A script without `#!` is not among the failures where the C library's execvp hands it to /bin/sh,
 * as glibc and macOS do and a shell would; where it does not (musl), it is `not-executable`.
 */
export function explainSpawnFailure(error: unknown, attempt: SpawnAttempt): SpawnFailure {
  const { file, cwd } = attempt;
  const folder = explainFolder(cwd);
  if (folder !== undefined) {
    return { kind: 'spawn-error', message: `${file} was not started: ${folder}.` };
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { kind: 'not-found', message: explainMissing(attempt) };
    case 'EACCES':
      return { kind: 'not-executable', message: `${file} may not be executed (chmod +x?).` };
    case 'ENOEXEC':
      return {
        kind: 'not-executable',
        message: `${file} is no program for this system and has no #! line.`,
      };
    case 'E2BIG':
      return {
        kind: 'spawn-error',
        message: `${file} was not started: its arguments and environment are longer than the system allows.`,
      };
    default:
      return { kind: 'spawn-error', message: `${file} was not started: ${describe(error)}.` };
  }
}

function explainFolder(cwd: string): string | undefined {
  try {
    if (!statSync(cwd).isDirectory()) return `its working folder ${cwd} is not a folder`;
    accessSync(cwd, constants.X_OK);
    return undefined;
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return `its working folder ${cwd} ${missing ? 'does not exist' : 'cannot be entered'}`;
  }
}

function explainMissing({ file, cwd }: SpawnAttempt): string {
  if (!file.includes('/')) return `${file} was not found in PATH.`;
  const firstLine = readFirstLine(resolve(cwd, file));
  if (firstLine === undefined) return `${file} does not exist.`;
  if (!firstLine.startsWith('#!')) {
    return `${file} exists, but the loader that it names does not (a program for another system?).`;
  }
  const hint = firstLine.endsWith('\r') ? ', because the line ends in CR LF' : '';
  return `${file} names an interpreter that was not found: ${firstLine.trimEnd()}${hint}.`;
}

function readFirstLine(path: string): string | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const bytes = Buffer.alloc(200);
      return bytes.toString('latin1', 0, readSync(file, bytes)).split('\n', 1)[0];
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
