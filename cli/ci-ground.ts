import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { GateResult } from '../src/core/events.ts';
import type { Finding } from '../src/core/findings/finding.ts';
import { findingsIn } from '../src/core/findings/findings-in.ts';
import type { Located } from '../src/index.ts';

/** Bytes of a gate's output that are read for findings. */
const MOST_READ = 10 * 1024 * 1024;
/** Of one gate. */
const MOST_FINDINGS = 10;

/** A gate's full output as its log has it, or the lines that matter where that cannot be read. */
export function outputOf({ log, tail }: GateResult, place: Located | undefined): string {
  if (log === '' || place === undefined) return tail;
  return readLog(join(place.stateFolder, log)) ?? tail;
}

/** An agent may have put a link, a pipe or a device in its place: none of them is followed or waited for. */
function readLog(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const facts = fstatSync(file);
    if (!facts.isFile()) return undefined;
    const bytes = Buffer.alloc(Math.min(facts.size, MOST_READ));
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** What a gate's output says of files that are in the work tree now. `isolated`: the linked work tree that the run used. */
export function findingsOf(
  gate: GateResult,
  place: Located | undefined,
  isolated?: string,
): readonly Finding[] {
  if (place === undefined) return [];
  const output = outputOf(gate, place);
  const clean = cleanTop(output, basename(place.top));
  const tops = [place.top, isolated, clean].filter((top) => top !== undefined);
  const isFile = (path: string): boolean => isFileIn(isolated ?? place.top, path);
  return findingsIn(output, { tops, isFile, most: MOST_FINDINGS });
}

/** With `setup:`, and for `verify`, gates run in a clean worktree, of which they may print whole paths. */
function cleanTop(output: string, name: string): string | undefined {
  const begin = join(temporaryFolder(), 'skeleton-clean-');
  const from = output.indexOf(begin);
  const end = output.indexOf('/', from + begin.length);
  return from < 0 || end < 0 ? undefined : `${output.slice(from, end)}/${name}`;
}

/** It may be gone by now: that is for others to refuse. */
function temporaryFolder(): string {
  try {
    return realpathSync(tmpdir());
  } catch {
    return tmpdir();
  }
}

/** A regular file, no link, and no folder above it leads out of the work tree. */
function isFileIn(top: string, path: string): boolean {
  try {
    const whole = join(top, path);
    const folder = realpathSync(dirname(whole));
    const within = realpathSync(top);
    return lstatSync(whole).isFile() && (folder === within || folder.startsWith(`${within}/`));
  } catch {
    return false;
  }
}
