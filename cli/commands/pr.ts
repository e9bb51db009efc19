import { openPull, type PullResult } from '../../src/index.ts';
import { shortRef } from '../../src/core/refs.ts';
import { oneLine } from '../../src/core/text.ts';
import { jsonLine } from '../../src/report/json.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';
import type { LookCommand } from './status.ts';

export interface PrCommand extends LookCommand {
  readonly draft: boolean;
  readonly tags: boolean;
  readonly base: string | undefined;
  readonly remote: string | undefined;
  readonly title: string | undefined;
}

/** `skeleton pr`: 0 once it is open, 3 where it says what to run instead. Throws Refusal as `openPull`. */
export async function pr(command: PrCommand, io: Io): Promise<number> {
  const { cwd, plan: planPath, json, draft, tags, base, remote, title } = command;
  const result = await openPull({
    cwd,
    env: io.env,
    draft,
    tags,
    signal: io.windDown(),
    onNotice: (message) => {
      print(io.err, `notice  ${oneLine(message)}`);
    },
    ...(planPath !== undefined && { planPath }),
    ...(base !== undefined && { base }),
    ...(remote !== undefined && { remote }),
    ...(title !== undefined && { title }),
  });
  if (result.action === 'by-hand') tellByHand(result, io);
  print(io.out, json ? jsonLine({ ...result, url: result.url ?? null }) : linesOf(result));
  return result.action === 'by-hand' ? 3 : 0;
}

function tellByHand({ url, commands }: PullResult, io: Io): void {
  const page = url === undefined ? '' : `, or push and open ${url}`;
  const how = commands.length === 0 ? 'open it by hand' : 'what to run instead';
  print(
    io.err,
    oneLine(
      `notice  neither gh nor glab is here for this remote, so nothing was pushed: ${how}${page}`,
    ),
  );
}

function linesOf(result: PullResult): string {
  const { action, url, branch, base, remote, pushed, commands } = result;
  if (action === 'by-hand') return commands.join('\n');
  const refs = pushed.map((ref) => shortRef(ref));
  const sent = refs.length === 0 ? 'pushed already' : `pushed to ${remote}: ${named(refs)}`;
  return [oneLine(`${action}: ${branch} into ${base}; ${sent}`), oneLine(url ?? '')]
    .join('\n')
    .trim();
}

const MOST_NAMED = 3;

function named(refs: readonly string[]): string {
  const more = refs.length - MOST_NAMED;
  return `${refs.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
