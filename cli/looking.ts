import type { Command } from 'commander';
import { examples, historian } from './command-parts.ts';
import type { Context, JsonFlag } from './command-parts.ts';
import { parseText } from './parsers.ts';
import { placeOf } from './place.ts';

/** Commands that say where a plan stands and what became of it. */
export function addLooking(program: Command, context: Context): void {
  addStatus(program, context);
  addLog(program, context);
  addShow(program, context);
}

interface StatusFlags extends JsonFlag {
  readonly failed?: boolean;
}

function addStatus(program: Command, { io, finish }: Context): void {
  const command = historian(program, 'status', 'say where the plan stands, and what to type next');
  command
    .option('--failed', 'only the tasks that failed for good, why, and what waits for them')
    .addHelpText('after', examples('skeleton status', 'skeleton status --failed --json'))
    .action(async ({ json = false, failed = false }: StatusFlags) => {
      const place = placeOf(command, io.cwd);
      const { status } = await import('./commands/status.ts');
      finish(await status({ ...place, json, failed }, io));
    });
}

interface LogFlags extends JsonFlag {
  readonly follow?: boolean;
}

const following = `
With --follow: the run that goes on in another terminal, from its start and as it is recorded, until it ends (0, however it went),
or dies (4). Where none goes on, the next one is waited for. With --json: its events, as skeleton run --json prints them.`;

function addLog(program: Command, { io, finish }: Context): void {
  const command = historian(program, 'log', 'list all attempts, the newest last; or follow a run');
  command
    .option('-f, --follow', 'show a run as it goes on in another terminal, until it ends')
    .addHelpText('after', following)
    .addHelpText('after', examples('skeleton log --plan docs/PLAN.md', 'skeleton log -f'))
    .action(async ({ json = false, follow = false }: LogFlags) => {
      const place = placeOf(command, io.cwd);
      if (follow) {
        const { followLog } = await import('./commands/follow-log.ts');
        return finish(await followLog({ ...place, json }, io));
      }
      const { log } = await import('./commands/log.ts');
      finish(await log({ ...place, json }, io));
    });
}

function addShow(program: Command, { io, finish }: Context): void {
  const command = historian(program, 'show', "show one attempt's prompt, diff and gate output");
  command
    .argument('<task[#N]>', 'the task, and which attempt (default: its last)', parseText)
    .addHelpText('after', examples('skeleton show parser', 'skeleton show parser#2'))
    .action(async (attempt: string, { json = false }: JsonFlag) => {
      const place = placeOf(command, io.cwd);
      const { show } = await import('./commands/show.ts');
      finish(await show({ ...place, json, attempt }, io));
    });
}
