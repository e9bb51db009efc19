import { undo as undoCheckpoint } from '../../src/index.ts';
import type { Undone } from '../../src/index.ts';
import { oneLine } from '../../src/core/text.ts';
import { jsonLine } from '../../src/report/json.ts';
import { shellWord } from '../../src/report/shell-word.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';
import type { LookCommand } from './status.ts';

export interface UndoCommand extends LookCommand {
  /** As it was typed; undefined for the one before the last. */
  readonly checkpoint: string | undefined;
}

/** `skeleton undo [CHECKPOINT]`: the branch back at a checkpoint. Throws Refusal (2: no such checkpoint, 3: dirty tree, locked). */
export async function undo(command: UndoCommand, io: Io): Promise<number> {
  const { cwd, plan: planPath, json, checkpoint, planOption } = command;
  const undone = await undoCheckpoint({
    cwd,
    env: io.env,
    onNotice: (message) => {
      print(io.err, `notice  ${oneLine(message)}`);
    },
    ...(planPath !== undefined && { planPath }),
    ...(checkpoint !== undefined && { checkpoint }),
  });
  for (const notice of undone.notices) print(io.err, `notice  ${oneLine(notice)}`);
  print(io.out, json ? jsonLine(dataOf(undone)) : linesOf(undone, planOption).join('\n'));
  return 0;
}

function dataOf({ ref, commit, from, kept, left }: Undone): object {
  return { ref, commit, from, kept: kept ?? null, left };
}

function linesOf({ ref, commit, from, kept, left }: Undone, planOption: string): readonly string[] {
  const at = `the branch is at ${shortName(ref)} (${commit.slice(0, 10)})`;
  if (from === commit) return [`nothing to do: ${at}`];
  if (kept === undefined) return [`${at}; nothing left it`];
  const commits = `${left} commit${left === 1 ? '' : 's'}`;
  return [
    `${at}; ${commits} left it and ${left === 1 ? 'is' : 'are'} kept at ${kept}`,
    `to take that back: skeleton undo${planOption} ${shellWord(shortName(kept))}`,
  ];
}

/** What can be typed: tags and refs of ours without their first folders. */
function shortName(ref: string): string {
  return ref.replace(/^refs\/(?:tags\/)?/, '');
}
