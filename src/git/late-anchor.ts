import type { AttemptId } from '../ports.ts';
import { anchorRef } from './anchors.ts';
import type { Anchored } from './anchor-note.ts';
import { toByteName } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import type { Repository } from './located-repository.ts';
import { readObjects } from './objects.ts';
import { isSame } from './open-record.ts';
import { readAnchor } from './open-traces.ts';
import { readRefs } from './read-refs.ts';
import type { AttemptRecord } from './record.ts';
import type { RefReading } from './refs.ts';
import { standingAfterCrash } from './whose-commits.ts';

/** Where an attempt began whose record is gone, as its anchor says. */
export interface LateAnchor {
  readonly base: string;
  readonly standing: Pick<AttemptRecord, 'branch' | 'began' | 'branchLogSize'>;
  /** The refs as they stood then, as far as that is known: the branch, and what runs of this plan write. */
  readonly refs: RefReading['refs'];
}

/** Undefined where no anchor of this attempt stands. `heldUntil`: see standingAfterCrash. */
export async function readLateAnchor(
  repository: Repository,
  attempt: AttemptId,
  heldUntil = 0,
): Promise<LateAnchor | undefined> {
  const { refs } = await readRefs(repository);
  const anchored = await readAnchor(repository, refs.get(anchorRef(repository)) ?? '');
  if (anchored === undefined || !isSame(anchored.note.attempt, attempt)) return undefined;
  const { branch, began, branchLogSize } = anchored.note;
  const base = standingAfterCrash(repository, anchored.note, heldUntil);
  const stood = await refsThen(repository, attempt, { refs, anchored });
  return { base, standing: { branch, began, branchLogSize }, refs: stood.set(branch, base) };
}

async function refsThen(
  { git }: Repository,
  { plan }: AttemptId,
  { refs, anchored }: { readonly refs: RefReading['refs']; readonly anchored: Anchored },
): Promise<Map<ByteName, string>> {
  const ofRuns = ['tags/skeleton', 'skeleton/proof', 'skeleton/attempts'];
  const folders = ofRuns.map((name) => toByteName(`refs/${name}/${plan}/`));
  const judged = [...refs].filter(([ref]) => folders.some((folder) => ref.startsWith(folder)));
  const named = new Map<string, string>();
  const proofs = judged.filter(([ref]) => ref.startsWith('refs/skeleton/proof/'));
  for (const [oid, bytes] of await readObjects(git, [...new Set(proofs.map(([, oid]) => oid))]))
    named.set(oid, /^object (\w+)\n/.exec(bytes.toString('latin1'))?.[1] ?? '');
  const made = judged.filter(([, oid]) => !anchored.tips.has(named.get(oid) ?? oid));
  const isMade = new Set(made.map(([ref]) => ref));
  return new Map([...refs].filter(([ref]) => !isMade.has(ref)));
}
