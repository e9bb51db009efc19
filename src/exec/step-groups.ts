import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { endProcesses } from './end-processes.ts';
import type { EndedProcess, RecordedGroup } from './end-processes.ts';
import { startTimeOf } from './process-table.ts';

/** Which groups the running steps have, told to the next start: what sheds its environment is known by its group alone. */
export interface StepGroups {
  readonly note: (token: string, group: RecordedGroup) => void;
  readonly forget: (token: string) => void;
}

const beatMs = 1000;

/** Small files in a folder of ours, not flushed: after a power cut there is no process either. Where they cannot be written, the token remains. */
export function openStepGroups(folder: string): StepGroups {
  const noted = new Map<string, RecordedGroup>();
  let beat: NodeJS.Timeout | undefined;
  const write = (token: string, group: RecordedGroup): void => {
    if (startTimeOf(group.pid) !== group.startTime) return;
    const by = { pid: process.pid, startTime: startTimeOf(process.pid) ?? '' };
    const said: Said = { ...group, token, by, space: pidSpace(), seen: ticksNow() };
    quietly(() => replace(pathOf(folder, token), JSON.stringify(said)));
  };
  return {
    note: (token, group) => {
      quietly(() => mkdirSync(folder, { recursive: true, mode: 0o700 }));
      noted.set(token, group);
      write(token, group);
      beat ??= setInterval(() => {
        for (const [key, value] of noted) write(key, value);
      }, beatMs).unref();
    },
    forget: (token) => {
      noted.delete(token);
      quietly(() => rmSync(pathOf(folder, token), { force: true }));
      if (noted.size > 0) return;
      clearInterval(beat);
      beat = undefined;
    },
  };
}

/** As `endProcesses`, with the group that the dead run had noted for the token. */
export async function endNoted(folder: string, token: string): Promise<readonly EndedProcess[]> {
  const path = pathOf(folder, token);
  const said = readSaid(path);
  const isOurs = said?.token === token && said.space === pidSpace();
  const ended = await endProcesses({ token, ...(isOurs && { group: said }) });
  quietly(() => rmSync(path, { force: true }));
  return ended;
}

/** Ends what dead processes of ours have noted, whatever its token: no event tells of a baseline's gate. */
export async function endLeft(folder: string): Promise<void> {
  for (const name of quietly(() => readdirSync(folder)) ?? []) {
    const path = join(folder, name);
    const said = readSaid(path);
    if (said?.space !== pidSpace()) continue;
    if (startTimeOf(said.by.pid) !== said.by.startTime) await endNoted(folder, said.token);
  }
}

interface Said extends RecordedGroup {
  readonly token: string;
  /** Who has noted it. */
  readonly by: { readonly pid: number; readonly startTime: string };
  /** Numbers mean other processes in another container. */
  readonly space: string;
}

function pathOf(folder: string, token: string): string {
  return join(folder, createHash('sha256').update(token).digest('hex').slice(0, 32));
}

/** A kill in the middle leaves what was there. */
function replace(path: string, text: string): void {
  rmSync(`${path}.new`, { force: true });
  writeFileSync(`${path}.new`, text, { flag: 'wx', mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** An agent may have put anything there: opened only if it is a file. */
function readSaid(path: string): Said | undefined {
  return quietly(() => {
    if (!lstatSync(path).isFile()) return undefined;
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const said: unknown = JSON.parse(readFileSync(file, 'utf8'));
      return isSaid(said) ? said : undefined;
    } finally {
      closeSync(file);
    }
  });
}

function isSaid(value: unknown): value is Said {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, startTime, token, space, seen, by } = value as Partial<Record<keyof Said, unknown>>;
  const areTexts = [startTime, token, space].every((text) => typeof text === 'string');
  return areTexts && isPid(pid) && typeof seen === 'number' && isProcess(by);
}

function isProcess(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, startTime } = value as { readonly pid?: unknown; readonly startTime?: unknown };
  return isPid(pid) && typeof startTime === 'string';
}

function isPid(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 1;
}

function pidSpace(): string {
  return quietly(() => readlinkSync('/proc/self/ns/pid')) ?? '';
}

/** Clock ticks since boot, sleep included, as in /proc/PID/stat (proc(5); Linux has 100 a second for programs). */
function ticksNow(): number {
  return Math.floor(uptime() * 100);
}

function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
