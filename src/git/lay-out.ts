import { copyFileSync } from 'node:fs';
import type { LaidOut } from '../ports.ts';
import { toPath, toShown, toText } from './byte-name.ts';
import { treeChanges } from './entries.ts';
import type { PathChanges } from './entries.ts';
import { openQuarantine } from './quarantine.ts';
import type { Quarantine } from './quarantine.ts';
import { statOf } from './raw-files.ts';
import { readRefs } from './read-refs.ts';
import type { Repository } from './located-repository.ts';
import { shiftTree } from './shift-tree.ts';

/** As Keeper.layOut. The index stays: what was brought back can be seen by `git status`. */
export async function layOut(repository: Repository, commit: string): Promise<LaidOut> {
  const changes = await treeChanges(repository, `${commit}^1`, commit);
  const shifted = await shiftTree(repository, changes, undefined);
  if (shifted.kind === 'conflict') return { kind: 'conflict', paths: shifted.paths.map(toShown) };
  await layOutRaw(repository, commit, changes);
  return { kind: 'done', changed: changes.size };
}

/** The exact bytes where the commit holds converted ones. */
async function layOutRaw(
  repository: Repository,
  commit: string,
  changes: PathChanges,
): Promise<void> {
  const kept = await quarantineOf(repository, commit);
  if (kept === undefined) return;
  for (const [path, { to }] of changes) {
    const raw = kept.pathOf('raw', path);
    if (to === undefined || statOf(raw)?.isFile() !== true) continue;
    copyFileSync(toPath(raw), toPath(`${repository.top}/${path}`));
  }
}

const attempt = /^refs\/skeleton\/attempts\/([^/]+)\/([^/]+)\/(\d+)$/;

/** Of the attempt that a commit keeps; undefined where it keeps none. */
async function quarantineOf(
  repository: Repository,
  commit: string,
): Promise<Quarantine | undefined> {
  const { refs } = await readRefs(repository);
  const ref = [...refs].find(([name, id]) => id === commit && attempt.test(name))?.[0];
  const [, plan, task = '', number = ''] = attempt.exec(ref ?? '') ?? [];
  if (plan === undefined) return undefined;
  const parts = { plan: toText(plan), task: toText(task) };
  return openQuarantine(repository, { ...parts, id: parts.task, number: Number(number) });
}
