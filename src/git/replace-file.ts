import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { inTheWayOf } from './new-files.ts';

/**
 * Puts a text in the place of a regular file of the work tree, with its mode: a reader sees the old bytes or the new ones, whenever
 * we are killed. False, and nothing is touched, where what lies there is no longer `before`.
 */
export function replaceFile(
  top: string,
  path: string,
  { before, text }: { readonly before: Uint8Array; readonly text: string },
): boolean {
  if (inTheWayOf(top, path) !== 'there already') return false;
  const target = join(top, path);
  const mode = lstatSync(target).mode & 0o7777;
  const beside = join(dirname(target), `.skeleton-${randomUUID()}`);
  try {
    fill(beside, text, mode);
    if (!readFileSync(target).equals(before)) return false;
    renameSync(beside, target);
    return true;
  } finally {
    rmSync(beside, { force: true });
  }
}

function fill(path: string, text: string, mode: number): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(file, text);
    fchmodSync(file, mode);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
