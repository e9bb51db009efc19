import { taskIds } from '../../src/index.ts';
import { renderBash } from '../completion/bash.ts';
import { renderFish } from '../completion/fish.ts';
import type { Shell } from '../completion/shells.ts';
import type { CompletionTree } from '../completion/tree.ts';
import { renderZsh } from '../completion/zsh.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';

export interface CompletionCommand {
  /** Absolute. */
  readonly cwd: string;
  readonly plan: string | undefined;
  /** Undefined for the task ids. */
  readonly shell: Shell | undefined;
  readonly tree: CompletionTree;
}

const renderers = { bash: renderBash, zsh: renderZsh, fish: renderFish } as const;

/** Letters, digits and what needs no quoting in any shell: a plan puts nothing else on a command line. */
const harmless = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*$/u;

/** `skeleton completion SHELL`: its script; or the ids that such a script asks for, none where there is no plan. */
export async function completion(command: CompletionCommand, io: Io): Promise<number> {
  const { cwd, plan, shell, tree } = command;
  if (shell !== undefined) {
    io.out.write(renderers[shell](tree));
    return 0;
  }
  const place = { cwd, env: io.env, ...(plan !== undefined && { planPath: plan }) };
  for (const id of await taskIds(place)) if (harmless.test(id)) print(io.out, id);
  return 0;
}
