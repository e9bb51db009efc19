import { Argument, type Command } from 'commander';
import { examples } from './command-parts.ts';
import type { Context } from './command-parts.ts';
import { shells, type Shell } from './completion/shells.ts';
import { completionTree } from './completion/tree.ts';
import { directoryOption, placeOf, planOption } from './place.ts';

const howTo = `
To install it, once:
  bash   skeleton completion bash > ~/.local/share/bash-completion/completions/skeleton
         (with the package bash-completion; else put into ~/.bashrc: source <(skeleton completion bash))
  zsh    into ~/.zshrc, after compinit: source <(skeleton completion zsh)
  fish   skeleton completion fish > ~/.config/fish/completions/skeleton.fish`;

export function addCompletion(program: Command, { io, finish }: Context): void {
  const command = program
    .command('completion')
    .description('print a script that lets a shell complete commands, options and tasks')
    .addArgument(new Argument('[shell]', 'whose script').choices(shells))
    .option('--tasks', "the plan's task ids instead, one a line, as the scripts ask for them")
    .addOption(planOption())
    .addOption(directoryOption())
    .addHelpText('after', howTo)
    .addHelpText(
      'after',
      examples(
        'skeleton completion bash > ~/.local/share/bash-completion/completions/skeleton',
        'skeleton completion fish > ~/.config/fish/completions/skeleton.fish',
      ),
    )
    .action(async (shell: Shell | undefined, { tasks = false }: { readonly tasks?: boolean }) => {
      if (shell === undefined && !tasks) command.error(`error: name a shell: ${shells.join(', ')}`);
      const place = placeOf(command, io.cwd);
      const { completion } = await import('./commands/completion.ts');
      finish(await completion({ ...place, shell, tree: completionTree(program) }, io));
    });
}
