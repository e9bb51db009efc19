import { execPath } from 'node:process';
import type { LookedAtFile } from './gate-folder.ts';

const shell = '/bin/sh';

/** Extensions that make a file a script without the right to execute it, and what runs it. */
const interpreters: Readonly<Record<string, string>> = {
  '.sh': shell,
  '.mjs': execPath,
  '.js': execPath,
};

/** `.sh` of `check.sh`; '' where there is none. */
function extensionOf(name: string): string {
  return /[^/](\.[^./]+)$/.exec(name)?.[1] ?? '';
}

export function isScript(name: string, look: LookedAtFile): boolean {
  return look.executable || extensionOf(name) in interpreters;
}

/**
 * The program that has to read a script; undefined where it starts by itself, or nothing can start it. As in a shell, an
 * executable text without `#!` is read by sh.
 */
export function interpreterOf(name: string, look: LookedAtFile): string | undefined {
  const startsItself =
    look.head.subarray(0, 2).toString('latin1') === '#!' || look.head.includes(0);
  if (look.executable && startsItself) return undefined;
  return interpreters[extensionOf(name)] ?? (look.executable ? shell : undefined);
}

/** A gate of nothing but blanks and comments judges nothing, and would pass everything. */
export function saysNothing(name: string, look: LookedAtFile): boolean {
  if (look.size > look.head.length) return false;
  const text = look.head.toString('utf8').replace(/^\uFEFF/, '');
  const lines = interpreters[extensionOf(name)] === execPath ? withoutComments(text) : text;
  return lines.split('\n').every((line) => /^\s*(?:#.*)?$/.test(line.replaceAll('\0', '')));
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}
