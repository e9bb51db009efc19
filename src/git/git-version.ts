import { usePlainGit } from './git.ts';

/** As `git version` says it; undefined where git cannot be started. */
export async function gitVersion(
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const said = await usePlainGit({ folder, environment }, (git) => git.raw('version')).catch(
    () => undefined,
  );
  return said?.replace(/^git version /, '').trim();
}
