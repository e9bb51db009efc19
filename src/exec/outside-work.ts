import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Outsider } from '../ports.ts';
import { runCommand } from './run-command.ts';
import { isInstalled } from './shell-program.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What starts work on behalf of others, which then is in no process tree of theirs. */
interface Runtime {
  readonly program: string;
  readonly args: readonly string[];
  readonly what: Outsider['what'];
  /** What of a line's words names it, and what ends it. */
  readonly read: (words: readonly string[]) => { readonly id: string; readonly name: string };
  readonly end: string;
  readonly isThere: (env: Environment) => boolean;
}

/** Milliseconds; who does not answer in this time is not asked again. */
const patience = 2000;

const container = (program: string): Runtime => ({
  program,
  args: ['ps', '--no-trunc', '--format', '{{.ID}} {{.Names}}'],
  what: 'container',
  read: ([id = '', name = '']) => ({ id, name: name === '' ? id.slice(0, 12) : name }),
  end: `${program} stop`,
  isThere: () => true,
});

const units: Runtime = {
  program: 'systemctl',
  args: [
    ...['--user', 'list-units', '--type=service,scope', '--state=running'],
    ...['--plain', '--no-legend', '--no-pager'],
  ],
  what: 'unit',
  read: ([id = '']) => ({ id, name: id }),
  end: 'systemctl --user stop',
  isThere: ({ XDG_RUNTIME_DIR: folder = '' }) =>
    folder !== '' && existsSync(join(folder, 'systemd')),
};

/** Podman comes under Docker's name too; what both list is one thing. */
const runtimes: readonly Runtime[] = [container('docker'), container('podman'), units];

/** What a desktop starts for its user, by the names that it gives (systemd.io, "Desktop Environment Integration"). */
const isOfDesktop = /^(?:app-|dbus-|session-|init\.scope$)/;

/**
 * Lists running containers and user units, as often as it is called. Asks only a runtime that is installed and answers: where
 * there is none it costs a look along PATH, and one that failed, or took longer than 2 s, is not asked again. Never rejects.
 */
export function watchOutside(
  env: Environment,
): (signal: AbortSignal) => Promise<readonly Outsider[]> {
  const mute = new Set<Runtime>();
  const ask = async (runtime: Runtime, signal: AbortSignal): Promise<readonly Outsider[]> => {
    const { program } = runtime;
    const isThere = !mute.has(runtime) && runtime.isThere(env);
    const found =
      isThere && (await isInstalled(program, { cwd: '/', env }))
        ? await list(runtime, env, signal)
        : undefined;
    if (found === undefined) mute.add(runtime);
    return found ?? [];
  };
  return async (signal) => {
    const lists = await Promise.all(runtimes.map((runtime) => ask(runtime, signal)));
    return [...new Map(lists.flat().map((one) => [one.id, one])).values()];
  };
}

/** Undefined where it does not answer. */
async function list(
  { program, args, read, what, end }: Runtime,
  env: Environment,
  signal: AbortSignal,
): Promise<readonly Outsider[] | undefined> {
  const spec = { file: program, args, cwd: '/', env: given(env), timeoutMs: patience, signal };
  try {
    const { code, stdout } = await runCommand(spec);
    if (code !== 0) return undefined;
    const lines = stdout.toString().split('\n');
    const rows = lines.map((line) => read(line.trim().split(/\s+/)));
    return rows
      .filter(({ id }) => id !== '' && !(what === 'unit' && isOfDesktop.test(id)))
      .map(({ id, name }) => ({ id, name, what, end: `${end} ${name}` }));
  } catch {
    return undefined;
  }
}

function given(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
