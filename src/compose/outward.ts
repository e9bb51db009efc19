/** The part of the composition root for what goes beyond runs: drafting plans, and pull requests. */
import type { DraftMaterial } from '../agent/draft-prompt.ts';
import type * as NewFiles from '../git/new-files.ts';
import type * as PlanDiff from '../git/plan-diff.ts';
import type * as ReplaceFile from '../git/replace-file.ts';
import type { Forge, Publisher } from '../ports.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Pushes what a person wants to publish. Throws Refusal(3) where there is no repository. */
export async function openPublisher(cwd: string, env: Environment): Promise<Publisher> {
  const { openRepository } = await import('../git/repository.ts');
  const publisher = await import('../git/publisher.ts');
  return publisher.openPublisher(await openRepository(cwd, env));
}

/** The programs gh and glab, in this folder. */
export async function openForge(cwd: string, env: Environment): Promise<Forge> {
  return (await import('../forge/forge.ts')).openForge({ cwd, env });
}

interface DraftPlaces {
  /** Absolute. */
  readonly top: string;
  /** Absolute; its templates/ holds the prompt. */
  readonly packageRoot: string;
}

/** The prompt that asks for a plan, with what is near the top of the repository. */
export async function draftPrompt({
  top,
  packageRoot,
  ...material
}: Omit<DraftMaterial, 'files'> & DraftPlaces): Promise<string> {
  const { filesNear } = await import('../git/new-files.ts');
  const { renderDraftPrompt } = await import('../agent/draft-prompt.ts');
  return renderDraftPrompt(packageRoot, { ...material, files: filesNear(top, 2) });
}

/** What compares a plan with another, and writes it. */
export async function openPlanFile(): Promise<
  typeof PlanDiff & typeof ReplaceFile & Pick<typeof NewFiles, 'writeNew'>
> {
  const { writeNew } = await import('../git/new-files.ts');
  const { diffTexts } = await import('../git/plan-diff.ts');
  const { replaceFile } = await import('../git/replace-file.ts');
  return { writeNew, diffTexts, replaceFile };
}

/** Does a piece of work in an empty repository of its own outside of this work tree, which goes with the end of it. */
export async function inScratchFolder<T>(
  top: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const { withEmptyRepository } = await import('../git/empty-repository.ts');
  return withEmptyRepository(top, work);
}
