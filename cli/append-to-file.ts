import { closeSync, constants, fstatSync, openSync, statSync, writeSync } from 'node:fs';
import type { Stats } from 'node:fs';

const { O_APPEND, O_CREAT, O_NOCTTY, O_NONBLOCK, O_WRONLY } = constants;

/**
 * Adds to a file whose name somebody else gave, and never waits for anybody: a pipe would keep us, deaf to signals, until it is
 * read (fifo(7)). Made where it is not there. Throws for what is no file and no plain device such as /dev/null, and where it
 * cannot be written.
 */
export function appendToFile(path: string, text: string): void {
  // Before it is opened, which may already do something to a device.
  const there = statSync(path, { throwIfNoEntry: false });
  if (there !== undefined) assertWritable(there);
  const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY, 0o666);
  try {
    assertWritable(fstatSync(file));
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
  } finally {
    closeSync(file);
  }
}

function assertWritable(facts: Stats): void {
  if (facts.isDirectory()) throw new Error('EISDIR: it is a folder');
  if (!facts.isFile() && !facts.isCharacterDevice())
    throw new Error(`it is ${whatIs(facts)}, not a file`);
}

function whatIs(facts: Stats): string {
  if (facts.isFIFO()) return 'a pipe';
  return facts.isSocket() ? 'a socket' : 'a device';
}
