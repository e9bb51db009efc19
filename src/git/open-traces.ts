import { attemptRef, taskSlug } from '../core/refs.ts';
import type { OpenTrace } from '../core/traces.ts';
import { toByteName, toText } from './byte-name.ts';
import type { Repository } from './located-repository.ts';
import { entriesOf, statOf } from './raw-files.ts';
import { loadRecord } from './record.ts';

type Refs = ReadonlyMap<string, string>;

/** Attempts under way in any work tree of the repository, as their records say. */
export function openAttempts(repository: Repository, refs: Refs): readonly OpenTrace[] {
  const folders = entriesOf(toByteName(`${toText(repository.commonDir)}/skeleton/worktrees`)) ?? [];
  return folders.flatMap(({ name }) => openAttemptOf(repository, toText(name), refs) ?? []);
}

/**
 * The attempt under way in a work tree. A record stays when its attempt is over; the anchor, which is made before it, goes.
 * The baseline run has the number 0, and is none.
 */
export function openAttemptOf(
  repository: Repository,
  worktree: string,
  refs: Refs,
): OpenTrace | undefined {
  if (!refs.has(`refs/skeleton/anchor/${worktree}`)) return undefined;
  const state = `${toText(repository.commonDir)}/skeleton/worktrees/${worktree}`;
  const record = loadRecord(toByteName(state));
  if (record === undefined) return undefined;
  const { attempt, base, began, plan } = record;
  record.close();
  const { id, number, facts } = attempt;
  if (number === 0) return undefined;
  return {
    ...{ worktree, plan: attempt.plan, id, number, base, facts },
    planPath: facts?.planPath ?? toText(plan.path),
    at: new Date(began).toISOString(),
    hasBegun: facts === undefined || hasTraces(repository, facts.run, { ...attempt, id }, refs),
  };
}

/** Its log folder is made by its first step, its snapshot by what comes after. */
function hasTraces(
  { commonDir }: Repository,
  run: string,
  { plan, id, number }: { readonly plan: string; readonly id: string; readonly number: number },
  refs: Refs,
): boolean {
  const slug = taskSlug(id);
  const logs = `${toText(commonDir)}/skeleton/logs/${run}/${slug}/${number}`;
  return refs.has(attemptRef(plan, slug, number)) || statOf(toByteName(logs)) !== undefined;
}
