import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deadFolders, makeOwnFolder, sweepFolders } from '../../../src/exec/own-folders.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'own folders '));
});
afterEach(() => {
  rmSync(parent, { recursive: true });
});

const own = (pid: number): string => `-${pid}-`;
const left = (): readonly string[] => readdirSync(parent);

/** As a process makes it that is dead by now. */
function makeDead(): string {
  const { pid } = spawnSync('true');
  const mine = makeOwnFolder(parent, 'our ');
  const dead = join(parent, basename(mine).replace(own(process.pid), own(pid)));
  renameSync(mine, dead);
  return dead;
}

test('what a dead process left goes, with all that is in it', () => {
  const dead = makeDead();
  mkdirSync(join(dead, 'deep/er'), { recursive: true });
  expect(deadFolders(parent, 'our ')).toEqual([dead]);
  expect(sweepFolders(parent, 'our ')).toEqual([dead]);
  expect(left()).toEqual([]);
});

test('a process that has the number of a dead one is another', () => {
  const mine = makeOwnFolder(parent, 'our ');
  const earlier = mine.replace(/-\w{6}(-\w{6})$/, '-aaaaaa$1');
  renameSync(mine, earlier);
  expect(deadFolders(parent, 'our ')).toEqual([earlier]);
});

test('what is alive, of another host, of another kind or no folder stays', () => {
  makeOwnFolder(parent, 'our ');
  const dead = makeDead();
  symlinkSync(parent, dead.replace(/\w{6}$/, 'linked'));
  mkdirSync(dead.replace('our ', 'your '));
  renameSync(dead, dead.replace(/our \w{6}/, 'our aaaaaa'));
  mkdirSync(join(parent, 'our own'));
  const before = left();
  expect(before).toHaveLength(5);
  expect(sweepFolders(parent, 'our ')).toEqual([]);
  expect(left()).toEqual(before);
});
