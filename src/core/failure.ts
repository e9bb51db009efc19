/** Why an attempt did not pass: the closed list of architecture.md, "The machine". */
export const failureKinds = [
  'agent-error',
  'timed-out',
  'idle',
  'no-change',
  'gate-failed',
  'gate-changed-tree',
  'ungated',
  'tampered',
  'nested-repo',
  'too-large',
  'unaddable',
  'unignored',
  'secret',
  'conflict',
  'crashed',
  'stagnated',
  'reviewed',
] as const;
export type FailureKind = (typeof failureKinds)[number];

export interface Failure {
  readonly kind: FailureKind;
  /** What a person wants to know beyond the kind: `exit 3`, `timeout: 30m`. */
  readonly detail?: string;
  /** Paths the failure is about, relative to the top of the work tree, shown with odd bytes escaped. */
  readonly paths?: readonly string[];
  /** Names of the gates that rejected. */
  readonly gates?: readonly string[];
}

/** Why an attempt ended without costing anything. */
export type VoidReason =
  | 'throttled'
  | 'interrupted'
  | 'gate-error'
  | 'over-budget'
  | 'signed-out'
  | 'sent-back'
  | 'ahead'
  | 'lost'
  | 'outpaced'
  | 'unpushed'
  | 'stage';

/** After these another agent, or the same anew, goes on at once. */
export const goesOn: ReadonlySet<VoidReason> = new Set([
  ...(['throttled', 'sent-back', 'ahead', 'lost', 'outpaced', 'stage'] as const),
]);

const sentence: Readonly<Record<FailureKind, string>> = {
  'agent-error': 'the agent failed',
  'timed-out': 'the agent ran out of time',
  idle: 'the agent said nothing for too long',
  'no-change': 'the agent changed nothing',
  'gate-failed': 'rejected',
  'gate-changed-tree': 'a gate changed tracked files',
  ungated: 'no gate passed it: all were soft or skipped',
  tampered: 'the attempt changed what judges it',
  'nested-repo': 'the attempt made a repository inside the repository',
  'too-large': 'the attempt left files over max_file',
  unaddable: 'the attempt left files that git cannot hold',
  unignored: 'the attempt would commit files that were ignored',
  secret: 'the attempt would commit a secret',
  conflict: 'the attempt conflicts with what was checkpointed meanwhile',
  crashed: 'the run died during the attempt',
  stagnated: 'the attempts repeat themselves',
  reviewed: 'a review found what has to be mended',
};

const voids: Readonly<Record<VoidReason, string>> = {
  throttled: 'the provider turned the agent away',
  interrupted: 'interrupted',
  'gate-error': 'a gate could not judge it',
  'over-budget': 'a limit of the run was reached (max_time or budget)',
  'signed-out': 'the agent is signed out, or its provider does not let it work',
  'sent-back': 'sent back: it did not go onto what had passed meanwhile',
  ahead: 'passed ahead of its turn on the branch',
  lost: 'its work tree, or the work that it was to judge, was gone',
  outpaced: 'passed, but the branch had moved on the remote before it came there',
  stage: 'its stage is done, and the next one goes on',
  unpushed: 'passed, but the remote did not take it',
};

export function isVoidReason(word: unknown): word is VoidReason {
  return typeof word === 'string' && Object.hasOwn(voids, word);
}

/** Why an attempt costs nothing, for people. */
export function describeVoid(why: VoidReason): string {
  return voids[why];
}

const MOST_PATHS = 5;

/** One line for people: kind, gates or paths (at most five), detail. */
export function describeFailure(failure: Failure): string {
  const gates = failure.gates?.length ? ` by ${failure.gates.join(', ')}` : '';
  const detail = failure.detail === undefined ? '' : ` (${failure.detail})`;
  return sentence[failure.kind] + gates + detail + listPaths(failure.paths ?? []);
}

function listPaths(paths: readonly string[]): string {
  if (paths.length === 0) return '';
  const more = paths.length - MOST_PATHS;
  return `: ${paths.slice(0, MOST_PATHS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
