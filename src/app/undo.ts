import { openHouse, planPathIn, type Environment } from '../compose.ts';
import { nearest } from '../core/config/nearest.ts';
import { parseTag, planOfUndoRef, shortRef } from '../core/refs.ts';
import { Refusal, type DirtyPath, type Mark, type Moved } from '../ports.ts';
import { withBase } from './open-base.ts';
import { isUntouched, noCommit } from './refuse-no-commit.ts';
import { refuseSharedUndo } from './refuse-shared.ts';

export interface UndoOptions {
  /** Absolute. */
  readonly cwd: string;
  readonly planPath?: string;
  readonly env: Environment;
  /** A checkpoint's or start's tag or a ref of an earlier `undo`, short or full; undefined for the one before the last. */
  readonly checkpoint?: string;
  /** What a dead run left and how it was mended, in words. */
  readonly onNotice: (message: string) => void;
}

export interface Undone extends Moved {
  /** Full name of where the branch is now. */
  readonly ref: string;
  readonly commit: string;
  /** Where it was. */
  readonly from: string;
}

/**
 * Puts the branch, and with it work tree and index, back at a checkpoint (contract, "Commands": `undo`). Its tasks are pending
 * again, because the plan at HEAD says so. Throws Refusal(2) for an unknown checkpoint, Refusal(3) for a dirty tree or a lock.
 */
export async function undo(options: UndoOptions): Promise<Undone> {
  const { cwd, env, checkpoint } = options;
  const house = await openHouse(cwd, env);
  refuseSharedUndo(house, planPathIn(house.facts.top, cwd, options.planPath));
  if (house.facts.head === undefined && (await isUntouched(house))) throw noCommit();
  const planPath = planPathIn(house.facts.top, cwd, options.planPath);
  const plan = checkpoint === undefined ? undefined : planOf(checkpoint);
  const opening = { house, env, planPath, ...(plan !== undefined && { slug: plan }) };
  const onEvent = noticesTo(options.onNotice);
  return withBase({ ...opening, onEvent }, async ({ workspace, keeper, slug }) => {
    const from = await workspace.resolve('HEAD');
    if (from === undefined) throw noCommit();
    const marks = await keeper.marks(slug);
    const target = checkpoint === undefined ? before(marks, slug) : find(marks, checkpoint, slug);
    await workspace.assertReady(slug);
    refuseDirt(await workspace.dirt());
    const moved = await keeper.moveBranch(slug, target.commit);
    return { ...moved, ref: target.ref, commit: target.commit, from };
  });
}

function planOf(checkpoint: string): string | undefined {
  return parseTag(checkpoint)?.plan ?? planOfUndoRef(checkpoint);
}

/** Hands on the notices among the events. */
export function noticesTo(
  onNotice: (message: string) => void,
): Parameters<typeof withBase>[0]['onEvent'] {
  return ({ event }) => {
    if (event.type === 'notice') onNotice(event.message);
  };
}

/** The newest mark of HEAD's history that is older than its last checkpoint: a start counts, so that no commit of a person leaves unasked. */
function before(marks: readonly Mark[], plan: string): Mark {
  const reached = marks
    .filter(({ isReached }) => isReached)
    .map((mark) => ({ mark, name: parseTag(mark.ref) }))
    .sort((a, b) => (b.name?.number ?? 0) - (a.name?.number ?? 0));
  const last = reached.find(({ name }) => name?.isStart === false);
  const target = reached
    .slice(last === undefined ? reached.length : reached.indexOf(last) + 1)
    .find(({ mark }) => mark.commit !== last?.mark.commit);
  if (target !== undefined) return target.mark;
  const what =
    last === undefined ? `no checkpoint of ${plan}` : 'nothing before its first checkpoint';
  throw new Refusal(2, `nothing to undo: HEAD holds ${what}`, someOf(marks));
}

function find(marks: readonly Mark[], asked: string, plan: string): Mark {
  const found = marks.find((mark) => namesOf(mark).includes(asked));
  if (found !== undefined) return found;
  const near = nearest(asked, marks.flatMap(namesOf)) ?? ofTask(marks, asked);
  const hint = near === undefined ? '' : `; did you mean '${near}'?`;
  throw new Refusal(2, `${plan} has no checkpoint '${asked}'${hint}`, someOf(marks));
}

/** The newest checkpoint of the task that was most likely meant. */
function ofTask(marks: readonly Mark[], asked: string): string | undefined {
  const tasks = marks.map(({ ref }) => parseTag(ref)?.task ?? '');
  const near = nearest(
    asked,
    tasks.filter((task) => task !== ''),
  );
  return marks[near === undefined ? -1 : tasks.lastIndexOf(near)]?.ref.split('/').at(-1);
}

/** What it may be called by; the first is what a person would type. */
function namesOf({ ref }: Mark): readonly string[] {
  const [short, inRefs] = [shortRef(ref), ref.replace(/^refs\//, '')];
  return [short, inRefs, ref, ref.split('/').at(-1) ?? ''];
}

const MOST_LISTED = 8;

/** The newest ones, ready to be typed. */
function someOf(marks: readonly Mark[]): string {
  const names = marks.map(({ ref }) => ref.replace(/^refs\/(?:tags\/)?/, ''));
  const newest = names.slice(-MOST_LISTED).map((name) => `skeleton undo ${name}`);
  return newest.length === 0 ? 'skeleton status' : newest.join('\n');
}

/** Everything counts here, a new plan too: it would be overwritten. */
export function refuseDirt(dirt: readonly DirtyPath[]): void {
  if (dirt.length === 0) return;
  const listed = dirt.slice(0, MOST_LISTED).map(({ code, path }) => `\n  ${code} ${path}`);
  const more = dirt.length > MOST_LISTED ? `\n  and ${dirt.length - MOST_LISTED} more` : '';
  throw new Refusal(
    3,
    `the work tree has changes that are not committed, and nothing was touched:${listed.join('')}${more}`,
    'git add -A && git commit -m "before undo"     to keep it as a commit\ngit stash --include-untracked     to set it aside (later: git stash pop)',
  );
}
