import { constants } from 'node:fs';
import { lstat, open, realpath, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Refusal } from '../src/index.ts';
import { isOwnReport, mostOfHead } from '../src/report/own-report.ts';
import { shellWord } from '../src/report/shell-word.ts';

/**
 * The mode of the file at a path where a report may be written in its place, undefined where nothing is there. No command of ours
 * destroys what was there before (contract, "The three promises"): Refusal(2), saying what it is and what to do, for any file but an
 * empty one and a report of ours, for a file that its owner may not write, for what is no regular file, for a link (an agent may
 * have made it, and what it leads to was not named), and for anything in a git directory. Waits for no pipe.
 */
export async function modeOfReplaceable(path: string): Promise<number | undefined> {
  await assertOutsideOfGit(path);
  const facts = await factsOf(lstat(path));
  if (facts === undefined) return undefined;
  if (facts.isSymbolicLink())
    throw refusal(path, 'is a link: what it leads to is left alone', 'readlink');
  if (facts.isDirectory())
    throw new Refusal(
      2,
      `--output ${path} is a folder`,
      `--output ${shellWord(join(path, 'report.html'))}`,
    );
  if (!facts.isFile())
    throw new Refusal(
      2,
      `--output ${path} is no regular file`,
      'leave --output out, and send standard output there: skeleton report --format NAME | …',
    );
  if ((facts.mode & 0o200) === 0) throw refusal(path, 'is read-only', 'ls -l');
  await assertNothingIsLost(path);
  return facts.mode & 0o7777;
}

function refusal(path: string, what: string, look: string): Refusal {
  return new Refusal(
    2,
    `--output ${path} ${what}`,
    `${look} ${shellWord(path)}     and name another file`,
  );
}

async function assertNothingIsLost(path: string): Promise<void> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags);
  try {
    const head = Buffer.alloc(mostOfHead);
    const { bytesRead } = await file.read(head, 0, mostOfHead, 0);
    if (bytesRead === 0 || isOwnReport(head.toString('utf8', 0, bytesRead))) return;
  } finally {
    await file.close();
  }
  throw new Refusal(
    2,
    `--output ${path} is there already, and is no report of skeleton: it is left as it is`,
    `mv -n ${shellWord(path)} ${shellWord(`${path}.old`)}     or name another file`,
  );
}

/** Of any repository, also a bare one and one that is damaged: its files are git's and ours. */
async function assertOutsideOfGit(path: string): Promise<void> {
  const folder = await realpath(dirname(path));
  const parts = [...folder.split('/'), basename(path)];
  const isNamed = parts.some((part) => part.toLowerCase() === '.git');
  if (!isNamed && !(await isInGitDirectory(folder))) return;
  throw new Refusal(
    2,
    `--output ${path} is in a git directory, which belongs to git`,
    'name a file outside of it',
  );
}

/** As git itself knows one (setup.c, is_git_directory). */
async function isInGitDirectory(folder: string): Promise<boolean> {
  const kinds = await Promise.all([
    factsOf(lstat(join(folder, 'HEAD'))).then((head) => head?.isDirectory() === false),
    isFolder(join(folder, 'objects')),
    isFolder(join(folder, 'refs')),
  ]);
  const above = dirname(folder);
  return kinds.every(Boolean) || (above !== folder && (await isInGitDirectory(above)));
}

async function isFolder(path: string): Promise<boolean> {
  return (await factsOf(stat(path)))?.isDirectory() === true;
}

async function factsOf(reading: Promise<Stats>): Promise<Stats | undefined> {
  return reading.catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  });
}
