import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStepLog } from '../../../src/exec/step-log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'step log '));
});
afterEach(() => rmSync(folder, { recursive: true }));

const letters = (length: number): string =>
  Array.from({ length }, (_, index) => String.fromCharCode(97 + (index % 26))).join('');

/** What a log of this limit must hold. */
function expected(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = Math.ceil(limit / 2);
  const cut = text.length - limit;
  return `${text.slice(0, head)}\n[${cut} bytes of output cut here]\n${text.slice(head - limit)}`;
}

function logged(text: string, limit: number, piece: number): string {
  const path = join(folder, 'a', 'step.log');
  const log = openStepLog(path, limit);
  for (let at = 0; at < text.length; at += piece)
    log.write(Buffer.from(text.slice(at, at + piece)));
  log.close();
  return readFileSync(path, 'utf8');
}

describe('a log', () => {
  const limits = [2, 3, 10, 11, 100];
  const lengths = [0, 1, 9, 10, 11, 12, 15, 16, 20, 99, 100, 101, 150, 151, 200, 1000, 1001];
  const cases = limits.flatMap((limit) => lengths.map((length) => ({ limit, length })));

  it.each(cases)('of $limit bytes holds both ends of $length', ({ limit, length }) => {
    const text = letters(length);
    for (const piece of [1, 3, 7, 10, 64, 5000]) {
      expect(logged(text, limit, piece)).toBe(expected(text, limit));
    }
  });

  it('leaves no other file', () => {
    logged(letters(1000), 10, 7);
    expect(readdirSync(join(folder, 'a'))).toEqual(['step.log']);
  });

  it('still holds all its bytes where it cannot be put in order', () => {
    const path = join(folder, 'step.log');
    const log = openStepLog(path, 10);
    log.write(Buffer.from(letters(23)));
    mkdirSync(`${path}.part`);
    expect(() => log.close()).toThrow();
    expect(readFileSync(path, 'utf8')).toBe('abcdeuvwst'.slice(0, 10));
  });

  it('is not written through a link in the way of its new order', () => {
    const precious = join(folder, 'precious');
    writeFileSync(precious, 'mine');
    const path = join(folder, 'step.log');
    const log = openStepLog(path, 10);
    log.write(Buffer.from(letters(30)));
    symlinkSync(precious, `${path}.part`);
    log.close();
    expect(readFileSync(precious, 'utf8')).toBe('mine');
    expect(readFileSync(path, 'utf8')).toBe(expected(letters(30), 10));
  });
});
