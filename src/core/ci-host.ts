/** Whose log is read: `generic` is any other service that says it is one, `none` a person's own machine. */
export type CiHost = 'github' | 'gitlab' | 'azure' | 'generic' | 'none';

/**
 * The CI service that this environment is of, as each documents its own variables: GitHub Actions `GITHUB_ACTIONS`, GitLab
 * `GITLAB_CI`, Azure Pipelines `TF_BUILD` (which sets no `CI`), and `CI` of nearly all others.
 */
export function detectCiHost(env: Readonly<Record<string, string | undefined>>): CiHost {
  const isSet = (name: string): boolean =>
    !['', '0', 'false'].includes((env[name] ?? '').toLowerCase());
  if (isSet('GITHUB_ACTIONS')) return 'github';
  if (isSet('GITLAB_CI')) return 'gitlab';
  if (isSet('TF_BUILD')) return 'azure';
  return isSet('CI') ? 'generic' : 'none';
}
