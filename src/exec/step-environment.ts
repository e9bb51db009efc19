import { withoutPassword } from '../core/env-rules.ts';
import { ledgerPlace, ledgerVariable } from '../core/ledger-place.ts';
import { reflogMark } from '../core/refs.ts';
import { clip } from '../core/text.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What agent and gates are told of the attempt (contract, "Agent step" and "Gates"). */
export interface StepFacts {
  readonly run: string;
  /** Path of the plan, relative to the top of the work tree. */
  readonly plan: string;
  readonly task?: { readonly id: string; readonly title: string } | undefined;
  readonly attempt?:
    { readonly attempt: number; readonly attempts: number; readonly base: string } | undefined;
  /** Of the tasks that are worked on at once, which one this is; undefined: 0, where there is an attempt. */
  readonly slot?: number | undefined;
  /** Name of the task's stage. */
  readonly stage?: string | undefined;
  /** Absolute. */
  readonly promptFile?: string | undefined;
  /** Absolute. */
  readonly changedFiles?: string | undefined;
}

/**
 * `git rev-parse --local-env-vars` of git 2.39, and what belongs to GIT_CONFIG_COUNT and to a push under way: with them,
 * git in a step that was started from a hook works on another repository, or with another index.
 */
const gitsOwn = new Set([
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_CONFIG',
  'GIT_CONFIG_COUNT',
  'GIT_CONFIG_PARAMETERS',
  'GIT_DIR',
  'GIT_GRAFT_FILE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_QUARANTINE_PATH',
  'GIT_REPLACE_REF_BASE',
  'GIT_SHALLOW_FILE',
  'GIT_WORK_TREE',
]);
const withheld = new Set([...gitsOwn, ledgerVariable]);
const gitsPairs = /^GIT_CONFIG_(?:KEY|VALUE)_\d+$/;

/** Bytes. The system refuses to start a process with a variable over 128 KiB (execve(2), MAX_ARG_STRLEN). */
const LONGEST_VALUE = 8192;

/**
 * The complete environment of an agent's or a gate's process: ours without git's own variables and without where the ledger is (what a
 * password opens is ours to write), and the facts of the step.
 * A fact that the step does not have (a gate that runs without a task) stays as we were given it.
 */
export function stepEnvironment(ours: Environment, facts: StepFacts): Record<string, string> {
  const { run, plan, task, attempt } = facts;
  // Those who are told of a run have an environment that nothing has gone through yet.
  const isShared = ledgerPlace(ours[ledgerVariable]).kind === 'shared';
  const given = isShared ? withoutPassword(ours) : ours;
  return Object.fromEntries([
    ...definedIn(given).filter(([name]) => !withheld.has(name) && !gitsPairs.test(name)),
    ...definedIn({
      SKELETON_RUN_ID: run,
      SKELETON_PLAN: plan,
      SKELETON_TASK_ID: task?.id,
      SKELETON_TASK_TITLE: task?.title,
      SKELETON_ATTEMPT: attempt?.attempt.toString(),
      SKELETON_ATTEMPTS: attempt?.attempts.toString(),
      SKELETON_BASE: attempt?.base,
      SKELETON_SLOT: attempt && String(facts.slot ?? 0),
      SKELETON_STAGE: facts.stage,
      SKELETON_PROMPT_FILE: facts.promptFile,
      SKELETON_CHANGED_FILES: facts.changedFiles,
      GIT_REFLOG_ACTION: attempt && reflogMark,
    }).map(([name, value]) => [name, clip(value.replaceAll('\0', '\u2400'), LONGEST_VALUE)]),
  ]) as Record<string, string>;
}

function definedIn(variables: Environment): [string, string][] {
  return Object.entries(variables).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] satisfies [string, string]],
  );
}
