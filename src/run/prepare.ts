import { workflowPath } from '../core/init/draft-files.ts';
import { tick } from '../core/plan/tick.ts';
import { parsePlan } from '../core/plan/parse-plan.ts';
import type { Plan, Task } from '../core/plan/plan.ts';
import { Refusal, type DirtyPath, type Workspace } from '../ports.ts';

export interface PlanFile {
  readonly plan: Plan;
  readonly bytes: Uint8Array;
}

/** The plan as it lies on disk. Throws Refusal(2) where it is missing, ignored, or no regular file; its own problems are in the plan. */
export async function readPlanFile(
  workspace: Pick<Workspace, 'readWorkFile'>,
  path: string,
): Promise<PlanFile> {
  const file = await workspace.readWorkFile(path);
  if (file.kind === 'missing')
    throw new Refusal(
      2,
      `no plan: ${path} is not there`,
      'skeleton run --plan PATH, or write one: PLAN.md.example shows how',
    );
  if (file.kind === 'other')
    throw new Refusal(
      2,
      `${path} is no regular file but ${file.what}`,
      'the plan has to be a plain file in the work tree',
    );
  if (file.ignored)
    throw new Refusal(
      2,
      `${path} is ignored by git, so a checkpoint could not hold its ticks`,
      `git check-ignore -v ${path}`,
    );
  return { plan: parsePlan(file.bytes, path), bytes: file.bytes };
}

/** All problems at once, a line each. */
export function refuseProblems(problems: readonly string[]): void {
  if (problems.length > 0) throw new Refusal(2, problems.join('\n'), 'skeleton check');
}

/** Whether a path belongs to how the work is done (plan, gates, settings), so that the start commit takes it in. */
export function isStartPath(path: string, plan: string): boolean {
  return path === plan || path === '.skeleton.yml' || /^(?:gates|\.skeleton)\//.test(path);
}

/** What `skeleton init` writes beside the plan: taken in only together with a new plan or new gates, and where HEAD has none. */
const besides: readonly string[] = ['.gitignore', workflowPath];

/** What the start commit takes in, of all that is not committed. */
export function startDirt(dirt: readonly DirtyPath[], plan: string): readonly DirtyPath[] {
  const isNew = ({ code }: DirtyPath): boolean => /^(?:\?\?|A)/.test(code);
  const isFirst = dirt.some((one) => isStartPath(one.path, plan) && isNew(one));
  return dirt.filter(
    (one) => isStartPath(one.path, plan) || (isFirst && besides.includes(one.path) && isNew(one)),
  );
}

/** What the start commit takes in: a new or edited plan, gates and settings. Anything else is the user's work in progress: Refusal(3). */
export function startPaths(dirt: readonly DirtyPath[], plan: string): readonly string[] {
  const taken = startDirt(dirt, plan);
  const foreign = dirt.filter((one) => !taken.includes(one));
  if (foreign.length > 0) throw dirtyTree(foreign);
  return dirt.map(({ path }) => path);
}

const MOST_LISTED = 10;

function dirtyTree(dirt: readonly DirtyPath[]): Refusal {
  const flagged = dirt.filter(({ flag }) => flag !== undefined);
  if (flagged.length > 0) return hiddenChanges(flagged);
  const listed = dirt.slice(0, MOST_LISTED).map(({ code, path }) => `  ${code} ${path}`);
  const more = dirt.length - listed.length;
  if (more > 0) listed.push(`  and ${more} more`);
  const lines = [
    'git add -A && git commit -m "before skeleton"     to keep it as a commit',
    'git stash --include-untracked                     to set it aside (later: git stash pop)',
    'git status                                        to look at it',
  ];
  return new Refusal(
    3,
    `the work tree has changes that are not committed, and nothing was touched:\n${listed.join('\n')}`,
    lines.join('\n'),
  );
}

/** What usually mends a dirty tree does not help where git was told not to look. */
function hiddenChanges(dirt: readonly DirtyPath[]): Refusal {
  const some = dirt.slice(0, MOST_LISTED);
  const listed = some.map(({ path, flag = '' }) => `  ${path} (${flag})`);
  const more = dirt.length - listed.length;
  if (more > 0) listed.push(`  and ${more} more`);
  const lines = some.map(
    ({ path, flag = '' }) => `git update-index --no-${flag} -- ${quoted(path)}`,
  );
  return new Refusal(
    3,
    `files differ from the index, and a flag hides it from git status; nothing was touched:\n${listed.join('\n')}`,
    [...lines, 'then commit the changes, or: git restore PATH'].join('\n'),
  );
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

/** Ticking bound to one plan file. */
export function tickIn(path: string): (plan: Uint8Array, task: Task['id']) => Uint8Array {
  return (plan, task) => tick(plan, path, task);
}
