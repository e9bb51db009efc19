import type { Command } from 'commander';
import { nearest } from '../src/core/config/nearest.ts';

/** Ends with a usage error, and what was most likely meant, where the first word, or the one after `help`, is no command. */
export function refuseMisnamed(program: Command, argv: readonly string[]): void {
  const words = [...argv];
  while (words[0] === '-C') words.splice(0, 2);
  if (words[0] === 'help') words.shift();
  const [word = '-'] = words;
  const names = [...program.commands.map((command) => command.name()), 'help'];
  if (word.startsWith('-') || names.includes(word)) return;
  const near = nearest(word, names);
  const hint = near === undefined ? '' : `\n(Did you mean ${near}?)`;
  program.error(`error: unknown command '${word}'${hint}`, { code: 'commander.unknownCommand' });
}
