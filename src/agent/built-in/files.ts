import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { openMatcher, type Matcher } from './matcher.ts';
import { ToolRefusal, workPath } from './work-path.ts';

/** Bytes. */
const LARGEST = 4 * 2 ** 20;
const MOST_READ = 64 * 1024;
const MOST_ENTRIES = 500;
const MOST_MATCHES = 200;
const LONGEST_LINE = 400;
/** Milliseconds. */
const SEARCH_LIMIT = 10_000;
const OUT_OF_TIME = '[out of time: ask for a simpler pattern, or a smaller folder]';
const unlisted = new Set(['.git', 'node_modules']);

/** The work tree as the model's tools see it. Each throws ToolRefusal, or what the file system says. */
export interface WorkFiles {
  readonly read: (path: string, from: number, lines: number) => string;
  readonly list: (path: string) => string;
  readonly search: (pattern: string, path: string) => string;
  readonly write: (path: string, content: string) => string;
  readonly edit: (path: string, old: string, fresh: string) => string;
}

/** A search ends after `searchMs`, with what it has found. */
export function openWorkFiles(top: string, searchMs: number = SEARCH_LIMIT): WorkFiles {
  return {
    read: (path, from, lines) => excerptOf(textOf(workPath(top, path), path), from, lines),
    list: (path) => listed(workPath(top, path)),
    search: (pattern, path) => searched(top, workPath(top, path), openMatcher(pattern, searchMs)),
    write: (path, content) => {
      const target = workPath(top, path);
      assertRegular(target, path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content);
      return `wrote ${Buffer.byteLength(content)} bytes to ${path}`;
    },
    edit: (path, old, fresh) => {
      const target = workPath(top, path);
      writeFileSync(target, replaceOnce(textOf(target, path), { old, fresh, path }));
      return `changed ${path}`;
    },
  };
}

/** A FIFO would take what is written for ever. */
function assertRegular(absolute: string, path: string): void {
  const isOther = statSync(absolute, { throwIfNoEntry: false })?.isFile() === false;
  if (isOther) throw new ToolRefusal(`${path} is no regular file`);
}

/** Never a FIFO or a device: opening those would wait for ever. */
function textOf(absolute: string, path: string): string {
  const file = openSync(absolute, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new ToolRefusal(`${path} is no regular file`);
    if (stat.size > LARGEST) throw new ToolRefusal(`${path} is too large: ${stat.size} bytes`);
    const bytes = readFileSync(file);
    if (bytes.includes(0)) throw new ToolRefusal(`${path} is binary: ${stat.size} bytes`);
    return bytes.toString('utf8');
  } finally {
    closeSync(file);
  }
}

function excerptOf(text: string, from: number, lines: number): string {
  const all = text.split('\n');
  const shown = all.slice(from - 1, from - 1 + lines).join('\n');
  const cut = shown.length > MOST_READ ? shown.slice(0, MOST_READ) : shown;
  const isAll = from === 1 && lines >= all.length && cut === shown;
  return isAll
    ? cut
    : `${cut}\n[lines from ${from} of ${all.length}; ask for others with from and lines]`;
}

function listed(folder: string): string {
  const entries = readdirSync(folder, { withFileTypes: true })
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort();
  const more = entries.length > MOST_ENTRIES ? [`[and ${entries.length - MOST_ENTRIES} more]`] : [];
  return [...entries.slice(0, MOST_ENTRIES), ...more].join('\n') || '[empty]';
}

function searched(top: string, start: string, wanted: Matcher): string {
  const found: string[] = [];
  for (const path of filesUnder(start)) {
    const lines = linesOf(path);
    const matches = wanted.in(lines);
    if (matches === undefined) return [...found, OUT_OF_TIME].join('\n');
    for (const index of matches) {
      if (found.length === MOST_MATCHES)
        return [...found, '[more matches are left out]'].join('\n');
      found.push(
        `${relative(top, path)}:${index + 1}: ${lines[index]?.slice(0, LONGEST_LINE) ?? ''}`,
      );
    }
  }
  return found.join('\n') || '[no match]';
}

function* filesUnder(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile()) yield path;
    else if (entry.isDirectory() && !unlisted.has(entry.name)) yield* filesUnder(path);
  }
}

function linesOf(path: string): readonly string[] {
  try {
    return textOf(path, path).split('\n');
  } catch {
    return [];
  }
}

function replaceOnce(
  text: string,
  { old, fresh, path }: { readonly old: string; readonly fresh: string; readonly path: string },
): string {
  const at = text.indexOf(old);
  if (at < 0) throw new ToolRefusal(`the old text is not in ${path}: read it again`);
  if (text.includes(old, at + 1))
    throw new ToolRefusal(`the old text is in ${path} more than once: name more lines around it`);
  return text.slice(0, at) + fresh + text.slice(at + old.length);
}
