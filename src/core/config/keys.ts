/** Every key there is, once: validation, suggestions and the JSON schema all come from these tables. */

import { keysOfAgents } from './agent-keys.ts';
import type { ConfigKey, Place } from './key.ts';
import { keysOfMachines } from './machine-keys.ts';
import { everywhere, withTask } from './places.ts';

export type * from './key.ts';

const MOST_ATTEMPTS = 5;
const MOST_JOBS = 64;
const MOST_TASKS = 1_000_000;

const inTask: readonly Place[] = ['task'];

const attempts = { kind: 'count', least: 1, most: MOST_ATTEMPTS } as const;

export const configKeys: readonly ConfigKey[] = [
  ...keysOfAgents,
  ...keysOfMachines,
  {
    name: 'attempts',
    type: attempts,
    places: withTask,
    ceiling: true,
    doc: 'Attempts a task has before it counts as failed: 1 to 5.',
  },
  {
    name: 'timeout',
    type: { kind: 'duration' },
    places: withTask,
    ceiling: true,
    doc: 'Longest time of one agent step.',
  },
  {
    name: 'idle_timeout',
    type: { kind: 'duration' },
    places: withTask,
    ceiling: true,
    doc: 'Longest time that an agent step may print nothing.',
  },
  {
    name: 'max_time',
    type: { kind: 'duration' },
    places: everywhere,
    ceiling: true,
    doc: 'Longest time of the whole run; it stops, resumable.',
  },
  {
    name: 'max_wait',
    type: { kind: 'duration' },
    places: everywhere,
    ceiling: true,
    doc: 'Longest time that a run may wait for providers, summed over the run; it stops, resumable.',
  },
  {
    name: 'limit',
    type: { kind: 'count', least: 1, most: MOST_TASKS },
    places: everywhere,
    ceiling: true,
    doc: 'Most tasks of one run.',
  },
  {
    name: 'jobs',
    type: { kind: 'count', least: 1, most: MOST_JOBS },
    places: everywhere,
    ceiling: true,
    doc: 'Most tasks that are worked on at once, where needs and files allow it.',
  },
  {
    name: 'share',
    type: { kind: 'share' },
    places: everywhere,
    doc: 'Ignored files and folders, such as node_modules, that each worktree of `jobs` gets: paths, or maps with `path` and `how`.',
  },
  {
    name: 'keep_going',
    type: { kind: 'boolean' },
    places: everywhere,
    doc: 'After a failure only declared needs block what comes later.',
  },
  {
    name: 'fail_fast',
    type: { kind: 'boolean' },
    places: everywhere,
    doc: 'After the first failure nothing more starts.',
  },
  {
    name: 'autostash',
    type: { kind: 'boolean' },
    places: everywhere,
    doc: 'Set uncommitted work aside before the run and put it back after.',
  },
  {
    name: 'branch',
    type: { kind: 'line' },
    places: everywhere,
    doc: 'Branch to work on; it is made where there is none.',
  },
  {
    name: 'isolate',
    type: { kind: 'boolean' },
    places: everywhere,
    doc: 'Work in a linked worktree and leave this one alone.',
  },
  {
    name: 'keep_awake',
    type: { kind: 'boolean' },
    places: everywhere,
    doc: 'Whether the machine is kept from sleeping while a run goes (systemd-inhibit, caffeinate); never in CI.',
  },
  {
    name: 'no_gates',
    type: { kind: 'boolean' },
    places: everywhere,
    doc: 'Run without gates: tasks are unjudged, verify exits with 1.',
  },
  {
    name: 'gates',
    type: { kind: 'gates' },
    places: ['plan', 'project'],
    doc: 'What judges a task: shell commands, names of gates, or maps.',
  },
  {
    name: 'gate_timeout',
    type: { kind: 'duration' },
    places: everywhere,
    ceiling: true,
    doc: 'Longest time of a gate that has no timeout of its own.',
  },
  {
    name: 'baseline',
    type: { kind: 'choice', of: ['run', 'require', 'skip'] },
    places: everywhere,
    doc: 'Gates on the untouched tree before the first task: run them, require them to pass, or skip them.',
  },
  {
    name: 'tasks',
    type: { kind: 'choice', of: ['heading-2', 'heading-3', 'heading-4', 'boxes'] },
    places: ['plan'],
    doc: 'What is a task, where the plan does not say it by itself.',
  },
  {
    name: 'protect',
    type: { kind: 'globs' },
    places: everywhere,
    doc: 'Paths that an agent may not change.',
  },
  {
    name: 'protect_new',
    type: { kind: 'boolean' },
    places: everywhere,
    doc: 'Whether new files under protected paths are refused too.',
  },
  {
    name: 'tests',
    type: { kind: 'globs' },
    places: everywhere,
    doc: 'Tests: when an attempt touches existing ones, the gates run with the old ones too.',
  },
  {
    name: 'setup',
    type: { kind: 'setup' },
    places: everywhere,
    doc: 'Command that makes a clean worktree ready for the gates, and each worktree of `jobs` for its agent, or a map with `run` and the `files` it depends on.',
  },
  {
    name: 'max_file',
    type: { kind: 'size' },
    places: everywhere,
    ceiling: true,
    doc: 'Largest file that a checkpoint may add.',
  },
  {
    name: 'max_log',
    type: { kind: 'size' },
    places: everywhere,
    ceiling: true,
    doc: 'Largest log of one step; the middle of a longer one is left out.',
  },
  {
    name: 'keep_commits',
    type: { kind: 'boolean' },
    places: everywhere,
    doc: 'Leave the commits that the agent made itself in the history.',
  },
  {
    name: 'commit',
    type: { kind: 'line' },
    places: everywhere,
    doc: "Template of a checkpoint's subject.",
  },
  {
    name: 'prompt',
    type: { kind: 'path' },
    places: everywhere,
    doc: "Path of the prompt's template, from the top of the repository.",
  },
  {
    name: 'notify',
    type: { kind: 'notify' },
    places: everywhere,
    doc: 'Who is told how a run ends, that it waits, or that it did not start: a shell command that gets JSON, or a map with `command` or `webhook`, and `on`; or a list of these, empty for nobody.',
  },
  {
    name: 'on_success',
    type: { kind: 'commands' },
    places: everywhere,
    doc: 'Shell commands that run, with the JSON of its report on their standard input, after a run that ended with 0.',
  },
  {
    name: 'on_failure',
    type: { kind: 'commands' },
    places: everywhere,
    doc: 'The same after a run that ended with 1 or 4.',
  },
  {
    name: 'gate',
    type: { kind: 'commands' },
    places: inTask,
    doc: "Command or name of a gate that judges this task, beside the plan's gates.",
  },
  {
    name: 'may_change',
    type: { kind: 'globs' },
    places: inTask,
    doc: 'Gates, protected paths and the like that this task may change.',
  },
  {
    name: 'allow_empty',
    type: { kind: 'boolean' },
    places: inTask,
    doc: 'The task passes even when nothing had to change.',
  },
];

/** `idle_timeout` → `idleTimeout`. */
export function propertyOf(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
