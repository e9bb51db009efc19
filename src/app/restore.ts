import { openHouse, planPathIn, type Environment } from '../compose.ts';
import { attemptRef, restoreBranch, taskSlug } from '../core/refs.ts';
import { Refusal, type MadeBranch } from '../ports.ts';
import { named, withBase } from './open-base.ts';
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
  return withBase({ house, env, planPath, onEvent }, async ({ workspace, keeper, slug }) => {
    const { task, number, commit } = await options.find();
    if ((await workspace.resolve(commit)) === undefined) {
      const words = `the commit ${commit} of ${task}#${number} is gone`;
      const isPruned = (await house.pruned()).has(attemptRef(slug, taskSlug(task), number));
      throw new Refusal(3, isPruned ? `${words}: pruned by gc` : words, isPruned ? '' : 'git fsck');
    }
    if (!options.here) {
      const ref = restoreBranch(slug, taskSlug(task), number);
      return { kind: 'branch', commit, ...(await keeper.makeBranch(ref, commit)) };
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
