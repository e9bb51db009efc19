import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ForgeAddress, ForgeTool } from '../core/forge-address.ts';
import { createCall, type Proposal } from '../core/pull-request.ts';
import { shellWord } from '../core/shell-word.ts';

/** What a person runs where neither gh nor glab is there: lines for a shell. The text lies in a file of the state folder. */
export async function commandsByHand(
  stateFolder: string,
  proposal: Proposal,
  to: {
    readonly tool: ForgeTool | undefined;
    readonly place: ForgeAddress | undefined;
    readonly remote: string;
    readonly refs: readonly string[];
  },
): Promise<readonly string[]> {
  const file = join(stateFolder, 'pull-request.md');
  await mkdir(stateFolder, { recursive: true });
  await writeFile(file, proposal.body);
  const { tool, place, remote, refs } = to;
  const specs = refs.map((ref) => shellWord(`${ref}:${ref}`));
  const push = ['git push', shellWord(remote), ...specs].join(' ');
  return [
    ...(refs.length === 0 ? [] : [push]),
    ...(tool === undefined || place === undefined ? [] : [lineOf(tool, place, proposal, file)]),
  ];
}

/** With the text from its file, in the place where each program takes it. */
function lineOf(tool: ForgeTool, place: ForgeAddress, proposal: Proposal, file: string): string {
  const { args } = createCall(tool, place, { ...proposal, body: '' });
  const words = args.map((word, at) => {
    if (args[at - 1] === '--body-file') return shellWord(file);
    return args[at - 1] === '--description' ? `"$(cat ${shellWord(file)})"` : shellWord(word);
  });
  return [tool, ...words].join(' ');
}
