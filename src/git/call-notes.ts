import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { startTimeOf } from '../exec/process-table.ts';
import { chainToken, stepVariable } from '../exec/step-token.ts';
import { toByteName, toPath } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { entriesOf, errorCode, readRegular } from './raw-files.ts';

/** What a git call of ours that writes is about to do; enough to know its lock files again if it is killed. */
export interface CallNote {
  /** Of the process that made the call. */
  readonly pid: number;
  readonly start: string;
  /** In the environment of the call and of what it started. */
  readonly token: string;
  readonly gitDir: ByteName;
  /** Of its own where the call names one. */
  readonly index?: ByteName;
  /** Arguments, and the input of a call that changes refs. */
  readonly words: string;
  /** Locks that it could take and that stood before, with what they were: those are another's. */
  readonly before: readonly (readonly [path: ByteName, identity: string])[];
}

/** What stands in a note for as long as its call goes. */
export interface OpenNote {
  /** For the environment of the call. */
  readonly variables: Readonly<Record<string, string>>;
  /** The call is over. `isWhole`: it ended by itself, and took its locks away. */
  readonly close: (isWhole: boolean) => void;
}

export interface NotedCall {
  /** Absolute; our own folder for the work tree. Without one nothing is noted. */
  readonly state?: ByteName | undefined;
  readonly gitDir: string;
  readonly args: readonly string[];
  readonly index: string | undefined;
  readonly input: Uint8Array | string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

const refCalls = new Set(['update-ref', 'symbolic-ref', 'worktree']);
const otherCalls = new Set(['add', 'checkout-index', 'read-tree', 'update-index', 'write-tree']);
/** Commands among them that only read. */
const readings = /^(?:worktree\0list|symbolic-ref\0--quiet)(?:\0|$)/;

/** One for all calls of this process, made when it is needed. */
const self = { token: '', start: '', calls: 0 };

/**
 * Notes a call that writes, in a file of its own under `calls/`: made before it starts, gone when it has ended. It is not
 * flushed, for speed: it is for the case that this process or its git is killed, not the machine. Where no note can be made
 * the call goes on without. Undefined for a call that only reads.
 */
export function noteCall(call: NotedCall): OpenNote | undefined {
  const { state, args, env } = call;
  const command = args.find((arg) => !arg.startsWith('-')) ?? '';
  const isNoted = refCalls.has(command) || otherCalls.has(command);
  if (state === undefined || !isNoted || readings.test(args.join('\0'))) return undefined;
  if (self.token === '') {
    self.token = `git.${randomBytes(6).toString('hex')}`;
    self.start = startTimeOf(process.pid) ?? '';
  }
  self.calls += 1;
  const path = toPath(`${callsFolder(state)}/${process.pid}.${self.calls}`);
  writeNote(state, path, describeCall(call, { state, command }));
  return {
    variables: { [stepVariable]: chainToken(env[stepVariable], self.token) },
    close: (isWhole) => closeNote(path, isWhole),
  };
}

interface Noting {
  readonly state: ByteName;
  readonly command: string;
}

function describeCall(call: NotedCall, { state, command }: Noting): CallNote {
  const { args, gitDir, index } = call;
  const input = refCalls.has(command) ? `\0${textOf(call.input)}` : '';
  const words = toByteName(args.join('\0')) + input;
  const note: CallNote = {
    pid: process.pid,
    start: self.start,
    token: self.token,
    gitDir: toByteName(gitDir),
    ...(index !== undefined && { index: toByteName(index) }),
    words,
    before: [],
  };
  const standing = locksOf(note, commonOf(state)).flatMap((lock) => {
    const identity = lockIdentity(lock);
    return identity === undefined ? [] : [[lock, identity] as const];
  });
  return { ...note, before: standing };
}

function textOf(input: Uint8Array | string = ''): ByteName {
  return typeof input === 'string' ? toByteName(input) : Buffer.from(input).toString('latin1');
}

/** `COMMON/skeleton/worktrees/ID` is where a work tree's state lies. */
function commonOf(state: ByteName): ByteName {
  return state.split('/').slice(0, -3).join('/');
}

/** The lock files that a call may take: of its index, and where it changes refs, of those, of HEAD and of the packed refs. */
export function locksOf({ gitDir, index, words }: CallNote, commonDir: ByteName): ByteName[] {
  const args = words.split('\0');
  const ofIndex = [`${index ?? `${gitDir}/index`}.lock`];
  if (!refCalls.has(args.find((arg) => !arg.startsWith('-')) ?? '')) return ofIndex;
  const branch = args[args.indexOf('-b') + 1] ?? '';
  const named = words.match(/refs\/[^\0]+/g) ?? [];
  const refs = [...new Set([...named, ...(args.includes('-b') ? [`refs/heads/${branch}`] : [])])];
  const places = [...new Set([gitDir, commonDir])];
  return [
    ...places.map((folder) => `${folder}/HEAD.lock`),
    // Git makes it beside the lock, and stumbles over one that stands.
    ...['packed-refs.lock', 'packed-refs.new', 'reftable/tables.list.lock'].map(
      (name) => `${commonDir}/${name}`,
    ),
    ...refs.filter(isSafe).flatMap((ref) => places.map((folder) => `${folder}/${ref}.lock`)),
  ];
}

function isSafe(ref: ByteName): boolean {
  return !ref.split('/').some((part) => part === '' || part.startsWith('.'));
}

/** Inodes are used again, so the time of birth belongs to it. Undefined where nothing is. */
export function lockIdentity(path: ByteName): string | undefined {
  const stat = lstatSync(toPath(path), { throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}:${stat.birthtimeMs}`;
}

function callsFolder(state: ByteName): ByteName {
  return `${state}/calls`;
}

function writeNote(state: ByteName, path: Buffer, note: CallNote): void {
  const write = (): void => writeFileSync(path, JSON.stringify(note), { flag: 'wx', mode: 0o600 });
  try {
    write();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') tryAgain(toPath(callsFolder(state)), write);
  }
}

function tryAgain(folder: Buffer, write: () => void): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    write();
  } catch {
    // A full or closed disk: the call itself has more to say about that.
  }
}

const overMark = '.over';

function closeNote(path: Buffer, isWhole: boolean): void {
  try {
    if (isWhole) rmSync(path, { force: true });
    else renameSync(path, Buffer.concat([path, Buffer.from(overMark)]));
  } catch {
    // It was never made, or an agent took it away.
  }
}

/** A call that was killed, or whose caller was. */
export interface DeadCall {
  readonly path: ByteName;
  /** Undefined where the note is torn or none of ours. */
  readonly note: CallNote | undefined;
  /** The process that made it still lives, and may have other calls under way. */
  readonly hasCaller: boolean;
}

/** The notes in a work tree's state whose calls are nobody's any more. */
export function deadCalls(state: ByteName): readonly DeadCall[] {
  return (entriesOf(callsFolder(state)) ?? [])
    .map(({ name }) => ({ name, path: `${callsFolder(state)}/${name}` }))
    .map(({ name, path }) => ({ name, path, note: readNote(path) }))
    .map((found) => ({ ...found, hasCaller: found.note !== undefined && isAlive(found.note) }))
    .filter(({ name, hasCaller }) => name.endsWith(overMark) || !hasCaller);
}

function readNote(path: ByteName): CallNote | undefined {
  try {
    const note = JSON.parse(readRegular(path)?.toString('utf8') ?? '') as Partial<CallNote>;
    const { pid, start, token, gitDir, words, before } = note;
    const isWhole = [start, token, gitDir, words].every((text) => typeof text === 'string');
    return isWhole && Number.isInteger(pid) && Array.isArray(before)
      ? (note as CallNote)
      : undefined;
  } catch {
    return undefined;
  }
}

function isAlive({ pid, start }: CallNote): boolean {
  if (process.platform !== 'win32') return startTimeOf(pid) === start;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
