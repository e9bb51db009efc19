import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorkFiles, type WorkFiles } from '../../../../src/agent/built-in/files.ts';

let root: string;
let top: string;
let files: WorkFiles;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'work files ')));
  top = join(root, 'the repo');
  mkdirSync(join(top, '.git'), { recursive: true });
  writeFileSync(join(root, 'secret'), 'secret\n');
  writeFileSync(join(top, '.git/config'), '');
  writeFileSync(join(top, 'a.txt'), 'one\ntwo\nthree\n');
  files = openWorkFiles(top);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('a path that is not the model’s', () => {
  it.each([
    ['../secret', 'is outside of the work tree'],
    ['/etc/passwd', 'is outside of the work tree'],
    ['a/../../secret', 'is outside of the work tree'],
    ['.git/config', '.git is not yours'],
    ['.GIT/config', '.git is not yours'],
    ['sub/../.git/config', '.git is not yours'],
    ['way-out/secret', 'is outside of the work tree'],
    ['way-in/config', '.git is not yours'],
    ['nowhere', 'is a link to nowhere'],
  ])('%s', (path, words) => {
    symlinkSync(root, join(top, 'way-out'));
    symlinkSync(join(top, '.git'), join(top, 'way-in'));
    symlinkSync(join(root, 'gone'), join(top, 'nowhere'));
    expect(() => files.read(path, 1, 10)).toThrow(words);
    expect(() => files.write(path, 'x')).toThrow(words);
    expect(() => files.edit(path, 'secret', 'x')).toThrow(words);
    expect(() => files.list(path)).toThrow(words);
    expect(() => files.search('x', path)).toThrow(words);
    expect(readFileSync(join(root, 'secret'), 'utf8')).toBe('secret\n');
  });

  it('is not reached by a search of the whole tree', () => {
    symlinkSync(root, join(top, 'way-out'));
    writeFileSync(join(top, '.git/config'), 'secret\n');
    expect(files.search('secret', '.')).toBe('[no match]');
  });
});

describe('what is no text', () => {
  it('is refused, and never waited for', () => {
    execFileSync('mkfifo', [join(top, 'fifo')]);
    writeFileSync(join(top, 'binary'), Buffer.from([1, 0, 2]));
    writeFileSync(join(top, 'large'), 'x'.repeat(4 * 2 ** 20 + 1));
    expect(() => files.read('fifo', 1, 1)).toThrow('fifo is no regular file');
    expect(() => files.write('fifo', 'x')).toThrow('fifo is no regular file');
    expect(() => files.read('binary', 1, 1)).toThrow('binary is binary: 3 bytes');
    expect(() => files.read('large', 1, 1)).toThrow('large is too large');
    expect(files.search('x', '.')).toBe('[no match]');
  });
});

describe('reading', () => {
  it('gives the whole, or some lines and how many there are', () => {
    expect(files.read('a.txt', 1, 2000)).toBe('one\ntwo\nthree\n');
    expect(files.read('a.txt', 2, 1)).toBe(
      'two\n[lines from 2 of 4; ask for others with from and lines]',
    );
  });

  it('lists folders with a slash, and finds lines by place', () => {
    mkdirSync(join(top, 'sub'));
    writeFileSync(join(top, 'sub/b.txt'), 'a two\n');
    expect(files.list('.')).toBe('.git/\na.txt\nsub/');
    expect(files.search('t[wh]o', '.').split('\n').sort()).toEqual([
      'a.txt:2: two',
      'sub/b.txt:1: a two',
    ]);
  });
});

describe('writing', () => {
  it('makes the folders on the way, and counts bytes', () => {
    expect(files.write('x/y/z.txt', 'ä')).toBe('wrote 2 bytes to x/y/z.txt');
    expect(readFileSync(join(top, 'x/y/z.txt'), 'utf8')).toBe('ä');
  });

  it('edits what is there exactly once, word for word', () => {
    files.edit('a.txt', 'two', '$& $1');
    expect(readFileSync(join(top, 'a.txt'), 'utf8')).toBe('one\n$& $1\nthree\n');
    expect(() => files.edit('a.txt', 'two', 'x')).toThrow('is not in a.txt: read it again');
    expect(() => files.edit('a.txt', 'e', 'x')).toThrow('more than once');
    writeFileSync(join(top, 'b.txt'), 'aaa');
    expect(() => files.edit('b.txt', 'aa', 'x')).toThrow('more than once');
  });
});

it('a search ends in time, whatever its expression', () => {
  writeFileSync(join(top, 'slow.txt'), `${'a'.repeat(60)}b\n`);
  expect(openWorkFiles(top, 200).search('one|(a+)+$', '.')).toBe(
    'a.txt:1: one\n[out of time: ask for a simpler pattern, or a smaller folder]',
  );
});
