import type { Command } from 'commander';
import type { Order } from '../src/core/steered.ts';
import { examples, looker } from './command-parts.ts';
import type { Context, JsonFlag } from './command-parts.ts';
import { parseText } from './parsers.ts';
import { placeOf } from './place.ts';

/** Commands that steer a run from another terminal. */
export function addSteering(program: Command, context: Context): void {
  addHalt(program, context, 'pause', 'let the run finish its attempt, then wait until resume');
  addHalt(program, context, 'resume', 'let a paused run go on');
  addTell(program, context);
  addSkip(program, context);
}

const whilePaused = `
While it waits, the work tree is clean and the run keeps it: the plan may be edited, and is read again before the next attempt. A pause
stays until resume, for runs that are started later too; max_time goes on. To stop instead: Ctrl-C in the run's terminal.`;

function addHalt(
  program: Command,
  context: Context,
  name: 'pause' | 'resume',
  description: string,
): void {
  const command = looker(program, name, description);
  command
    .addHelpText('after', name === 'pause' ? whilePaused : '')
    .addHelpText('after', examples(`skeleton ${name}`, `skeleton ${name} --plan docs/PLAN.md`))
    .action(async (flags: JsonFlag) => send(command, { kind: name }, flags, context));
}

const whatIsTold = `
The note is in the prompt of every attempt that begins from now on, until the task passes.`;

function addTell(program: Command, context: Context): void {
  const command = looker(program, 'tell', "add a note to the prompts of a task's next attempts");
  command
    .argument('<task>', 'its id or number', parseText)
    .argument('<note...>', 'what to tell; several words are one note')
    .addHelpText('after', whatIsTold)
    .addHelpText(
      'after',
      examples(
        'skeleton tell parser "the grammar is in docs/grammar.md"',
        'skeleton tell 3 use the old names',
      ),
    )
    .action(async (task: string, words: readonly string[], flags: JsonFlag) =>
      send(command, { kind: 'tell', task, text: words.join(' ') }, flags, context),
    );
}

const whatIsSkipped = `
The task is marked [-] in the plan. While a run goes, the run does that, in a commit of its own, before the next task; an attempt
that is under way is finished first, and what passes has passed.`;

function addSkip(program: Command, context: Context): void {
  const command = looker(program, 'skip', 'leave a task out; what waits for it goes on');
  command
    .argument('<task>', 'its id or number', parseText)
    .addHelpText('after', whatIsSkipped)
    .addHelpText('after', examples('skeleton skip docs', 'skeleton skip 3'))
    .action(async (task: string, flags: JsonFlag) =>
      send(command, { kind: 'skip', task }, flags, context),
    );
}

async function send(
  command: Command,
  order: Order,
  { json = false }: JsonFlag,
  { io, finish }: Context,
): Promise<void> {
  const place = placeOf(command, io.cwd);
  const { steer } = await import('./commands/steer.ts');
  finish(await steer({ ...place, json, order }, io));
}
