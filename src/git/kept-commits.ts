import type { AttemptRules } from '../ports.ts';
import type { ByteName } from './byte-name.ts';
import { ignoredAtBegin } from './ignore-rules.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { trackedPaths } from './tracked-paths.ts';

export interface KeptCommits {
  /** The agent's newest commit; undefined where its commits are squashed. */
  readonly commits: string | undefined;
  /** Paths in those commits that were ignored where the attempt began: they would stand in the history for good. */
  readonly unignored: readonly ByteName[];
}

const none: KeptCommits = { commits: undefined, unignored: [] };

/** The agent's own commits, where they are to stay in the history (`keep_commits`) and go on from where the attempt began. */
export async function keptCommits(
  attempt: OpenAttempt,
  rules: AttemptRules,
  agentHead: string | undefined,
): Promise<KeptCommits> {
  if (!rules.keepCommits || agentHead === undefined) return none;
  const { repository, record, baseIndex } = attempt;
  const { git } = repository;
  const args = ['merge-base', '--is-ancestor', record.base, agentHead];
  if ((await git.ask(args, { answers: [1] })).code !== 0) return none;
  const format = ['--format=', '--name-only', '-z', '--no-renames', '-m'];
  const listed = await git.run(['log', ...format, `${record.base}..${agentHead}`]);
  const tracked = trackedPaths(baseIndex.bytes, repository);
  const names = new Set(listed.toString('latin1').split(/[\0\n]/));
  const added = [...names].filter((path) => path !== '' && !tracked.has(path));
  const ignored = await ignoredAtBegin(attempt, added);
  return { commits: agentHead, unignored: added.filter((path) => ignored.has(path)) };
}
