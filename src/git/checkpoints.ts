import { parseTag } from '../core/refs.ts';
import type { ChangedPath, CheckpointMark, Checkpoints, CommitFacts } from '../ports.ts';
import { byName, toText } from './byte-name.ts';
import { readObjects } from './objects.ts';
import { parseCommit } from './parse-commit.ts';
import { resolveCommit } from './reads.ts';
import type { Repository } from './located-repository.ts';

/** Reads checkpoints from refs and objects alone (contract, "Git"). */
export function openCheckpoints(repository: Repository): Checkpoints {
  return {
    all: () => readMarks(repository),
    factsOf: (commit) => readFacts(repository, commit),
    files: (tree) => readFiles(repository, tree),
    changes: (from, to) => readChanges(repository, from, to),
  };
}

const places = ['refs/tags/skeleton', 'refs/skeleton/proof'];

interface Ref {
  readonly name: string;
  readonly oid: string;
  /** What it names, without the tag object on top. */
  readonly commit: string;
}

async function readMarks(repository: Repository): Promise<readonly CheckpointMark[]> {
  const refs = await listRefs(repository);
  const hasHead = (await resolveCommit(repository, 'HEAD')) !== undefined;
  const reached = hasHead ? await listRefs(repository, ['--merged=HEAD']) : [];
  const inHead = new Set(reached.map(({ name }) => name));
  const proofs = refs.filter(({ name }) => name.startsWith('refs/skeleton/'));
  const texts = await readObjects(
    repository.git,
    proofs.map(({ oid }) => oid),
  );
  const marks = new Map<string, CheckpointMark>();
  const add = (key: Named, part: Partial<CheckpointMark>, ref: Ref): void => {
    const name = `${key.plan} ${String(key.number).padStart(12, '0')}`;
    const before = marks.get(name) ?? { ...key, tag: undefined, proof: undefined, isInHead: false };
    const isInHead = before.isInHead || inHead.has(ref.name);
    marks.set(name, { ...before, ...part, isInHead });
  };
  for (const ref of refs) {
    const tag = parseTag(ref.name);
    if (tag !== undefined && !tag.isStart)
      add(only(tag), { tag: { ref: ref.name, commit: ref.commit } }, ref);
    const proof = parseProof(ref.name);
    if (proof !== undefined) {
      const text = bodyOf(texts.get(ref.oid));
      add(proof, { proof: { ref: ref.name, commit: ref.commit, text } }, ref);
    }
  }
  return [...marks].sort(([a], [b]) => byName(a, b)).map(([, mark]) => mark);
}

interface Named {
  readonly plan: string;
  readonly number: number;
}

function only({ plan, number }: Named): Named {
  return { plan, number };
}

function parseProof(ref: string): Named | undefined {
  const [, plan, digits] = /^refs\/skeleton\/proof\/([^/]+)\/(\d{4,})$/.exec(ref) ?? [];
  return plan === undefined ? undefined : { plan, number: Number(digits) };
}

function bodyOf(object: Buffer | undefined): string {
  const text = object?.toString('utf8') ?? '';
  return text.slice(text.indexOf('\n\n') + 2);
}

async function listRefs(
  { git }: Repository,
  options: readonly string[] = [],
): Promise<readonly Ref[]> {
  const format = '--format=%(refname)%00%(objectname)%00%(*objectname)';
  const out = await git.run(['for-each-ref', format, ...options, ...places]);
  return out
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const [name = '', oid = '', peeled = ''] = line.split('\0');
      return name === '' ? [] : [{ name, oid, commit: peeled === '' ? oid : peeled }];
    });
}

async function readFacts({ git }: Repository, commit: string): Promise<CommitFacts> {
  const text = (await git.run(['cat-file', 'commit', commit])).toString('utf8');
  const { tree, parents, trailers } = parseCommit(text);
  return { tree, parent: parents[0], trailers };
}

async function readFiles({ git }: Repository, tree: string): Promise<ReadonlyMap<string, string>> {
  const out = await git.run(['ls-tree', '-r', '-z', '--full-tree', tree]);
  const lines = out.toString('latin1').split('\0');
  return new Map(
    lines.flatMap((line) => {
      const [head = '', path] = line.split('\t');
      return path === undefined ? [] : [[toText(path), head.split(' ')[2] ?? ''] as const];
    }),
  );
}

async function readChanges(
  { git }: Repository,
  from: string,
  to: string,
): Promise<readonly ChangedPath[]> {
  const args = ['diff-tree', '-r', '-z', '--name-status', '--no-renames', from, to];
  const parts = (await git.run(args)).toString('latin1').split('\0');
  const changes: ChangedPath[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const status = parts[at];
    if (status === 'A' || status === 'M' || status === 'D' || status === 'T')
      changes.push({ status, path: toText(parts[at + 1] ?? '') });
  }
  return changes;
}
