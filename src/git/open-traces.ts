import { attemptRef, taskSlug } from '../core/refs.ts';
import type { OpenTrace } from '../core/traces.ts';
import type { AttemptId } from '../ports.ts';
import { parseAnchor, type Anchored } from './anchor-note.ts';
import { toByteName, toText } from './byte-name.ts';
import { keptCommit } from './kept-commit.ts';
import type { Repository } from './located-repository.ts';
import { readObjects } from './objects.ts';
import { statOf } from './raw-files.ts';
import { loadRecord } from './record.ts';

type Refs = ReadonlyMap<string, string>;

/** An attempt under way, and what stood where it began. */
export interface Open {
  readonly trace: OpenTrace;
  /** Whether a ref stood there already, with this value, which is or names this commit; or is the snapshot that we took. */
  readonly stood: (ref: string, oid: string, commit: string) => boolean;
}

const anchorFolder = 'refs/skeleton/anchor/';

/** Attempts under way in any work tree of the repository, as their records say, or else their anchors. */
export async function openAttempts(repository: Repository, refs: Refs): Promise<readonly Open[]> {
  const open: Open[] = [];
  for (const [ref, oid] of refs) {
    if (!ref.startsWith(anchorFolder)) continue;
    const worktree = ref.slice(anchorFolder.length);
    const found =
      fromRecord(repository, worktree, refs) ?? (await fromAnchor(repository, worktree, oid));
    if (found !== undefined) open.push(found);
  }
  return open;
}

/**
 * The attempt under way in a work tree. A record stays when its attempt is over; the anchor, which is made before it, goes.
 * The baseline run has the number 0, and is none.
 */
function fromRecord(repository: Repository, worktree: string, refs: Refs): Open | undefined {
  const state = `${toText(repository.commonDir)}/skeleton/worktrees/${worktree}`;
  const record = loadRecord(toByteName(state));
  if (record === undefined) return undefined;
  const { attempt, base, began, plan, taken } = record;
  record.close();
  const { id, number, facts } = attempt;
  if (number === 0) return undefined;
  const then = new Map(record.refs);
  const own = attemptRef(attempt.plan, taskSlug(id), number);
  const kept = keptCommit({ ...repository, state: toByteName(state) });
  return {
    trace: {
      ...{ worktree, plan: attempt.plan, id, number, base, facts },
      planPath: facts?.planPath ?? toText(plan.path),
      at: new Date(began).toISOString(),
      isTaken: taken !== undefined,
      hasBegun: facts === undefined || hasTraces(repository, facts.run, attempt, refs),
    },
    stood: (ref, oid) => then.get(toByteName(ref)) === oid || (ref === own && oid === kept),
  };
}

/** Its log folder is made by its first step, or where kept work is laid out for it; its snapshot by what comes after. */
function hasTraces(
  repository: Repository,
  run: string,
  attempt: Pick<AttemptId, 'plan' | 'id' | 'number'>,
  refs: Refs,
): boolean {
  const { plan, id, number } = attempt;
  if (refs.has(attemptRef(plan, taskSlug(id), number))) return true;
  return statOf(toByteName(logFolderOf(repository, run, attempt))) !== undefined;
}

/** Absolute; of one attempt's logs. */
export function logFolderOf(
  { commonDir }: Repository,
  run: string,
  { id, number }: Pick<AttemptId, 'id' | 'number'>,
): string {
  return `${toText(commonDir)}/skeleton/logs/${run}/${taskSlug(id)}/${number}`;
}

/** Where the record is gone it cannot be told whether a step had begun: the attempt counts. A person's work stays as it lies. */
async function fromAnchor(
  repository: Repository,
  worktree: string,
  oid: string,
): Promise<Open | undefined> {
  const anchored = await readAnchor(repository, oid);
  if (anchored === undefined) return undefined;
  const { attempt, planPath, base, began, isTaken } = anchored.note;
  if (attempt.number === 0 || isTaken) return undefined;
  const { plan, id, number, facts } = attempt;
  const at = new Date(began).toISOString();
  return {
    trace: { worktree, plan, id, number, planPath, base, at, facts, isTaken, hasBegun: true },
    stood: (_ref, _oid, commit) => anchored.tips.has(commit),
  };
}

/** Undefined where no anchor of ours stands there. */
export async function readAnchor({ git }: Repository, oid: string): Promise<Anchored | undefined> {
  if (!/^[0-9a-f]{40,}$/.test(oid)) return undefined;
  const bytes = (await readObjects(git, [oid])).get(oid);
  return bytes && parseAnchor(bytes.toString('utf8'));
}
