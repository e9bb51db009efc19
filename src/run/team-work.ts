import type { Snapshot } from '../core/events.ts';
import type { Task } from '../core/plan/plan.ts';
import type { Session } from './session.ts';
import type { Team } from './team.ts';

const trailer = 'Skeleton-Snapshot';

/**
 * Puts work that has passed where every machine can get it, so that it outlives this one: the tree that was judged, on where the
 * attempt began. The agent's own commits stay here: nobody has looked for secrets in them.
 */
export async function giveWork(work: Snapshot, session: Session, team: Team): Promise<void> {
  const { workspace } = session.ports;
  if ((await team.remote.read(work.ref)) !== undefined) return;
  const parent = await workspace.resolve(`${work.commit}^1`);
  if (parent === undefined) return;
  const commit = await workspace.commitObject(await workspace.treeOf(work.commit), parent, {
    subject: `skeleton: passed, and not on the branch yet`,
    body: '',
    trailers: [[trailer, work.commit]],
  });
  await team.remote.give(work.ref, commit);
}

/**
 * The same work as it can be read here: what another machine made is brought. Undefined where it cannot be had, and where it was made
 * on what the branch does not hold any more: with it, that would come back.
 */
export async function workHere(
  work: Snapshot,
  { commit: tip, session }: { readonly commit: string; readonly session: Session },
  team: Team,
): Promise<Snapshot | undefined> {
  const { workspace } = session.ports;
  const here = await bringWork(work, session, team);
  const base = here && (await workspace.resolve(`${here.commit}^1`));
  return base !== undefined && (await team.contains(tip, base)) ? here : undefined;
}

async function bringWork(
  work: Snapshot,
  session: Session,
  team: Team,
): Promise<Snapshot | undefined> {
  if ((await session.ports.workspace.resolve(work.commit)) !== undefined) return work;
  const given = await team.remote.read(work.ref);
  if (given === undefined || !(await team.remote.take(work.ref, given))) return undefined;
  return { ref: work.ref, commit: given };
}

/** Every kept attempt of a task that the remote does not have (`push_attempts`). */
export async function giveRejected(task: Task, session: Session, team: Team): Promise<void> {
  for (const event of await session.journal.open(task.id)) {
    if (event.type !== 'rollback.done' || event.snapshot.ref === '') continue;
    const { ref, commit } = event.snapshot;
    if ((await session.ports.workspace.resolve(commit)) === undefined) continue;
    if ((await team.remote.read(ref)) === undefined) await team.remote.give(ref, commit);
  }
}
