import { basename } from 'node:path';
import { clip, oneLine } from '../core/text.ts';
import { isInstalled, programOf } from '../exec/shell-program.ts';
import { Refusal } from '../ports.ts';
import type { Caller } from './caller.ts';

export interface Place {
  /** Absolute; the agent's current directory. */
  readonly top: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const LONGEST_NAME = 40;

/** Any shell command as the agent: the prompt on its standard input, its exit status the end (contract, "Agent step"). */
export function commandCaller(command: string, place: Place): Caller {
  return {
    name: clip(oneLine(basename(programOf(command) ?? 'command')), LONGEST_NAME),
    reports: { tokens: false, usd: false },
    identity: command,
    assertReady: () => assertInstalled(command, place),
    call: () => ({ command, env: {}, stdin: 'prompt' }),
  };
}

async function assertInstalled(command: string, { top, env }: Place): Promise<void> {
  const program = programOf(command);
  if (program === undefined || (await isInstalled(program, { cwd: top, env }))) return;
  const where = program.includes('/') ? 'is not there, or may not be executed' : 'is not on PATH';
  throw new Refusal(
    3,
    `the agent's command ${program} ${where}`,
    `install ${program}, or name another command with --agent-command`,
  );
}
