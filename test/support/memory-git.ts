import { attemptRef, fenceRef } from '../../src/core/refs.ts';
import type { Snapshot } from '../../src/core/events.ts';
import type { AttemptId, AttemptRules, Remote, Workspace } from '../../src/ports.ts';
import { Refusal } from '../../src/ports.ts';
import type { Actor, Schedule } from './memory-schedule.ts';

/** Path to content; a ticked task is the file `tick/TASK`. */
export type Files = Readonly<Record<string, string>>;

interface Commit {
  readonly files: Files;
  readonly parent: string | undefined;
}

export const theBranch = 'refs/heads/skeleton/plan';

/** What stands on the remote, and all commits that anybody ever made. */
export interface MemoryOrigin {
  readonly refs: Map<string, string>;
  readonly commits: Map<string, Commit>;
  /** What was published, by whom, in order. */
  readonly published: { readonly by: string; readonly tag: string; readonly commit: string }[];
  /** Asked before each push that would be done; words: it is refused. */
  refuses: (ref: string) => string | undefined;
  /** Asked at each call: whether the remote cannot be reached for good, before it is done or only for the answer. */
  fails: (actor: Actor, what: string) => 'before' | 'after' | undefined;
  /** Asked right before a publication is done. */
  onPublish: (by: string, commit: string, tag: string) => void;
  made: number;
}

export function openMemoryOrigin(): MemoryOrigin {
  const commits = new Map([['c0', { files: {}, parent: undefined }]]);
  const refs = new Map([[theBranch, 'c0']]);
  return {
    ...{ refs, commits, published: [], made: 0 },
    ...{ refuses: () => undefined, fails: () => undefined, onPublish: () => undefined },
  };
}

export function commitIn(origin: MemoryOrigin, files: Files, parent: string): string {
  const id = `c${(origin.made += 1)}`;
  origin.commits.set(id, { files, parent });
  return id;
}

function filesOf({ commits }: MemoryOrigin, commit: string): Files {
  return commits.get(commit)?.files ?? {};
}

/** Commits of the branch there, the newest first. */
export function lineOf(
  { refs, commits }: MemoryOrigin,
  ref: string = theBranch,
): readonly string[] {
  const line: string[] = [];
  for (let at = refs.get(ref); at !== undefined; at = commits.get(at)?.parent) line.push(at);
  return line;
}

/** Whether a commit contains another. */
export function containsIn({ commits }: MemoryOrigin, commit: string, other: string): boolean {
  for (let at: string | undefined = commit; at !== undefined; at = commits.get(at)?.parent)
    if (at === other) return true;
  return false;
}

/** Tasks that are ticked at a commit. */
export function tickedIn(files: Files): readonly string[] {
  return Object.keys(files).flatMap((path) => (path.startsWith('tick/') ? [path.slice(5)] : []));
}

export const planBytes = (ticked: readonly string[]): Uint8Array =>
  new TextEncoder().encode(JSON.stringify([...ticked].sort()));

export const tickedBytes = (plan: Uint8Array): readonly string[] =>
  JSON.parse(new TextDecoder().decode(plan)) as string[];

/** One machine's repository, with one work tree. */
export interface MemoryClone {
  readonly workspace: Workspace;
  readonly remote: Remote;
  /** What the agent works on. */
  readonly files: Record<string, string>;
  readonly look: () => Promise<{ readonly commit: string; readonly ticked: readonly string[] }>;
  readonly layOut: (commit: string) => Promise<void>;
  /** Undoes what is under way in the work tree. */
  readonly leave: () => Promise<void>;
}

interface Clone {
  readonly origin: MemoryOrigin;
  readonly actor: Actor;
  readonly schedule: Schedule;
  readonly has: Set<string>;
  readonly refs: Map<string, string>;
  files: Record<string, string>;
  head: string;
  open: AttemptId | undefined;
}

export function openMemoryClone(
  origin: MemoryOrigin,
  schedule: Schedule,
  actor: Actor,
): MemoryClone {
  const clone: Clone = {
    ...{ origin, schedule, actor, has: new Set(['c0']), refs: new Map<string, string>() },
    ...{ files: {}, head: 'c0', open: undefined },
  };
  const workspace = workspaceOf(clone);
  const remote = remoteOf(clone);
  return {
    workspace,
    remote,
    get files() {
      return clone.files;
    },
    look: async () => {
      const commit = await remote.fetch('plan', theBranch);
      if (commit === undefined) throw new Refusal(4, 'the branch is gone');
      return { commit, ticked: tickedIn(filesOf(origin, commit)) };
    },
    layOut: async (commit) => {
      await schedule.step(actor, 'lay out');
      if (clone.open !== undefined) throw new Error(`${clone.open.id} is still under way here`);
      layBare(clone, commit);
    },
    leave: async () => {
      if (clone.open !== undefined) await workspace.rollBack(clone.open);
    },
  };
}

function layBare(clone: Clone, commit: string): void {
  if (!clone.has.has(commit)) throw new Error(`${commit} is not here`);
  clone.head = commit;
  clone.files = { ...filesOf(clone.origin, commit) };
}

function bring({ origin, has }: Clone, commit: string): void {
  for (let at: string | undefined = commit; at !== undefined && !has.has(at);) {
    has.add(at);
    at = origin.commits.get(at)?.parent;
  }
}

function make(clone: Clone, files: Files, parent: string): string {
  const commit = commitIn(clone.origin, files, parent);
  clone.has.add(commit);
  return commit;
}

/** The tree of some files: their names and contents. */
function treeOf(files: Files): string {
  return JSON.stringify(Object.entries(files).sort());
}

export function filesIn(tree: string): Files {
  return Object.fromEntries(JSON.parse(tree) as [string, string][]);
}

function workspaceOf(clone: Clone): Workspace {
  const { origin, schedule, actor, refs, has } = clone;
  const unused = (): Promise<never> => Promise.reject(new Error('not part of this test'));
  const resolve = (revision: string): string | undefined => {
    if (revision === 'HEAD') return clone.head;
    const [name = '', isParent] = revision.split('^');
    const commit = refs.get(name) ?? (has.has(name) ? name : undefined);
    return isParent === undefined ? commit : commit && origin.commits.get(commit)?.parent;
  };
  const deed = async <T>(what: string, done: () => T): Promise<T> => {
    await schedule.step(actor, what);
    return done();
  };
  return {
    facts: { top: '/t', commonDir: '/g', gitDir: '/g', branch: theBranch, head: 'c0' },
    id: actor.name,
    assertReady: () => Promise.resolve(),
    dirt: () => Promise.resolve([]),
    ...{ holds: unused, writeWorkFile: unused },
    ...{
      treeWith: unused,
      commitTree: unused,
      readWorkFile: unused,
      readAt: unused,
      diff: unused,
      shortDiff: unused,
      changedPaths: unused,
    },
    ...{ takeUp: unused, layOut: unused, tag: unused },
    resolve: (revision) => Promise.resolve(resolve(revision)),
    highestProof: () => Promise.resolve(0),
    activeHooks: () => Promise.resolve([]),
    treeOf: (commit) => Promise.resolve(treeOf(filesOf(origin, commit))),
    begin: (id) =>
      deed(`begin ${id.id}`, () => {
        clone.open = id;
        return clone.head;
      }),
    inspect: (_, rules) => deed('inspect', () => inspect(clone, rules)),
    reinspect: (_, rules) => deed('inspect', () => inspect(clone, rules)),
    settle: () => Promise.resolve(undefined),
    commitObject: (tree, parent) => deed('commit', () => make(clone, filesIn(tree), parent)),
    proofObject: (commit) => Promise.resolve(`proof of ${commit}`),
    checkpoint: (_, { commit, tag }) =>
      deed('checkpoint', () => {
        layBare(clone, commit);
        refs.set(tag, commit);
        clone.open = undefined;
        return [];
      }),
    rollBack: (id) => deed(`roll back ${id.id}`, () => rollBack(clone, id)),
    reapply: (_, kept) => deed('reapply', () => merge(clone, kept).length === 0),
    merge: (_, kept) => deed('merge', () => merge(clone, kept)),
    end: () => Promise.resolve(),
  };
}

function inspect(clone: Clone, { plan }: AttemptRules): Awaited<ReturnType<Workspace['inspect']>> {
  const ticks = tickedBytes(plan.ticked).map((task) => [`tick/${task}`, 'x'] as const);
  const head = filesOf(clone.origin, clone.head);
  if (treeOf(clone.files) === treeOf(head))
    return { kind: 'refused', failure: { kind: 'no-change' }, notices: [] };
  Object.assign(clone.files, Object.fromEntries(ticks));
  return { kind: 'candidate', tree: treeOf(clone.files), changed: [], notices: [] };
}

function rollBack(
  clone: Clone,
  { plan, task, number }: AttemptId,
): { snapshot: Snapshot; notices: string[] } {
  const ref = attemptRef(plan, task, number);
  const commit = clone.refs.get(ref) ?? make(clone, clone.files, clone.head);
  clone.refs.set(ref, commit);
  layBare(clone, clone.head);
  clone.open = undefined;
  return { snapshot: { ref, commit }, notices: [] };
}

/** Three ways, path by path; ticks are left as they lie. */
function merge(clone: Clone, { commit }: Snapshot): readonly string[] {
  if (!clone.has.has(commit)) throw new Error(`${commit} is not here`);
  const theirs = filesOf(clone.origin, commit);
  const base = filesOf(clone.origin, clone.origin.commits.get(commit)?.parent ?? '');
  const changed = Object.keys(theirs).filter(
    (path) => !path.startsWith('tick/') && theirs[path] !== base[path],
  );
  const conflicts = changed.filter(
    (path) => clone.files[path] !== base[path] && clone.files[path] !== theirs[path],
  );
  if (conflicts.length === 0) for (const path of changed) clone.files[path] = theirs[path] ?? '';
  return conflicts;
}

function remoteOf(clone: Clone): Remote {
  const { origin, schedule, actor } = clone;
  const unused = (): Promise<never> => Promise.reject(new Error('not part of this test'));
  const call = async <T>(what: string, deed: () => T): Promise<T> => {
    await schedule.step(actor, what);
    const fails = origin.fails(actor, what);
    if (fails === 'before') throw new Refusal(3, 'the remote cannot be reached');
    const answer = deed();
    await schedule.step(actor, `${what} answered`);
    if (fails === 'after') throw new Refusal(3, 'the remote cannot be reached any more');
    return answer;
  };
  return {
    name: 'origin',
    assertReady: () => Promise.resolve(),
    fetch: (_, branch) =>
      call('fetch', () => {
        for (const [ref, commit] of origin.refs) {
          if (ref !== branch && !ref.startsWith('refs/tags/')) continue;
          bring(clone, commit);
          if (ref !== branch) clone.refs.set(ref, commit);
        }
        return origin.refs.get(branch);
      }),
    begin: unused,
    forward: unused,
    takeFence: (plan, task) =>
      call(`fence ${task}`, () => {
        const fence = { ref: fenceRef(plan, task), at: `fence ${(origin.made += 1)}` };
        origin.refs.set(fence.ref, fence.at);
        return fence;
      }),
    publish: (publication) => call('publish', () => publish(clone, publication)),
    read: (ref) => call(`read ${ref}`, () => origin.refs.get(ref)),
    give: (ref, commit) =>
      call(`give ${ref}`, () => {
        const there = origin.refs.get(ref);
        if (there === undefined) origin.refs.set(ref, commit);
        return there === undefined || there === commit;
      }),
    take: (ref, commit) =>
      call(`take ${ref}`, () => {
        if (origin.refs.get(ref) !== commit) return false;
        bring(clone, commit);
        clone.refs.set(ref, commit);
        return true;
      }),
  };
}

type Publishing = Parameters<Remote['publish']>[0];

function publish(
  { origin, actor }: Clone,
  { branch, base, commit, tag, proof, proofObject, fence }: Publishing,
): Awaited<ReturnType<Remote['publish']>> {
  const { refs } = origin;
  if (origin.commits.get(commit)?.parent !== base) throw new Error(`${commit} is not on ${base}`);
  if (refs.get(fence.ref) !== fence.at) return { kind: 'fenced' };
  if (refs.get(branch) !== base || refs.has(tag) || refs.has(proof)) return { kind: 'outpaced' };
  const why = origin.refuses(branch);
  if (why !== undefined) return { kind: 'refused', why };
  origin.onPublish(actor.name, commit, tag);
  refs.set(branch, commit).set(tag, commit).set(proof, proofObject).set(fence.ref, commit);
  origin.published.push({ by: actor.name, tag, commit });
  return { kind: 'done' };
}
