import { constants } from 'node:fs';
import { lstat, open, readdir, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { shellWord } from '../core/shell-word.ts';
import { Refusal } from '../ports.ts';

/** Bytes that are read; far more than a plan of 10,000 tasks has. */
const MOST_IMPORTED = 64 * 1024 * 1024;

export interface ImportSource {
  /** As messages name it. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Absolute paths of documents that belong to it. */
  readonly beside: readonly string[];
}

/**
 * The file that a person named, or, of a folder, the one in it that holds tasks, with the documents beside it. Throws
 * Refusal(2) where that cannot be told or read. Waits for no pipe.
 */
export async function readImportSource(cwd: string, file: string): Promise<ImportSource> {
  const path = resolve(cwd, file);
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined)
    throw new Refusal(2, `${file}: there is no such file`, `ls -l ${shellWord(file)}`);
  if (!facts.isDirectory()) return { name: file, bytes: await readWhole(path, file), beside: [] };
  const name = await tasksIn(path, file);
  const beside = name === 'tasks.md' || name === 'spec.md' ? await documentsIn(path, name) : [];
  const shown = join(file, name);
  return { name: shown, bytes: await readWhole(join(path, name), shown), beside };
}

async function readWhole(path: string, name: string): Promise<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      throw unreadable(name, error);
    },
  );
  try {
    return await bytesOf(file, name);
  } finally {
    await file.close();
  }
}

async function bytesOf(file: FileHandle, name: string): Promise<Uint8Array> {
  const facts = await file.stat();
  if (!facts.isFile())
    throw new Refusal(2, `${name} is no regular file`, `skeleton import - < ${shellWord(name)}`);
  if (facts.size > MOST_IMPORTED) throw tooLarge(name);
  return file.readFile();
}

/** All that a stream has. Throws Refusal(2) once that is too much. */
export async function readStream(
  name: string,
  stream: AsyncIterable<Uint8Array>,
): Promise<ImportSource> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > MOST_IMPORTED) throw tooLarge(name);
    chunks.push(chunk);
  }
  return { name, bytes: Buffer.concat(chunks), beside: [] };
}

function tooLarge(name: string): Refusal {
  return new Refusal(
    2,
    `${name} is larger than ${MOST_IMPORTED / 1024 / 1024} MiB: it is not read`,
  );
}

function unreadable(name: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  return new Refusal(
    2,
    `${name} cannot be read: ${String(error.code)}`,
    `ls -l ${shellWord(name)}`,
  );
}

/** Where the tools keep their tasks, from the folder that a person would name. */
const places = [
  'tasks.md',
  'prd.json',
  'tasks.json',
  'tasks/tasks.json',
  '.taskmaster/tasks/tasks.json',
  'fix_plan.md',
  '.ralph/fix_plan.md',
  'issues.jsonl',
  '.beads/issues.jsonl',
];

async function tasksIn(folder: string, shown: string): Promise<string> {
  const found: string[] = [];
  for (const place of places) if (await isFile(join(folder, place))) found.push(place);
  if (found.length === 0 && (await isFile(join(folder, 'spec.md')))) return 'spec.md';
  const [only, ...others] = found;
  if (only === undefined) throw await noTasks(folder, shown);
  if (others.length === 0) return only;
  const ready = found.map((place) => `skeleton import ${shellWord(join(shown, place))}`);
  throw new Refusal(2, `${shown} holds more than one list of tasks: name one`, ready.join('\n'));
}

async function noTasks(folder: string, shown: string): Promise<Refusal> {
  const below: string[] = [];
  for (const entry of await readdir(folder)) {
    const place = join(entry, 'tasks.md');
    if (await isFile(join(folder, place))) below.push(join(shown, entry));
  }
  const ready = below
    .sort()
    .slice(0, 8)
    .map((path) => `skeleton import ${shellWord(path)}`);
  const what = `${shown} is a folder without a list of tasks that is known (${places.join(', ')})`;
  return new Refusal(2, what, ready.join('\n'));
}

async function isFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isFile() === true;
}

const documents = [
  'constitution.md',
  'proposal.md',
  'spec.md',
  'plan.md',
  'design.md',
  'research.md',
  'data-model.md',
  'quickstart.md',
];

/** What spec-kit and OpenSpec write beside their tasks, and the specs that a change of OpenSpec holds. */
async function documentsIn(folder: string, own: string): Promise<readonly string[]> {
  const found: string[] = [];
  const add = async (path: string): Promise<void> => {
    if (await isFile(path)) found.push(path);
  };
  for (const name of documents) if (name !== own) await add(join(folder, name));
  for (const inner of ['specs', 'contracts', 'checklists']) {
    const names = await readdir(join(folder, inner)).catch(() => []);
    for (const name of names.sort()) {
      await add(join(folder, inner, name));
      await add(join(folder, inner, name, 'spec.md'));
    }
  }
  return found;
}

/** As the plan names it: from the top, or, outside of it, whole. */
export function pathFromTop(top: string, path: string): string {
  const inside = relative(top, path);
  return inside === '' || inside.startsWith('..') ? path : inside;
}
