import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { visitIndex } from '../../../src/git/index-file.ts';
import type { IndexEntry } from '../../../src/git/index-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'index file '));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: folder, encoding: 'latin1' });

function read(which: 'all' | 'flagged', format: 'sha1' | 'sha256'): readonly IndexEntry[] {
  const entries: IndexEntry[] = [];
  visitIndex(
    readFileSync(join(folder, '.git/index')),
    format,
    (entry) => entries.push(entry),
    which,
  );
  return entries;
}

/** `TAG MODE ID STAGE<TAB>PATH`: S for skip-worktree, lower case for assume-unchanged. */
function line({ path, mode, oid, stage, assumeUnchanged, skipWorktree }: IndexEntry): string {
  const tag = skipWorktree ? 'S' : 'H';
  return `${assumeUnchanged ? tag.toLowerCase() : tag} ${mode.toString(8)} ${oid} ${stage}\t${path}`;
}

test.each([
  [2, 'sha1'],
  [3, 'sha1'],
  [4, 'sha1'],
  [2, 'sha256'],
  [4, 'sha256'],
] as const)('version %i of %s reads as git reads it', (version, format) => {
  git('init', '-q', `--object-format=${format}`);
  for (let i = 0; i < 40; i += 1) writeFileSync(join(folder, `f${'x'.repeat(i)}`), String(i));
  writeFileSync(join(folder, `long-${'y'.repeat(240)}`), 'long');
  writeFileSync(Buffer.from(`${folder}/caf\xe9 \n`, 'latin1'), 'odd', { mode: 0o755 });
  symlinkSync('nowhere', join(folder, 'link'));
  git('add', '-A');
  if (version > 2) git('update-index', '--skip-worktree', 'fx', 'link');
  git('update-index', '--assume-unchanged', 'f', 'fxx');
  git('update-index', '--force-write-index', '--index-version', String(version));
  const shown = git('ls-files', '-s', '-v', '-z').split('\0').slice(0, -1);
  expect(read('all', format).map(line)).toEqual(shown);
  expect(read('flagged', format).map(line)).toEqual(shown.filter((text) => !text.startsWith('H ')));
});

test('anything else is refused', () => {
  expect(() => visitIndex(Buffer.from('DIRT, no index'), 'sha1', () => undefined)).toThrow();
  expect(() => visitIndex(Buffer.alloc(0), 'sha1', () => undefined)).toThrow();
});
