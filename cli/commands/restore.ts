import { hostOf, readHistory, Refusal, restore as restoreAttempt } from '../../src/index.ts';
import type { Restored } from '../../src/index.ts';
import { shortRef } from '../../src/core/refs.ts';
import { summarise } from '../../src/core/summary.ts';
import { oneLine } from '../../src/core/text.ts';
import { jsonLine } from '../../src/report/json.ts';
import { shellWord } from '../../src/report/shell-word.ts';
import { findAttempt } from '../find-attempt.ts';
import type { FoundAttempt } from '../find-attempt.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';
import type { LookCommand } from './status.ts';

export interface RestoreCommand extends LookCommand {
  /** `TASK` or `TASK#N`; the task by its id or its number. */
  readonly attempt: string;
  /** Into the work tree. */
  readonly here: boolean;
}

/** `skeleton restore TASK#N`: a kept attempt as a branch, or in the work tree. Throws Refusal (2: no such attempt, 3: dirty tree, locked). */
export async function restore(command: RestoreCommand, io: Io): Promise<number> {
  const { cwd, plan, json, here } = command;
  const place = { cwd, env: io.env, ...(plan !== undefined && { planPath: plan }) };
  const find = async (): Promise<FoundAttempt & { readonly host: string | undefined }> => {
    const history = await readHistory(place);
    const { plan: tasks, events } = history;
    const found = findAttempt(summarise(tasks?.tasks, events).tasks, command.attempt);
    return { ...found, host: hostOf(history, found.attempt.run) };
  };
  const { task, attempt } = await find();
  const { number } = attempt;
  const restored = await restoreAttempt({
    ...place,
    find: async () => {
      const found = await find();
      return { task: task.id, number, commit: commitOf(found), host: found.host };
    },
    here,
    onNotice: (message) => {
      print(io.err, `notice  ${oneLine(message)}`);
    },
  });
  const name = `${task.id}#${number}`;
  print(io.out, json ? jsonLine({ attempt: name, ...restored }) : lineOf(name, restored));
  return 0;
}

function commitOf({ task, attempt }: FoundAttempt): string {
  const { outcome, snapshot, number } = attempt;
  const commit = outcome.kind === 'passed' ? outcome.commit : snapshot?.commit;
  if (snapshot?.ref === '') throw new Refusal(2, `nothing of ${task.id}#${number} was kept`);
  if (commit !== undefined) return commit;
  const words = `attempt ${task.id}#${number} is under way, or was cut off: nothing of it is kept yet`;
  throw new Refusal(2, words, 'skeleton run');
}

function lineOf(name: string, restored: Restored): string {
  const what = oneLine(name);
  if (restored.kind === 'here') {
    const files = `${restored.changed} file${restored.changed === 1 ? '' : 's'}`;
    return `${what} lies in the work tree: ${files} changed (git status)`;
  }
  const branch = shortRef(restored.ref);
  const stood = restored.stood ? ' already' : '';
  return `${what} is${stood} the branch ${branch}; to look at it: git diff HEAD ${shellWord(branch)}`;
}
