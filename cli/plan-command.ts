import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Config } from '../src/index.ts';
import { examples, looker } from './command-parts.ts';
import type { Context, JsonFlag } from './command-parts.ts';
import { parseBudget, parseLimit, parseText } from './parsers.ts';
import { placeOf } from './place.ts';

interface PlanFlags extends JsonFlag {
  readonly agent?: string;
  readonly model?: string;
  readonly agentCommand?: string;
  readonly timeout?: number;
  readonly idleTimeout?: number;
  readonly budget?: number;
  readonly yes?: boolean;
  readonly verbose?: boolean;
}

const whatHappens = `
DOC is a file, - for standard input, or a sentence. The agent works outside of the repository, and only what our parser reads without
a problem is written: as a new file, or as a change of the plan that is there, once you have said yes to it. Status: 0 written or
declined, 1 three rounds gave no such plan, 3 a change that nobody said yes to, 4 stopped by a limit.`;

export function addPlan(program: Command, { io, finish }: Context): void {
  const command: Command = looker(
    program,
    'plan',
    'let the agent draft the plan from a document or a sentence; it is checked before it is written',
  );
  for (const option of options()) command.addOption(option);
  command
    .argument('<doc>', 'a file, - for standard input, or a sentence in quotes', parseDocument)
    .addHelpText('after', whatHappens)
    .addHelpText(
      'after',
      examples(
        'skeleton plan docs/spec.md --agent claude',
        "skeleton plan 'A command that counts words' --yes",
      ),
    )
    .action(async (document: string, flags: PlanFlags) => {
      const place = placeOf(command, io.cwd);
      const { plan } = await import('./commands/plan.ts');
      const { json = false, yes = false, verbose = false } = flags;
      const about = { document, flags: configOf(flags), json, yes, verbose };
      finish(await plan({ ...place, ...about }, io));
    });
}

function options(): readonly Option[] {
  return [
    new Option(
      '--agent <name>',
      'who drafts it: claude, codex, gemini …; skeleton doctor lists them',
    )
      .argParser(parseText)
      .conflicts('agentCommand'),
    new Option('--model <name>', 'the model that it uses, in its own words').argParser(parseText),
    new Option(
      '--agent-command <cmd>',
      'shell command that drafts it: the prompt is its standard input, the plan its output',
    ).argParser(parseText),
    new Option('--timeout <time>', 'limit of one round (default: 30m)').argParser(parseLimit),
    new Option('--idle-timeout <time>', 'end an agent that prints nothing for so long').argParser(
      parseLimit,
    ),
    new Option('--budget <usd>', 'most US dollars of all rounds').argParser(parseBudget),
    new Option('--yes', 'write a change of the plan without asking'),
    new Option('--verbose', 'also what the agent prints'),
  ];
}

function parseDocument(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It is empty.');
  if (value !== '-' && value.startsWith('-'))
    throw new InvalidArgumentError('It begins with a dash: write ./ before a file of that name.');
  return value;
}

function configOf(flags: PlanFlags): Config {
  const { agent, model, agentCommand, timeout, idleTimeout, budget } = flags;
  return {
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(agentCommand !== undefined && { agentCommand }),
    ...(timeout !== undefined && { timeout }),
    ...(idleTimeout !== undefined && { idleTimeout }),
    ...(budget !== undefined && { budget: { usd: budget } }),
  };
}
