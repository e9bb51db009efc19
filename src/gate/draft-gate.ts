import { join } from 'node:path';
import type { GateConfig } from '../core/config.ts';
import { clip, oneLine } from '../core/text.ts';
import type { StepSpec } from '../exec/run-step.ts';
import { isInstalled, programOf } from '../exec/shell-program.ts';
import { lookAt, markOf, toBytes, toText, type Look } from './gate-folder.ts';
import { interpreterOf, saysNothing } from './gate-script.ts';

type StepCommand = StepSpec['command'];

/** Where gates are looked for. */
export interface Ground {
  /** Absolute; of the work tree. */
  readonly top: string;
  /** Absolute; its gates/ are the shipped ones. */
  readonly packageRoot: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Everything under the work tree's gates/. */
  readonly looks: ReadonlyMap<string, Look>;
}

/** A gate as it was found, its settings as they were given; or what is wrong with it, in one line. */
export type Draft = DraftedGate | { readonly problem: string };

export interface DraftedGate {
  readonly name: string;
  /** As Gate.command. */
  readonly command: string;
  readonly step: StepCommand;
  readonly settings: GateConfig;
  /** As Gate.script. */
  readonly script?: string;
  /** Path (relative to the package, as bytes) and mark of a shipped gate's script. */
  readonly shipped?: { readonly path: string; readonly mark: string };
}

/** Bytes. */
const LONGEST_NAME = 40;
const extensions = ['', '.sh', '.mjs', '.js'];

/**
 * A gate from an entry of `gates:` or of a task's `gate:`. With `run` it is that command. Otherwise its text is the name of
 * a file under gates/, with or without its extension, or else of a shipped gate, or else a command. One word that is
 * none of them, nor a program, is a problem: as a command it would cost every attempt of every task.
 */
export async function draftGate(entry: string | GateConfig, ground: Ground): Promise<Draft> {
  const settings = typeof entry === 'string' ? {} : entry;
  if (settings.run !== undefined) return draftCommand(settings.run, settings);
  const text = (typeof entry === 'string' ? entry : (entry.name ?? '')).trim();
  if (text === '') return { problem: 'a gate without a name and a command' };
  const own = findOwn(text, ground);
  if (own !== undefined) return draftScript(own, { ...settings, name: text }, ground);
  const shipped = await findShipped(text, ground);
  if (shipped !== undefined) return shipped(settings);
  const isName = typeof entry !== 'string' || (await isNoProgram(text, ground));
  return isName ? { problem: noSuchGate(text, ground) } : draftCommand(text, settings);
}

function draftCommand(command: string, settings: GateConfig): Draft {
  const name = settings.name ?? command.trim();
  if (command.trim() === '') return { problem: `the gate ${nameOf(name)} runs nothing` };
  return { name: nameOf(name), command: oneLine(command), step: command, settings };
}

function findOwn(name: string, { looks }: Ground): string | undefined {
  const bare = name.replace(/^(?:\.\/)?gates\//, '');
  return extensions
    .map((extension) => `gates/${toBytes(bare + extension)}`)
    .find((path) => !['missing', 'folder'].includes(looks.get(path)?.kind ?? 'missing'));
}

/** A script under the work tree's gates/; `path` is relative to the top, as bytes. */
export function draftScript(path: string, settings: GateConfig, ground: Ground): Draft {
  const look = ground.looks.get(path) ?? { kind: 'missing' };
  const script = toText(path);
  const shown = oneLine(script);
  if (toBytes(script) !== path) return { problem: `${shown}: its name is no UTF-8, rename it` };
  if (look.kind !== 'file')
    return { problem: `${shown} is ${whatIs(look)}: no bytes to vouch for` };
  if (saysNothing(script, look))
    return {
      problem: `${shown} is an empty gate, it would accept everything: write a check into it`,
    };
  const name = nameOf(settings.name ?? script.slice('gates/'.length));
  const step = startOf(join(ground.top, script), interpreterOf(script, look));
  return { name, command: shown, step, settings, script };
}

async function findShipped(
  name: string,
  { packageRoot }: Ground,
): Promise<((settings: GateConfig) => DraftedGate) | undefined> {
  if (!/^\w[\w.-]*$/.test(name)) return undefined;
  for (const extension of extensions) {
    const path = `gates/${name}${extension}`;
    const look = await lookAt(toBytes(packageRoot), path);
    if (look.kind !== 'file') continue;
    const step = startOf(join(packageRoot, path), interpreterOf(path, look));
    const shipped = { path, mark: markOf(look) };
    return (settings) => ({ name, command: `skeleton:${path}`, step, settings, shipped });
  }
  return undefined;
}

/** What nothing can start is started all the same: its verdict is `not executable`. */
function startOf(path: string, interpreter: string | undefined): StepCommand {
  return interpreter === undefined ? { file: path, args: [] } : { file: interpreter, args: [path] };
}

async function isNoProgram(text: string, { top, env }: Ground): Promise<boolean> {
  if (programOf(text) !== text || text.includes('/')) return false;
  return !(await isInstalled(text, { cwd: top, env }));
}

function noSuchGate(name: string, { looks }: Ground): string {
  const own = [...looks.keys()].filter((path) => /\/[^_.]/.test(path)).map(toText);
  const here = own.length > 0 ? own.slice(0, 8).map(oneLine).join(', ') : 'nothing';
  return `no gate is called ${nameOf(name)}: no script under gates/ (${here}), no shipped gate, no program; \`run: ${nameOf(name)}\` is for a command that a task installs`;
}

function whatIs(look: Look): string {
  return look.kind === 'odd' ? look.what : look.kind === 'folder' ? 'a folder' : 'missing';
}

function nameOf(text: string): string {
  return clip(oneLine(text), LONGEST_NAME);
}
