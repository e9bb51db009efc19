import { homedir } from 'node:os';
import { join } from 'node:path';
import { readPlainFile } from '../exec/read-plain-file.ts';
import { runCommand } from '../exec/run-command.ts';
import { findProgram } from '../exec/shell-program.ts';
import { Refusal } from '../ports.ts';
import type { Caller } from './caller.ts';
import type { Place } from './command-caller.ts';
import type { Preset, PresetCall } from './preset.ts';
import { sessionName } from './session-name.ts';
import { signInState, type SignInState } from './sign-in-state.ts';

const ASK_LIMIT = 15_000;

type Permissions = PresetCall['permissions'];

/** A client that is known by name. `bypass`: with its permission flags. */
export function presetCaller(
  preset: Preset,
  place: Place,
  permissions: Permissions = 'bypass',
): Caller {
  const [first = preset.name] = preset.programs;
  let program = first;
  return {
    name: preset.name,
    reports: preset.reports,
    reader: preset.reader,
    takesCommands: true,
    signIn: preset.signIn.how,
    assertReady: async () => {
      program = (await programFor(preset, place)) ?? refuseMissing(preset);
      if ((await signIn(preset, program, place)) === 'no')
        throw new Refusal(3, `${preset.name} is not signed in`, preset.signIn.how);
    },
    call: ({ model, session, promptFile, isToRead }) => {
      const isBound = isToRead === true && preset.permissions.readsWithout === true;
      const given = isBound ? 'configured' : permissions;
      const call = { model, session: sessionName(session), promptFile, permissions: given };
      const { args, stdin } = preset.command(call);
      const env = preset.env({ root: process.getuid?.() === 0 });
      return { command: { file: program, args }, env, stdin };
    },
  };
}

/** The client's program on PATH; undefined where it is not installed. */
export async function programFor(preset: Preset, place: Place): Promise<string | undefined> {
  return (await locate(preset, place))?.program;
}

/** The same with its absolute path. */
export async function locate(
  preset: Preset,
  { top, env }: Place,
): Promise<{ readonly program: string; readonly path: string } | undefined> {
  for (const program of preset.programs) {
    const path = await findProgram(program, { cwd: top, env });
    if (path !== undefined) return { program, path };
  }
  return undefined;
}

function refuseMissing(preset: Preset): never {
  throw new Refusal(
    3,
    `${preset.name} is not installed: ${preset.programs.join(' and ')} ${preset.programs.length > 1 ? 'are' : 'is'} not on PATH`,
    'install it, or name another agent; skeleton doctor lists those that are there',
  );
}

/** Whether it is signed in, as far as that can be told without the network. `signal` cuts the question off. */
export async function signIn(
  preset: Preset,
  program: string,
  place: Place,
  signal?: AbortSignal,
): Promise<SignInState> {
  const { env } = place;
  const home = env['HOME'] ?? homedir();
  const facts = { env, read: (file: string) => textOf(join(home, file)) };
  const told = signInState(preset.signIn, { ...facts, askExit: undefined });
  if (told === 'yes' || preset.signIn.ask === undefined) return told;
  const said = await ask({ file: program, args: preset.signIn.ask }, place, signal);
  return signInState(preset.signIn, { ...facts, askExit: said?.exit });
}

function textOf(path: string): string | undefined {
  try {
    return readPlainFile(path)?.toString('utf8');
  } catch {
    return undefined;
  }
}

/** A short question to a client, its input empty; undefined where it gave no answer in time. */
export async function ask(
  command: { readonly file: string; readonly args: readonly string[] },
  { top, env }: Place,
  signal?: AbortSignal,
): Promise<{ readonly exit: number; readonly stdout: string } | undefined> {
  const set = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const limits = { timeoutMs: ASK_LIMIT, ...(signal && { signal }) };
  try {
    const answer = await runCommand({
      ...command,
      cwd: top,
      env: Object.fromEntries(set),
      ...limits,
    });
    const { code, timedOut, aborted, stdout } = answer;
    return timedOut || aborted || code === null
      ? undefined
      : { exit: code, stdout: stdout.toString('utf8') };
  } catch {
    return undefined;
  }
}
