import { gc as collect } from '../../src/index.ts';
import { oneLine } from '../../src/core/text.ts';
import { gcData, renderGc, sums } from '../../src/report/gc.ts';
import { spellBytes } from '../../src/core/size.ts';
import { jsonLine } from '../../src/report/json.ts';
import { chooseLook } from '../../src/report/style.ts';
import { Refusal } from '../../src/index.ts';
import type { GcOptions, GcResult } from '../../src/index.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';

export interface GcCommand {
  /** Absolute. */
  readonly cwd: string;
  readonly json: boolean;
  readonly all: boolean;
  readonly dryRun: boolean;
  /** Not to be asked. */
  readonly yes: boolean;
}

/**
 * `skeleton gc`: takes away what old runs have left, and lists it. Throws Refusal (2: `--all` with nobody to ask, 3: another
 * run, or work that would be lost). 4 where something could not be removed.
 */
export async function gc(command: GcCommand, io: Io): Promise<number> {
  const { cwd, all, dryRun } = command;
  const now = Date.now();
  const confirm = confirmation(command, io);
  const result = await collect({ cwd, env: io.env, all, dryRun, confirm });
  for (const notice of result.notices) print(io.err, `notice  ${oneLine(notice)}`);
  for (const failure of result.failures) print(io.err, `problem  ${oneLine(failure)}`);
  if (result.declined) print(io.err, 'nothing was touched');
  else tell(result, { ...command, now }, io);
  return result.failures.length > 0 ? 4 : 0;
}

function tell(
  { things }: GcResult,
  { json, all, dryRun, now }: GcCommand & { readonly now: number },
  io: Io,
): void {
  const report = { things, dryRun, now };
  const { style } = chooseLook(io.env, io.out.isTerminal);
  if (json) for (const line of gcData(report)) print(io.out, jsonLine(line));
  else print(io.out, renderGc(report, style));
  if (all && !dryRun)
    print(
      io.err,
      "notice  tags and branches stay; to delete the checkpoints' tags: git tag --delete $(git tag --list 'skeleton/*')",
    );
}

function confirmation({ yes }: GcCommand, io: Io): GcOptions['confirm'] {
  return async (things) => {
    if (yes) return true;
    const { freed, objects } = sums(things);
    const what = `${things.length} things of skeleton's (${spellBytes(freed + objects)}), kept attempts of unfinished tasks and the history included`;
    const answer = await io.ask(
      `This takes ${what}.\nskeleton gc --all --dry-run lists them. Take them all? [y/N] `,
    );
    if (answer !== undefined) return /^y(?:es)?$/i.test(answer.trim());
    throw new Refusal(
      2,
      'gc --all takes everything of ours, and there is no terminal to ask at; nothing was touched',
      'skeleton gc --all --dry-run     to see what goes\nskeleton gc --all --yes     to take it',
    );
  };
}
