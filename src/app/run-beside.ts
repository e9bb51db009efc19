import { openHouse, type House } from '../compose.ts';
import { isolateBranch, shortRef } from '../core/refs.ts';
import { Refusal, type Beside, type Lock } from '../ports.ts';
import { isStartPath } from '../run/prepare.ts';
import { carryOut, type RunResult } from './carry-out.ts';
import { held } from './held.ts';
import { named, tell, underWayIn, withBase } from './open-base.ts';
import { readPlans, withLedger } from './read-ledger.ts';
import { noCommit } from './refuse-no-commit.ts';
import type { OpenBase, PlaceJob } from './run-base.ts';
import { slugOf } from './whole-ledger.ts';

/**
 * Works in a linked worktree beside the repository (`--isolate`), on branch `skeleton/PLAN` or the one that `--branch` names.
 * The user's work tree is only read, so it may be dirty; but what is not committed does not exist for the run, and a plan or a
 * gate that is not is refused with 3.
 */
export async function runBeside(job: PlaceJob, asked: string | undefined): Promise<RunResult> {
  const { options, io, house, planPath, onBegin } = job;
  const { head } = house.facts;
  if (head === undefined) throw noCommit();
  await refuseUncommitted(job);
  const slug = await slugOf(house, planPath, await readPlans(house));
  await refuseUnderWay(house, slug);
  const { folder, notices } = await openFolder(house, slug, asked);
  const inner = await openHouse(folder, io.env);
  const { onEvent, onEarlier, env } = io;
  const opening = { house: inner, env, planPath, slug, onEvent, onEarlier };
  return withBase(opening, async (base, usedUp) => {
    for (const notice of notices) await tell(base, notice);
    await catchUp(base, head);
    return carryOut({ ...base, options, io, onBegin, isolated: folder }, usedUp);
  });
}

/** `what` is committed only, in words: where it is not an isolated run, nobody has asked for one. Throws Refusal(3). */
export async function refuseUncommitted(
  { house, planPath }: PlaceJob,
  what?: string,
): Promise<void> {
  const dirt = await (await house.workspace()).dirt();
  const paths = dirt.map(({ path }) => path).filter((path) => isStartPath(path, planPath));
  if (paths.length === 0) return;
  const works = what ?? 'an isolated run works on what is';
  const other = what === undefined ? '; or run without --isolate' : '';
  throw new Refusal(
    3,
    `${works} committed, and this is not: ${named(paths)}`,
    `git add -- ${paths.map(quoted).join(' ')} && git commit -m plan     then run again${other}`,
  );
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

/** Before a worktree is made: what a dead run left in the user's own work tree has to be cleared up there. */
async function refuseUnderWay(house: House, slug: string): Promise<void> {
  const lock = held((await house.locks()).acquire(`plan-${slug}`, 'skeleton run --isolate'));
  try {
    const { id } = await house.workspace();
    const read = await withLedger(house, (ledger) => ledger.underWay(id));
    const traced = await (await house.traces()).openHere();
    const open = read.kind === 'read' ? read.value : traced && [{ ...traced, task: traced.id }];
    const mine = open?.find(({ plan }) => plan === slug);
    if (mine !== undefined) throw underWayIn(house.facts.top, mine.task);
  } finally {
    lock.release();
  }
}

/** Two runs that start at once make one worktree. */
export async function openFolder(
  house: House,
  slug: string,
  asked: string | undefined,
): Promise<Beside> {
  const keeper = await house.keeper();
  const lock: Lock = held(
    (await house.locks()).acquire(`isolate-${slug}`, 'skeleton run --isolate'),
  );
  try {
    const branch = asked === undefined ? isolateBranch(slug) : `refs/heads/${asked}`;
    return await keeper.openBeside(slug, branch);
  } finally {
    lock.release();
  }
}

/** What was committed since the branch was made comes in where that is a mere step forward; else it is only said. */
async function catchUp(base: OpenBase, head: string): Promise<void> {
  const { keeper, workspace, slug, house } = base;
  const at = await workspace.resolve('HEAD');
  if (at === undefined || (await keeper.contains(at, head))) return;
  const branch = shortRef(house.facts.branch ?? '');
  if (!(await keeper.contains(head, at))) {
    const merge = `git -C '${house.facts.top}' merge ${head.slice(0, 10)}`;
    return tell(base, `${branch} does not hold what you committed since; to take it in: ${merge}`);
  }
  if ((await workspace.dirt()).length > 0) return;
  await keeper.moveBranch(slug, head);
}
