import type { Command } from 'commander';
import { examples, historian } from './command-parts.ts';
import type { Context, JsonFlag } from './command-parts.ts';
import { parseText } from './parsers.ts';
import { placeOf } from './place.ts';

/** Commands that bring back what was rolled back, or take back what was done. */
export function addWayBack(program: Command, context: Context): void {
  addRestore(program, context);
  addUndo(program, context);
}

function addRestore(program: Command, { io, finish }: Context): void {
  const command = historian(
    program,
    'restore',
    "get a kept attempt's work back, as a branch of its own or into the work tree",
  );
  command
    .argument('<task[#N]>', 'the task, and which attempt (default: its last)', parseText)
    .option('--here, --worktree', 'into the work tree, which has to be clean')
    .addHelpText('after', examples('skeleton restore parser#2', 'skeleton restore parser#2 --here'))
    .action(async (attempt: string, flags: JsonFlag & { readonly worktree?: boolean }) => {
      const { json = false, worktree: here = false } = flags;
      const place = placeOf(command, io.cwd);
      const { restore } = await import('./commands/restore.ts');
      finish(await restore({ ...place, json, attempt, here }, io));
    });
}

function addUndo(program: Command, { io, finish }: Context): void {
  const command = historian(
    program,
    'undo',
    'put the branch back at a checkpoint; what leaves it is kept, and an undo can be undone',
  );
  command
    .argument('[checkpoint]', 'its tag, a start tag, or a ref that undo made', parseText)
    .addHelpText('after', examples('skeleton undo', 'skeleton undo skeleton/plan/0002-parser'))
    .action(async (checkpoint: string | undefined, { json = false }: JsonFlag) => {
      const place = placeOf(command, io.cwd);
      const { undo } = await import('./commands/undo.ts');
      finish(await undo({ ...place, json, checkpoint }, io));
    });
}
