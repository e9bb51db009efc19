import { openHouse, planPathIn, type Environment, type House } from '../compose.ts';
import { attemptRef, restoreBranch, taskSlug } from '../core/refs.ts';
import { Refusal, type MadeBranch } from '../ports.ts';
import { named, withBase } from './open-base.ts';
import { withOwnTree } from './own-tree.ts';
import { remoteOfUser } from './remote-of-user.ts';
import { noticesTo, refuseDirt } from './undo.ts';

export interface RestoreOptions {
  /** Absolute. */
  readonly cwd: string;
  readonly planPath?: string;
  readonly env: Environment;
  /** Asked once what a dead run left is mended: that may be what keeps the attempt. */
  readonly find: () => Promise<KeptAttempt>;
  /** Into the work tree instead of a branch. */
  readonly here: boolean;
  readonly onNotice: (message: string) => void;
}

export interface KeptAttempt {
  readonly task: string;
  readonly number: number;
  /** Keeps it. */
  readonly commit: string;
  /** The machine where it was made, where several share the ledger. */
  readonly host?: string | undefined;
}

export type Restored =
  | (MadeBranch & { readonly kind: 'branch'; readonly commit: string })
  | { readonly kind: 'here'; readonly changed: number };

/**
 * Gets the work of a kept attempt back (contract, "Commands": `restore`): as a branch, or laid into a clean work tree, where it
 * can be looked at and committed. Throws Refusal(3) where the tree is dirty or something of it would be overwritten.
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { cwd, env } = options;
  const house = await openHouse(cwd, env);
  const planPath = planPathIn(house.facts.top, cwd, options.planPath);
  const onEvent = noticesTo(options.onNotice);
  const opening = { house, env, planPath, onEvent };
  const within = house.shared === undefined ? withBase : withOwnTree;
  return within(opening, async ({ workspace, keeper, slug }) => {
    const kept = await options.find();
    const { task, number } = kept;
    const ref = attemptRef(slug, taskSlug(task), number);
    const isHere = (await workspace.resolve(kept.commit)) !== undefined;
    const commit = isHere ? kept.commit : await givenFor(kept, ref, house);
    if (commit === undefined) throw await gone(kept, ref, { house, env });
    if (!options.here) {
      const branch = restoreBranch(slug, taskSlug(task), number);
      return { kind: 'branch', commit, ...(await keeper.makeBranch(branch, commit)) };
    }
    refuseDirt(await workspace.dirt());
    const laid = await keeper.layOut(commit);
    if (laid.kind === 'done') return { kind: 'here', changed: laid.changed };
    throw new Refusal(
      3,
      `${task}#${number} began elsewhere, and would overwrite ${named(laid.paths)}; nothing was touched`,
      `skeleton restore ${task}#${number}     makes a branch of it, to merge`,
    );
  });
}

/** The tree that was judged, as the machine that made it gave it to the remote, where that was fetched. */
async function givenFor(
  { commit }: KeptAttempt,
  ref: string,
  house: House,
): Promise<string | undefined> {
  const given = await (await house.looker()).resolve(ref);
  if (given === undefined) return undefined;
  const { trailers } = await (await house.checkpoints()).factsOf(given);
  return trailers.get('Skeleton-Snapshot') === commit ? given : undefined;
}

async function gone(
  { task, number, commit, host }: KeptAttempt,
  ref: string,
  { house, env }: { readonly house: House; readonly env: Environment },
): Promise<Refusal> {
  const name = `${task}#${number}`;
  if ((await house.pruned()).has(ref))
    return new Refusal(3, `the commit ${commit} of ${name} is gone: pruned by gc`);
  if (host === undefined)
    return new Refusal(3, `the commit ${commit} of ${name} is gone`, 'git fsck');
  return new Refusal(
    3,
    `${name} is not in this clone: it is kept on ${host}, in the clone of its run`,
    `skeleton restore ${name}     there\ngit fetch ${remoteOfUser(env) ?? 'origin'} ${ref}:${ref}     brings it here, where it had passed its gates; then the same again`,
  );
}
