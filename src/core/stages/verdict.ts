import { clip, oneLine } from '../text.ts';
import { isAsGrave, severities, type Severity } from './severity.ts';

/** One thing that a review found. */
export interface Finding {
  /** Relative to the top of the work tree; '' where it is about no one file. */
  readonly file: string;
  /** 1-based. */
  readonly line?: number;
  readonly severity: Severity;
  readonly message: string;
  readonly suggestion?: string;
}

/** What a verdict stage answered. */
export interface Review {
  readonly verdict: 'pass' | 'block';
  readonly findings: readonly Finding[];
}

/** Fits, or what is wrong with it, in words for who wrote it. */
export type Answer = Review | { readonly problems: readonly string[] };

const MOST_FINDINGS = 50;
/** Characters. */
const LONGEST_MESSAGE = 2000;
const LONGEST_FILE = 300;
const MOST_PROBLEMS = 10;
/** Characters of an answer that are read, from its end. */
const LONGEST_ANSWER = 256 * 1024;

/**
 * The verdict in an agent's final text: the one JSON object in it that looks like a verdict, with no brace after it. Anything that
 * leaves a doubt, as a second one or one that does not parse, is none: a block whose quotes are wrong may hold a pass.
 */
export function readVerdict(text: string): Answer {
  const found = onlyVerdict(text.replaceAll('\0', '').slice(-LONGEST_ANSWER));
  if (found === undefined) return { problems: [noObject] };
  const problems = problemsOf(found);
  if (problems.length > 0) return { problems: problems.slice(0, MOST_PROBLEMS) };
  return { verdict: found['verdict'] as Review['verdict'], findings: findingsOf(found) };
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const noObject =
  'there is no JSON object at the end of the answer that is whole, and the only verdict in it';

function onlyVerdict(text: string): Fields | undefined {
  const objects = objectsIn(text);
  const alike = objects.filter((one) => verdictKey.test(one.text) && !one.text.startsWith(SAMPLE));
  const [only] = alike;
  if (only === undefined || alike.length > 1 || !standsAlone(text, only)) return undefined;
  const found = parsed(only.text);
  return found !== undefined && ('verdict' in found || 'findings' in found) ? found : undefined;
}

/** Of the prompt (agent/review-text.ts), which a client may print before the answer. */
const SAMPLE = '{"verdict": "pass" | "block"';
const verdictKey = /\b(?:verdict|findings)["']?\s*:/;

/** Not a piece of something else: of a list or a text, or of what lost its beginning. */
function standsAlone(text: string, { begin, end }: Piece): boolean {
  const before = text.slice(0, begin).trimEnd().at(-1) ?? ' ';
  const after = text.slice(end);
  return !`[,"'\\`.includes(before) && /^[^\S\n]*(?:`{3,}[^\n]*)?(?:\n[^{}]*)?$/.test(after);
}

interface Piece {
  readonly text: string;
  readonly begin: number;
  readonly end: number;
}

/** What begins like an object of JSON and is in none itself; the last one may have no end. Each character is read once. */
function objectsIn(text: string): readonly Piece[] {
  const beginning = /\{(?=\s*(?:["'}]|verdict\b|findings\b))/g;
  const pieces: Piece[] = [];
  for (let at = beginning.exec(text); at !== null; at = beginning.exec(text)) {
    const end = endOf(text, at.index);
    pieces.push({ text: text.slice(at.index, end), begin: at.index, end });
    beginning.lastIndex = end;
  }
  return pieces;
}

const stepOf: Readonly<Record<string, number>> = { '{': 1, '}': -1 };

/** Where an object ends, or the text, if it does not. */
function endOf(text: string, begin: number): number {
  const token = /\\[^]?|["{}]/g;
  token.lastIndex = begin;
  let depth = 0;
  let isQuoted = false;
  for (let at = token.exec(text); at !== null; at = token.exec(text)) {
    if (at[0] === '"') isQuoted = !isQuoted;
    if (!isQuoted) depth += stepOf[at[0]] ?? 0;
    if (depth === 0) return token.lastIndex;
  }
  return text.length;
}

function parsed(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function problemsOf({ verdict, findings }: Fields): readonly string[] {
  const word = verdict === 'pass' || verdict === 'block';
  if (!Array.isArray(findings))
    return [...(word ? [] : [wrongVerdict]), '`findings` has to be a list, empty for none'];
  const many = findings.length > MOST_FINDINGS ? [`at most ${MOST_FINDINGS} findings`] : [];
  return [...(word ? [] : [wrongVerdict]), ...many, ...findings.flatMap(findingProblems)];
}

const wrongVerdict = '`verdict` has to be "pass" or "block"';

function findingProblems(finding: unknown, at: number): readonly string[] {
  const name = `findings[${at}]`;
  if (!isFields(finding)) return [`${name} has to be an object`];
  return fieldRules
    .filter(({ field, fits }) => !fits(finding[field]))
    .map(({ field, expected }) => `${name}.${field} has to be ${expected}`);
}

interface FieldRule {
  readonly field: keyof Finding;
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
}

const fieldRules: readonly FieldRule[] = [
  { field: 'file', expected: 'a path', fits: isTextOrNone },
  {
    field: 'line',
    expected: 'a whole number from 1, or left out',
    fits: (value) => isNone(value) || (Number.isSafeInteger(value) && Number(value) > 0),
  },
  {
    field: 'severity',
    expected: `one of ${severities.join(', ')}`,
    fits: (value) => severities.some((one) => one === value),
  },
  {
    field: 'message',
    expected: 'a text',
    fits: (value) => typeof value === 'string' && value.trim() !== '',
  },
  { field: 'suggestion', expected: 'a text, or left out', fits: isTextOrNone },
];

function isNone(value: unknown): boolean {
  return value === undefined || value === null;
}

function isTextOrNone(value: unknown): boolean {
  return isNone(value) || typeof value === 'string';
}

function findingsOf({ findings }: Fields): readonly Finding[] {
  return Array.isArray(findings) ? findings.filter(isFields).map(findingOf) : [];
}

function findingOf({ file, line, severity, message, suggestion }: Fields): Finding {
  return {
    file: clip(textOf(file), LONGEST_FILE),
    ...(typeof line === 'number' && { line }),
    severity: severity as Severity,
    message: clip(textOf(message), LONGEST_MESSAGE),
    ...(textOf(suggestion) !== '' && { suggestion: clip(textOf(suggestion), LONGEST_MESSAGE) }),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** The findings that reject. */
export function blockingOf(
  { findings }: Pick<Review, 'findings'>,
  block: Severity,
): readonly Finding[] {
  return findings.filter(({ severity }) => isAsGrave(severity, block));
}

/** Whether two reviews say the same: the words count, not the lines, which move. */
export function saysSame(one: readonly Finding[], other: readonly Finding[]): boolean {
  const words = (findings: readonly Finding[]): string =>
    JSON.stringify(findings.map(({ file, severity, message }) => [file, severity, message]).sort());
  return words(one) === words(other);
}

/** One line for people: `major src/a.ts:3: what is wrong (how to mend it)`. */
export function spellFinding({ file, line, severity, message, suggestion }: Finding): string {
  const place = file === '' ? '' : ` ${oneLine(file)}${line === undefined ? '' : `:${line}`}`;
  const then = suggestion === undefined ? '' : ` (${oneLine(suggestion)})`;
  return `${severity}${place}: ${oneLine(message)}${then}`;
}
