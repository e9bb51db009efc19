import { fenceRef } from '../core/refs.ts';
import { Refusal } from '../ports.ts';
import type { Fence, Publication, Published, Remote } from '../ports.ts';
import { toByteName } from './byte-name.ts';
import { writeFence } from './fence-object.ts';
import { fetchPlan } from './fetch-plan.ts';
import type { Seen } from './fetch-plan.ts';
import { GitError } from './git.ts';
import type { Repository } from './located-repository.ts';
import { refuseShallow } from './project.ts';
import { readRefs } from './read-refs.ts';
import { changeRefs } from './ref-changes.ts';
import { assertOneAddress } from './remote-address.ts';
import { openRemoteDoor } from './remote-door.ts';
import type { RemoteRef } from './remote-door.ts';
import { pauseAbout, patienceWith, persist } from './remote-patience.ts';
import { pushMoves, pushOrRefuse, refusal } from './remote-push.ts';
import type { Target } from './remote-push.ts';

/** A remote as a set of doors: its repository here, and what reaches it. */
interface Place extends Target {
  readonly repository: Repository;
}

/** As of the port. Nothing is asked of the remote yet, nor whether there is one of that name. */
export function openRemote(repository: Repository, name: string): Remote {
  const place: Place = { repository, name, door: openRemoteDoor(repository, name) };
  const seen = new Map<string, Seen>();
  return {
    name,
    assertReady: () => assertReady(place),
    fetch: async (plan, branch) => {
      const key = `${plan} ${branch}`;
      const now = await fetchPlan(place, { plan, branch, seen: seen.get(key) });
      seen.set(key, now);
      return now.tip;
    },
    begin: (branch, start) => moveBranch(place, { branch, from: '', ...start }),
    forward: (branch, from, start) => moveBranch(place, { branch, from, ...start }),
    takeFence: (plan, task, owner) => takeFence(place, fenceRef(plan, task), owner),
    publish: (publication) => publish(place, publication),
    read: async (ref) => (await lookUp(place, ref))?.commit,
    give: async (ref, commit) => {
      const moved = await pushOrRefuse(place, [{ ref, from: '', to: commit }]);
      return moved.kind === 'done';
    },
    take: (ref, commit) => take(place, ref, commit),
  };
}

function lookUp({ name, door }: Place, ref: string): Promise<RemoteRef | undefined> {
  return persist(name, async () => (await door.list([ref])).get(ref));
}

async function assertReady(place: Place): Promise<void> {
  const { repository, name, door } = place;
  refuseShallow(repository);
  await assertOneAddress(repository, name);
  await persist(name, () => door.list(['refs/heads/skeleton']));
  const move = { ref: 'refs/skeleton/fence/rehearsal', from: '', to: writeFence(repository, name) };
  const patience = patienceWith(name);
  for (;;) {
    const end = await door.push([move], true);
    if (end.kind === 'done') return;
    if (end.kind === 'refused') throw refusal(name, end);
    await patience.after(end.error);
  }
}

interface BranchMove {
  readonly branch: string;
  readonly from: string;
  readonly tag: string;
  readonly commit: string;
}

/** False where the branch, or the tag's name, is somebody else's by now. */
async function moveBranch(
  place: Place,
  { branch, from, tag, commit }: BranchMove,
): Promise<boolean> {
  await assertForward(place, from, commit);
  const moved = await pushOrRefuse(place, [
    { ref: branch, from, to: commit },
    ...(tag === '' ? [] : [{ ref: tag, from: '', to: commit }]),
  ]);
  if (moved.kind !== 'done') return false;
  // Where another began at the same commit at the same moment, there was nothing to move.
  return from !== '' || moved.made.has(branch);
}

/** A lease lets a branch go anywhere (git-push(1), --force-with-lease): that it only goes forward is for us to see to. */
async function assertForward(place: Place, from: string, to: string): Promise<void> {
  if (from === '' || (await contains(place, to, from))) return;
  throw new Error(`${to} does not come after ${from}: a branch of a remote only goes forward`);
}

async function contains({ repository }: Place, commit: string, other: string): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', other, commit];
  return (await repository.git.ask(args, { answers: [1] })).code === 0;
}

/** Each time another was quicker, it was one of the workers of the same task: few, and none for long. */
const mostClaims = 20;

async function takeFence(place: Place, ref: string, owner: string): Promise<Fence> {
  const at = writeFence(place.repository, owner);
  // Most tasks have none yet, and a list costs a connection: where there is one, the refusal says so.
  let from = '';
  for (let tries = 1; tries <= mostClaims; tries += 1) {
    const moved = await pushOrRefuse(place, [{ ref, from, to: at }]);
    if (moved.kind === 'done') return { ref, at };
    from = moved.there.get(ref)?.oid ?? '';
    if (tries > 1) await pauseAbout(50 * tries);
  }
  const words = `the fence ${ref} on ${place.name} moves faster than it can be taken`;
  throw new Refusal(3, words, `git ls-remote ${place.name} ${ref}`);
}

async function publish(place: Place, publication: Publication): Promise<Published> {
  const { branch, base, commit, tag, proof, proofObject, fence } = publication;
  await assertForward(place, base, commit);
  const moved = await pushMoves(place, [
    { ref: branch, from: base, to: commit },
    { ref: tag, from: '', to: commit },
    { ref: proof, from: '', to: proofObject },
    // A lease on a ref that does not move is not looked at, so this one moves too.
    { ref: fence.ref, from: fence.at, to: commit },
  ]);
  if (moved.kind === 'refused') return moved;
  if (moved.kind === 'done') return { kind: 'done' };
  return judge(place, publication, moved.there);
}

async function judge(
  place: Place,
  { branch, commit, tag, fence }: Publication,
  there: ReadonlyMap<string, RemoteRef>,
): Promise<Published> {
  const isOurs = there.get(tag)?.oid === commit;
  // The answer was lost, and others have built on it since.
  if (isOurs && (await isPartOf(place, commit, there.get(branch)?.oid))) return { kind: 'done' };
  const holder = there.get(fence.ref)?.oid;
  return { kind: holder === fence.at || holder === commit ? 'outpaced' : 'fenced' };
}

async function isPartOf(place: Place, commit: string, tip: string | undefined): Promise<boolean> {
  if (tip === undefined || tip === commit) return tip === commit;
  await persist(place.name, () => place.door.bring([tip]));
  return contains(place, tip, commit);
}

async function take(place: Place, ref: string, commit: string): Promise<boolean> {
  const { repository, name, door } = place;
  const here = (await readRefs(repository)).refs.get(toByteName(ref));
  if (here === commit) return true;
  if ((await lookUp(place, ref))?.oid !== commit) return false;
  if (here !== undefined) throw inTheWay(place, ref);
  await persist(name, () => door.bring([commit]));
  try {
    const change = { kind: 'create', ref: toByteName(ref), to: commit, from: '' } as const;
    await changeRefs(repository.git, [change], 'fetch');
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if ((await readRefs(repository)).refs.get(toByteName(ref)) !== commit)
      throw inTheWay(place, ref);
  }
  return true;
}

function inTheWay({ name }: Place, ref: string): Refusal {
  const words = `${ref} names other work here than on the remote ${name}`;
  const mend = `git branch kept ${ref} && git update-ref -d ${ref}, then again`;
  return new Refusal(4, words, mend);
}
