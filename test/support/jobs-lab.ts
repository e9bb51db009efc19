import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Recorded } from '../../src/core/events.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite-ledger.ts';
import { makeUserRepository, type Ended, type UserRepository } from './user-repository.ts';

/** What the agent does in a task: shell, in the work tree; `early` in its first attempts. */
export interface JobsTask {
  readonly id: string;
  /** Undefined: none, and not the one before it either. */
  readonly needs?: readonly string[];
  readonly files?: string;
  readonly attempts?: number;
  readonly edits: string;
  readonly early?: readonly string[];
}

/** Every tree that the gates see is written down beside the repository, with what they say to it. */
const gate = `#!/bin/sh
export GIT_INDEX_FILE="$(mktemp -u)"
git add --all && tree=$(git write-tree); rm -f "$GIT_INDEX_FILE"
sleep "\${GATE_SECONDS:-0}"
said=pass
for bad in BAD*; do test -e "$bad" && said=fail; done
test "$(cat claims/* 2>/dev/null | sort | uniq -d)" = '' || said=fail
echo "$SKELETON_TASK_ID $tree $said $PWD" >> "$OUTSIDE/gated"
test $said = pass || { echo "this tree is amiss"; exit 1; }
`;

const agent = `
cat > /dev/null
echo "$SKELETON_TASK_ID $SKELETON_ATTEMPT $SKELETON_SLOT $PWD" >> "$OUTSIDE/calls"
sleep "$(cat "$OUTSIDE/seconds-$SKELETON_TASK_ID" 2>/dev/null || echo 0)"
edits="$OUTSIDE/edits-$SKELETON_TASK_ID"
test ! -e "$edits-$SKELETON_ATTEMPT" || edits="$edits-$SKELETON_ATTEMPT"
. "$edits"
`;

/** A repository whose agent does to each task what was recorded for it, however many are worked on at once. */
export interface JobsLab extends UserRepository {
  readonly jobs: (count: number, ...more: readonly string[]) => Promise<Ended>;
  /** `jobs` as arguments, for `start`. */
  readonly args: (count: number, ...more: readonly string[]) => readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** How long the agent takes for a task. */
  readonly takes: (task: string, seconds: number) => void;
  /** `TASK ATTEMPT SLOT FOLDER` of each call of the agent. */
  readonly calls: () => readonly string[];
  /** `TASK TREE VERDICT FOLDER` of each gate run. */
  readonly gated: () => readonly string[];
  readonly history: () => Promise<readonly Recorded[]>;
}

export function makeJobsLab(
  tasks: readonly JobsTask[],
  {
    front = '',
    files = {},
  }: { readonly front?: string; readonly files?: Readonly<Record<string, string>> } = {},
): JobsLab {
  const made = makeUserRepository();
  const { outside, top } = made;
  made.write('gates/check.sh', gate);
  for (const [path, text] of Object.entries(files)) made.write(path, text);
  made.write('PLAN.md', `${front}# Plan\n\n${tasks.map(itemOf).join('')}`);
  made.git('add', '--all');
  made.git('commit', '--quiet', '--message=plan');
  const put = (name: string, text: string): void => writeFileSync(join(outside, name), text);
  for (const { id, edits, early = [] } of tasks) {
    put(`edits-${id}`, edits);
    for (const [nth, text] of early.entries()) put(`edits-${id}-${nth + 1}`, text);
  }
  const command = made.agent(agent);
  const env = { OUTSIDE: outside };
  const args: JobsLab['args'] = (count, ...more) => [
    ...['run', '--jobs', String(count), '--agent-command', command, ...more],
  ];
  const lines = (name: string): readonly string[] =>
    existsSync(join(outside, name))
      ? readFileSync(join(outside, name), 'utf8').trimEnd().split('\n')
      : [];
  return {
    ...made,
    args,
    env,
    jobs: (count, ...more) => made.start(args(count, ...more), env).ended,
    takes: (task, seconds) => put(`seconds-${task}`, String(seconds)),
    calls: () => lines('calls'),
    gated: () => lines('gated'),
    history: () => historyOf(top, dirname(outside)),
  };
}

function itemOf({ id, needs = [], files, attempts }: JobsTask): string {
  const fields = [
    `needs: ${needs.length === 0 ? 'none' : needs.join(', ')}`,
    ...(files === undefined ? [] : [`files: ${files}`]),
    ...(attempts === undefined ? [] : [`attempts: ${attempts}`]),
  ];
  return `- [ ] Make ${id} {#${id}}\n${fields.map((field) => `  ${field}\n`).join('')}`;
}

/** From a copy: the npm twin of node:sqlite holds a file open after its close. */
async function historyOf(top: string, folder: string): Promise<readonly Recorded[]> {
  const path = join(top, '.git/skeleton/ledger.db');
  const room = mkdtempSync(join(folder, 'read '));
  mkdirSync(room, { recursive: true });
  const copy = join(room, 'ledger.db');
  for (const end of ['', '-wal']) if (existsSync(path + end)) copyFileSync(path + end, copy + end);
  const ledger = await openSqliteLedger(copy, { readOnly: true });
  try {
    return await ledger.history('plan');
  } finally {
    await ledger.close();
  }
}
