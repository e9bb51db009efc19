/** A file of another tool as a draft of a plan, and what there is to tell of it. */
import { isBeadsIssue, readBeads } from './beads.ts';
import { headingsIn, openDocument, boxesIn } from './box-document.ts';
import type { Dialect, Format } from './dialect.ts';
import type { Draft, FieldCount, Source, Told } from './draft.ts';
import { readFixPlan } from './fix-plan.ts';
import { isIssue, readGithub } from './github.ts';
import { JsonError, readJson, type JsonNode } from './json.ts';
import { openLog, type Log } from './log.ts';
import { isRequirement, readOpenSpec } from './openspec.ts';
import { isPrd, readPrd } from './prd.ts';
import { isRalphexTask, readRalphex } from './ralphex.ts';
import { settle } from './settle.ts';
import { isUserStory, readSpecKit } from './spec-kit.ts';
import { isTaskmaster, readTaskmaster } from './taskmaster.ts';

export interface ImportJob {
  readonly bytes: Uint8Array;
  /** Undefined: found from the content. */
  readonly format: Format | undefined;
  readonly tag: string | undefined;
  /** Paths of documents that belong to it: the agent is told to read them. */
  readonly beside: readonly string[];
}

export interface Imported extends Told {
  /** Undefined where none was named and none is known by its content. */
  readonly format: Format | undefined;
  readonly draft: Draft;
  readonly fields: readonly FieldCount[];
}

const dialects: Readonly<Record<Format, Dialect>> = {
  prd: readPrd,
  taskmaster: readTaskmaster,
  beads: readBeads,
  github: readGithub,
  ralphex: readRalphex,
  'fix-plan': readFixPlan,
  'spec-kit': readSpecKit,
  openspec: readOpenSpec,
};

const noTasks: Source = { title: '', preamble: '', tasks: [] };

/** Never throws for what is in the file. With problems, the draft is not to be written. */
export function importText(job: ImportJob): Imported {
  const log = openLog();
  const { format, source } = readSource(job, log);
  if (source.tasks.length === 0 && log.told().problems.length === 0)
    log.problem(1, `no task found in it, read as ${format ?? ''}`);
  const preamble = [source.preamble, ...reading(job.beside)].filter((part) => part !== '');
  const draft = settle({ ...source, preamble: preamble.join('\n\n') }, log);
  return { format, draft, fields: log.fields(), ...log.told() };
}

interface SourceReading {
  readonly format: Format | undefined;
  readonly source: Source;
}

function readSource({ bytes, format: asked, tag }: ImportJob, log: Log): SourceReading {
  const text = decoded(bytes, log);
  let format = asked;
  try {
    format ??= findFormat(text);
    if (format === undefined) log.problem(1, unknown);
    else if (tag !== undefined && format !== 'taskmaster')
      log.problem(1, `--tag is for Taskmaster, and this is ${format}`);
    else return { format, source: dialects[format](text, { log, tag }) };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    log.problem(error.line, `no JSON: ${error.message}`);
  }
  return { format, source: noTasks };
}

const unknown =
  'no format that is known by its content: name it with --format, if it is one of those in skeleton import --help';

function reading(beside: readonly string[]): readonly string[] {
  if (beside.length === 0) return [];
  return [`Read these first:\n\n${beside.map((path) => `- \`${path}\``).join('\n')}`];
}

function decoded(bytes: Uint8Array, log: Log): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    log.problem(1, 'this is UTF-16: save it as UTF-8');
  const text = new TextDecoder().decode(bytes);
  if (text.includes('\uFFFD') && !isUtf8(bytes))
    log.notice(1, 'bytes in it that are no UTF-8 are written as \uFFFD');
  const line = text.slice(0, text.indexOf('\0') + 1).split('\n').length;
  if (text.includes('\0')) log.problem(line, 'a NUL byte: this is no text');
  return text;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** By what only one format has, the most telling first. Throws JsonError for what begins like JSON and is none. */
function findFormat(text: string): Format | undefined {
  return /^\s*[[{]/.test(text) && !/^\s*\[[ xX]\]|^\s*\[[^\]"{}\n]*\][:(]/.test(text)
    ? jsonFormat(text)
    : markdownFormat(text);
}

function jsonFormat(text: string): Format | undefined {
  const node = readFirst(text);
  if (isBeadsIssue(node)) return 'beads';
  if (isPrd(node)) return 'prd';
  if (isTaskmaster(node)) return 'taskmaster';
  if (node.kind !== 'array') return undefined;
  const [issue] = node.items;
  if (isIssue(issue)) return 'github';
  return isBeadsIssue(issue) ? 'beads' : undefined;
}

/** The whole file, or the first line of a file of lines. */
function readFirst(text: string): JsonNode {
  try {
    return readJson(text);
  } catch (error) {
    const lines = text.split(/\r\n?|\n/);
    const at = lines.findIndex((line) => line.trim() !== '');
    const first = lines[at] ?? '';
    const isObject = first.trimStart().startsWith('{') && first.trimEnd().endsWith('}');
    if (!isObject) throw error;
    return readJson(first, at + 1);
  }
}

function markdownFormat(text: string): Format | undefined {
  const { blocks } = openDocument(text, openLog());
  const headings = headingsIn(blocks);
  if (headings.some(isRalphexTask)) return 'ralphex';
  const boxes = boxesIn(blocks, 0, Infinity);
  const begins = (pattern: RegExp): boolean => boxes.some((box) => pattern.test(box.text));
  if (begins(/^(?:\*\*)?(?:T|CHK)\d{3}\b/)) return 'spec-kit';
  if (begins(/^(?:\*\*)?\d+\.\d+\b/)) return 'openspec';
  if (boxes.length > 0) return 'fix-plan';
  if (headings.some(isUserStory)) return 'spec-kit';
  return headings.some(isRequirement) ? 'openspec' : undefined;
}
