import { clip, visible } from '../text.ts';
import { arrowReader, shellcheckReader, stylishReader } from './block-readers.ts';
import type { Finding, Reader, Resolve } from './finding.ts';
import { goReader } from './go-reader.ts';
import { compactReader, plainReader, tscReader } from './line-readers.ts';
import { relativePath } from './printed-path.ts';
import {
  panicReader,
  pytestReader,
  stackReader,
  summaryReader,
  tracebackReader,
} from './test-readers.ts';

export interface FindingOptions {
  /** Absolute folders that stand for the top of the work tree, without a slash at the end. */
  readonly tops: readonly string[];
  /** Whether this path, relative to the top, is a regular file of the work tree. It is asked once a path, and not without end. */
  readonly isFile: (path: string) => boolean;
  readonly most: number;
}

/** Characters of a line that are looked at: nobody reads a message that begins later. */
const LONGEST_LINE = 2000;
/** Bytes of a message. */
const LONGEST_MESSAGE = 1000;
/** Paths that the disk is asked for. */
const MOST_PATHS = 2000;

/**
 * What a gate's output says of lines in the work tree: at most `most`, errors before warnings where not all fit, in the order of
 * the output, none twice. It reads what tsc, eslint, vitest, jest, node, pytest, python, ruff, mypy, go, cargo, gcc, clang and
 * shellcheck print, and `path:line:col: message` of anybody. Linear in the output's length.
 */
export function findingsIn(output: string, options: FindingOptions): readonly Finding[] {
  const { most } = options;
  const read = openReaders(resolver(options));
  const found: Finding[] = [];
  const known = new Set<string>();
  let errors = 0;
  for (const [line] of output.matchAll(/[^\r\n]+/g)) {
    for (const finding of read(visible(line.slice(0, LONGEST_LINE)))) {
      const key = JSON.stringify([finding.path, finding.line, finding.message]);
      if (known.has(key)) continue;
      known.add(key);
      const isError = finding.severity === 'error';
      if (isError) errors += 1;
      if (isError || found.length - errors < most) found.push(finding);
    }
    if (errors >= most) break;
  }
  return chosen(found, most).map((one) => ({
    ...one,
    message: clip(one.message, LONGEST_MESSAGE),
  }));
}

function chosen(found: readonly Finding[], most: number): readonly Finding[] {
  const errors = found.filter(({ severity }) => severity === 'error').slice(0, most);
  const warnings = found.filter(({ severity }) => severity === 'warning');
  const kept = new Set([...errors, ...warnings.slice(0, most - errors.length)]);
  return found.filter((finding) => kept.has(finding));
}

/** All of them see every line, because they remember; the first that says something speaks. */
function openReaders(resolve: Resolve): (line: string) => readonly Finding[] {
  const readers: readonly Reader[] = [
    ...[tscReader(resolve), compactReader(resolve), stylishReader(resolve)],
    ...[arrowReader(resolve), shellcheckReader(resolve), pytestReader(resolve)],
    ...[tracebackReader(resolve), panicReader(resolve), goReader(resolve), stackReader(resolve)],
  ];
  const plain = plainReader(resolve);
  const summary = summaryReader(resolve);
  const spoken = new Set<string>();
  return (line) => {
    const said = readers.map((reader) => reader(line));
    const found = said.find((one) => one !== undefined && one.length > 0);
    const isClaimed = said.some((one) => one !== undefined);
    const own = found ?? (isClaimed ? [] : (plain(line) ?? unspoken(summary(line) ?? [], spoken)));
    for (const { path } of own) spoken.add(path);
    return own;
  };
}

/** A test file of which more than its name has been said needs no second word. */
function unspoken(found: readonly Finding[], spoken: ReadonlySet<string>): readonly Finding[] {
  return found.filter(({ path }) => !spoken.has(path));
}

function resolver({ tops, isFile }: FindingOptions): Resolve {
  const answers = new Map<string, boolean>();
  return (printed) => {
    const path = relativePath(printed, tops);
    if (path === undefined) return undefined;
    const known = answers.get(path);
    if (known !== undefined) return known ? path : undefined;
    if (answers.size >= MOST_PATHS) return undefined;
    const answer = isFile(path);
    answers.set(path, answer);
    return answer ? path : undefined;
  };
}
