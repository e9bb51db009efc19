import { parseProof } from '../core/proof.ts';
import { parseTag } from '../core/refs.ts';
import type { AttemptTrace, CheckpointTrace, PlanTraces, StartTrace } from '../core/traces.ts';
import type { Traces, TracesNow } from '../ports.ts';
import { toText } from './byte-name.ts';
import { parseCommit, type CommitText } from './parse-commit.ts';
import type { Repository } from './located-repository.ts';
import { readObjects } from './objects.ts';
import { openAttempts, type Open } from './open-traces.ts';
import { otherWorktrees, readRefs } from './read-refs.ts';

/** Reads what is left of runs where the ledger does not tell. Without refs of ours that are news it costs no process. */
export function openTraces(repository: Repository): Traces {
  return {
    of: (plan) => readTraces(repository, plan),
    plans: () => readPlans(repository),
    openHere: async () => {
      const open = await openAttempts(repository, await ownRefs(repository));
      return open.find(({ trace }) => trace.worktree === repository.id)?.trace;
    },
  };
}

type Refs = ReadonlyMap<string, string>;

async function ownRefs(repository: Repository): Promise<Refs> {
  const { refs } = await readRefs(repository);
  const own = new Map<string, string>();
  for (const [ref, value] of refs)
    if (ref.startsWith('refs/skeleton/') || ref.startsWith('refs/tags/skeleton/'))
      own.set(toText(ref), value);
  return own;
}

async function readTraces(repository: Repository, plan: string): Promise<TracesNow> {
  const refs = await ownRefs(repository);
  const open = await openAttempts(repository, refs);
  return (isKnown) => {
    const unknown = [...refs].filter(([ref]) => !isKnown(ref) && planOf(ref) === plan);
    return tracesIn(repository, plan, { unknown, open });
  };
}

interface Seen {
  readonly unknown: readonly (readonly [ref: string, oid: string])[];
  readonly open: readonly Open[];
}

async function tracesIn(
  repository: Repository,
  plan: string,
  { unknown, open }: Seen,
): Promise<PlanTraces> {
  const objects = await readTexts(
    repository,
    unknown.map(([, oid]) => oid),
  );
  const isMade = madeSince(repository, open, objects);
  const news = new Map(unknown.filter((one) => !isMade(one)));
  return {
    attempts: [...news].flatMap(([ref, oid]) => attemptAt(ref, oid, objects)),
    checkpoints: checkpointsAt(news, objects),
    starts: [...news].flatMap(([ref, oid]) => startAt(ref, oid, objects)),
    open: open.map(({ trace }) => trace).filter((one) => one.plan === plan),
  };
}

/**
 * Whether a ref was made since an attempt under way began: it is the attempt's, and goes back with it, whatever it says. That a
 * true checkpoint, cut off between its refs and the ledger's loss, is judged once more costs an attempt and loses nothing.
 */
function madeSince(
  repository: Repository,
  open: readonly Open[],
  { proofs }: Texts,
): (ref: readonly [name: string, oid: string]) => boolean {
  const isAlone = otherWorktrees(repository).length === 0;
  return ([ref, oid]) =>
    open.some(({ trace: { plan }, stood }) => {
      // Beside another work tree, other plans' refs may rightly be made meanwhile.
      const isJudged = isAlone || planOf(ref) === plan;
      return isJudged && !stood(ref, oid, proofs.get(oid)?.commit ?? oid);
    });
}

const attemptName = /^refs\/skeleton\/attempts\/([^/]+)\/([^/]+)\/(\d+)$/;
const proofName = /^refs\/skeleton\/proof\/([^/]+)\/(\d{4,})$/;

function planOf(ref: string): string | undefined {
  return parseTag(ref)?.plan ?? (attemptName.exec(ref) ?? proofName.exec(ref))?.[1];
}

/** Commits by their ids, and proofs with the commit that they name. */
interface Texts {
  readonly commits: ReadonlyMap<string, CommitText>;
  readonly proofs: ReadonlyMap<string, { readonly commit: string; readonly text: string }>;
}

async function readTexts({ git }: Repository, oids: readonly string[]): Promise<Texts> {
  const first = await readObjects(git, [...new Set(oids)].filter(isId));
  const commits = new Map<string, CommitText>();
  const proofs = new Map<string, { readonly commit: string; readonly text: string }>();
  for (const [oid, bytes] of first) {
    const text = bytes.toString('utf8');
    const commit = /^object (\w+)\ntype commit\n/.exec(text)?.[1];
    if (commit !== undefined) proofs.set(oid, { commit, text: bodyOf(text) });
    else if (text.startsWith('tree ')) commits.set(oid, parseCommit(text));
  }
  const named = [...proofs.values()].map(({ commit }) => commit);
  const missing = [...new Set(named)].filter((oid) => !commits.has(oid));
  for (const [oid, bytes] of await readObjects(git, missing))
    commits.set(oid, parseCommit(bytes.toString('utf8')));
  return { commits, proofs };
}

function isId(value: string): boolean {
  return /^[0-9a-f]{40,}$/.test(value);
}

function bodyOf(text: string): string {
  return text.slice(text.indexOf('\n\n') + 2);
}

function attemptAt(ref: string, oid: string, { commits }: Texts): readonly AttemptTrace[] {
  const [, , task, number] = attemptName.exec(ref) ?? [];
  const commit = commits.get(oid);
  if (task === undefined || commit === undefined) return [];
  const { at, parents, trailers } = commit;
  const base = parents[0] ?? oid;
  return [{ ref, commit: oid, task, number: Number(number), base, at, trailers }];
}

function startAt(ref: string, oid: string, { commits }: Texts): readonly StartTrace[] {
  const tag = parseTag(ref);
  if (tag?.isStart !== true || !commits.has(oid)) return [];
  return [{ ref, number: tag.number, commit: oid }];
}

/** Tag and proof of one number together; where they stand apart, what the proof was made for counts. */
function checkpointsAt(news: Refs, texts: Texts): readonly CheckpointTrace[] {
  const tags = [...news].flatMap(([ref, oid]) => {
    const tag = parseTag(ref);
    return tag === undefined || tag.isStart ? [] : [{ ref, oid, number: tag.number }];
  });
  const proofs = [...news].flatMap(([ref, oid]) => {
    const number = proofName.exec(ref)?.[2];
    const proof = texts.proofs.get(oid);
    if (number === undefined || proof === undefined) return [];
    return [{ ref, object: oid, number: Number(number), ...proof }];
  });
  const alone = tags.filter(({ number }) => !proofs.some((proof) => proof.number === number));
  const marks = [
    ...proofs.map(({ number, commit, ...proof }) => {
      const tag = tags.find((one) => one.number === number && one.oid === commit)?.ref;
      return { number, commit, tag, proof };
    }),
    ...alone.map(({ ref, oid, number }) => ({ number, commit: oid, tag: ref, proof: undefined })),
  ];
  return marks.flatMap((mark) => {
    const commit = texts.commits.get(mark.commit);
    if (commit === undefined) return [];
    const { parents, tree, at, trailers } = commit;
    return [{ ...mark, parent: parents[0] ?? '', tree, at, trailers }];
  });
}

async function readPlans(repository: Repository): Promise<ReadonlyMap<string, string>> {
  const refs = await ownRefs(repository);
  const telling = [...refs].filter(([ref]) => attemptName.test(ref) || proofName.test(ref));
  const texts = await readTexts(
    repository,
    telling.map(([, oid]) => oid),
  );
  const { commits, proofs } = texts;
  const open = await openAttempts(repository, refs);
  const isMade = madeSince(repository, open, texts);
  const plans = new Map<string, string>();
  for (const [ref, oid] of telling.filter((one) => !isMade(one))) {
    const proof = proofs.get(oid);
    const path =
      proof === undefined
        ? commits.get(oid)?.trailers.get('Skeleton-Plan')
        : parseProof(proof.text)?.planPath;
    if (path) plans.set(planOf(ref) ?? '', path);
  }
  for (const { trace } of open) plans.set(trace.plan, trace.planPath);
  return plans;
}
