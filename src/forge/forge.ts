import { clip, oneLine } from '../core/text.ts';
import { CommandFailure, runCommand, type CommandResult } from '../exec/run-command.ts';
import { isInstalled } from '../exec/shell-program.ts';
import { stepEnvironment } from '../exec/step-environment.ts';
import { Interrupted, type Forge } from '../ports.ts';

/** Milliseconds of one call. */
const LIMIT = 2 * 60_000;
const LONGEST_WORDS = 600;

/** None of them may ask, or look whether there is a newer one. */
const quiet = {
  GH_PROMPT_DISABLED: '1',
  GH_NO_UPDATE_NOTIFIER: '1',
  NO_PROMPT: '1',
  GLAB_CHECK_UPDATE: 'false',
  NO_COLOR: '1',
} as const;

/** gh and glab as they are on PATH; they run in this folder. */
export function openForge(place: {
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Forge {
  const { cwd } = place;
  const { FORCE_COLOR: _, CLICOLOR_FORCE: __, ...ours } = place.env;
  const facts = { run: ours['SKELETON_RUN_ID'] ?? '', plan: ours['SKELETON_PLAN'] ?? '' };
  const env = { ...stepEnvironment(ours, facts), ...quiet };
  return {
    isInstalled: (tool) => isInstalled(tool, place),
    call: async ({ tool, args, input }, signal) => {
      const spec = { file: tool, args, cwd, env, timeoutMs: LIMIT, signal };
      let end: CommandResult;
      try {
        end = await runCommand(input === undefined ? spec : { ...spec, input });
      } catch (error) {
        if (error instanceof CommandFailure) return { wrong: oneLine(error.message) };
        throw error;
      }
      if (end.aborted) throw new Interrupted(`${tool} was ended by the stop`);
      if (end.code === 0) return { said: end.stdout.toString('utf8') };
      return { wrong: `${tool} ${args.slice(0, 2).join(' ')} ${endOf(end)}${wordsOf(end)}` };
    },
  };
}

function endOf({ code, signal, timedOut }: CommandResult): string {
  if (timedOut) return `took longer than ${LIMIT / 60_000} minutes`;
  return code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with ${code}`;
}

function wordsOf({ stderr, stdout }: CommandResult): string {
  const words = stderr.trim() === '' ? stdout.toString('utf8') : stderr;
  const lines = words.split('\n').filter((line) => line.trim() !== '');
  const shown = lines.map((line) => oneLine(line.trim())).join('; ');
  return shown === '' ? '' : `: ${clip(shown, LONGEST_WORDS)}`;
}
