import { parseTag } from '../core/refs.ts';
import type { Workspace } from '../ports.ts';
import { activeHooks } from './active-hooks.ts';
import { openAttempts } from './attempts.ts';
import { toByteName, toText } from './byte-name.ts';
import { treeChanges } from './entries.ts';
import { writeCommit, writeTag } from './commit-object.ts';
import { readDirt } from './dirt.ts';
import { readIdentity } from './identity.ts';
import type { Identity } from './identity.ts';
import { explainingLoss } from './lost-objects.ts';
import { makeDurable, treeOf } from './objects.ts';
import { changeRefs } from './ref-changes.ts';
import { refuseUnready } from './readiness.ts';
import { refuseRefsInTheWay } from './refs-in-the-way.ts';
import { highestProofOf, patchBetween, readFileAt, resolveCommit } from './reads.ts';
import { openRepository } from './repository.ts';
import type { Repository } from './located-repository.ts';
import { shortPatch } from './short-patch.ts';
import { refuseUnsigned, wantsSignatures, writeSignedCommit } from './sign.ts';
import { commitOnHead, treeWithPaths } from './start-commit.ts';
import { cutShort } from './stopping.ts';
import { holdsOnDisk, readFileOnDisk, writeOnDisk } from './work-file.ts';

export { findRepository } from './repository.ts';

export interface WorkspaceOptions {
  /** Any folder of the work tree. */
  readonly cwd: string;
  /** The process's own unless given. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Opens the work tree that a folder lies in: snapshots, checkpoints, rollback (architecture.md, "Order of writes").
 * Throws Refusal(3) where there is none, or git does not want to work there.
 */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const repository = await openRepository(options.cwd, options.env ?? process.env);
  let known: Identity | undefined;
  const identity = async (): Promise<Identity> => (known ??= await readIdentity(repository));
  const { noteHead, since, ...attempts } = openAttempts(repository, identity);
  return {
    ...attempts,
    ...reading(repository),
    ...writing(repository, { identity, since }),
    facts: repository.facts,
    id: repository.id,
    assertReady: cutShort(async (plan) => {
      await refuseUnready(repository);
      if (plan !== undefined) await refuseRefsInTheWay(repository, plan, 3);
      await identity();
      await refuseUnsigned(repository);
    }),
    commitTree: explainingLoss(repository)(async (tree, message) => {
      const head = await commitOnHead(repository, { tree, message, identity: await identity() });
      noteHead(head);
      return head;
    }),
  };
}

function reading(
  repository: Repository,
): Pick<
  Workspace,
  | 'dirt'
  | 'treeWith'
  | 'resolve'
  | 'highestProof'
  | 'activeHooks'
  | 'readWorkFile'
  | 'holds'
  | 'writeWorkFile'
  | 'readAt'
  | 'treeOf'
  | 'diff'
  | 'shortDiff'
  | 'changedPaths'
> {
  const explained = explainingLoss(repository);
  return {
    dirt: cutShort(explained(() => readDirt(repository))),
    treeWith: cutShort(explained((paths) => treeWithPaths(repository, paths))),
    activeHooks: () => activeHooks(repository),
    resolve: (revision) => resolveCommit(repository, revision),
    highestProof: (plan) => highestProofOf(repository, plan),
    readWorkFile: (path) => readFileOnDisk(repository, path),
    holds: async (path, bytes) => holdsOnDisk(repository, path, bytes),
    writeWorkFile: async (path, bytes) => writeOnDisk(repository, path, bytes),
    readAt: (commit, path) => readFileAt(repository, commit, path),
    treeOf: explained((commit) => treeOf(repository, commit)),
    diff: (from, to) => patchBetween(repository, from, to),
    shortDiff: (from, to, but) => shortPatch(repository, { from, to, but }),
    changedPaths: async (from, to) =>
      [...(await treeChanges(repository, from, to)).keys()].map(toText),
  };
}

interface Writing {
  readonly identity: () => Promise<Identity>;
  /** When the objects that a commit names may have been written at the earliest. */
  readonly since: () => number;
}

function writing(
  repository: Repository,
  { identity, since }: Writing,
): Pick<Workspace, 'tag' | 'commitObject' | 'proofObject'> {
  let wanted: Promise<boolean> | undefined;
  const signing = (): Promise<boolean> => (wanted ??= wantsSignatures(repository));
  return {
    tag: explainingLoss(repository)(async (ref, commit) => {
      const stands = await resolveCommit(repository, ref);
      if (stands !== undefined) return stands === commit;
      await refuseRefsInTheWay(repository, parseTag(ref)?.plan ?? '', 4);
      const change = { kind: 'create', ref: toByteName(ref), to: commit, from: '' } as const;
      await changeRefs(repository.git, [change], 'start');
      return true;
    }),
    commitObject: cutShort(async (tree, parent, message) => {
      const content = { tree, parents: [parent], message };
      const commit = (await signing())
        ? await writeSignedCommit(repository, content)
        : writeCommit(repository, await identity(), content);
      await makeDurable(repository, [commit, tree], since());
      return commit;
    }),
    proofObject: async (commit, name, text) => {
      const tag = writeTag(repository, await identity(), { commit, name, text });
      await makeDurable(repository, [tag], since());
      return tag;
    },
  };
}
