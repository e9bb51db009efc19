import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { isAtOrUnder, toPath, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import type { OpenAttempt } from './open-attempt.ts';
import type { Thing } from './record.ts';
import { compareThing } from './things.ts';

/** Whether the `.gitignore` files are other than where the attempt began. */
export function haveIgnoreRulesChanged(
  { repository, record }: OpenAttempt,
  ignoreFiles: readonly ByteName[],
): boolean {
  const then = new Map(record.ignoreFiles);
  if (ignoreFiles.length !== then.size) return true;
  return ignoreFiles.some((path) => {
    const thing = then.get(path);
    return thing === undefined || compareThing(`${repository.top}/${path}`, thing) === 'other';
  });
}

/**
 * Which of these paths were ignored by the rules of where the attempt began (a folder's path ends in `/`). Git is asked in
 * an empty folder that holds just the `.gitignore` files of then, so that the work tree keeps its own meanwhile.
 */
export async function ignoredAtBegin(
  attempt: OpenAttempt,
  paths: readonly ByteName[],
): Promise<ReadonlySet<ByteName>> {
  const { repository, record } = attempt;
  const folders = record.ignoredFolders;
  const known = new Set(record.ignored.map(([path]) => path));
  const isKnown = (path: ByteName): boolean =>
    known.has(path) || folders.some((folder) => isAtOrUnder(withoutSlash(path), folder));
  const ignored = new Set(paths.filter(isKnown));
  const open = paths.filter((path) => !ignored.has(path));
  if (open.length === 0) return ignored;
  const workTree = layOutRules(attempt);
  try {
    // Git takes a leading `:` for magic, which `./` prevents.
    const input = Buffer.from(open.map((path) => `./${path}\0`).join(''), 'latin1');
    const args = ['check-ignore', '--no-index', '-z', '--stdin'];
    const { stdout } = await repository.git.ask(args, { input, workTree, answers: [1] });
    for (const path of stdout.toString('latin1').split('\0')) ignored.add(path.slice(2));
    return ignored;
  } finally {
    rmSync(workTree, { recursive: true, force: true });
  }
}

function withoutSlash(path: ByteName): ByteName {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

function layOutRules({ repository, record }: OpenAttempt): string {
  const folder = `${repository.state}/rules`;
  rmSync(toPath(folder), { recursive: true, force: true });
  mkdirSync(toPath(folder));
  for (const [path, thing] of record.ignoreFiles) lay(`${folder}/${path}`, thing, record);
  return toText(folder);
}

function lay(path: ByteName, thing: Thing, record: OpenAttempt['record']): void {
  if (thing.kind !== 'file') return;
  mkdirSync(toPath(path.slice(0, path.lastIndexOf('/'))), { recursive: true });
  writeFileSync(toPath(path), record.bytesOf(thing.bytes));
}
