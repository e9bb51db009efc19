import { realpath } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { openHouse, openNewFiles, type Environment } from '../compose.ts';
import type { Format } from '../core/import/dialect.ts';
import type { Draft, FieldCount } from '../core/import/draft.ts';
import { importText, type Imported } from '../core/import/import-text.ts';
import { planText } from '../core/import/plan-text.ts';
import { readBack } from '../core/import/read-back.ts';
import type { Problem } from '../core/plan/plan.ts';
import { shellWord } from '../core/shell-word.ts';
import { Refusal, type RepositoryFacts, type Workspace } from '../ports.ts';
import { pathFromTop, readImportSource, readStream } from './import-source.ts';

export interface ImportOptions {
  /** Absolute. */
  readonly cwd: string;
  readonly env: Environment;
  /** A file or folder, relative to `cwd`; or a stream, with what messages call it. */
  readonly source: string | { readonly name: string; readonly stream: AsyncIterable<Uint8Array> };
  readonly format?: Format;
  readonly tag?: string;
  /** Where to write, relative to `cwd`; else PLAN.md at the top, or the next free name. */
  readonly output?: string;
  /** Nothing is written, and no repository is needed. */
  readonly dryRun: boolean;
}

export interface ImportResult {
  readonly file: string;
  readonly format: Format;
  readonly draft: Draft;
  readonly fields: readonly FieldCount[];
  readonly notices: readonly Problem[];
  /** Of the plan, relative to the top, with `/`. */
  readonly plan: string;
  readonly text: string;
  readonly state: 'written' | 'to write';
  /** Why it is not PLAN.md. */
  readonly why: string | undefined;
  readonly isIgnored: boolean;
}

/** Problems that one message shows. */
const MOST_SHOWN = 20;

/**
 * A plan made from the task list of another tool. Writes nothing that our own parser does not read back as the same tasks,
 * and nothing where a file is. Throws Refusal: 2 for what is wrong in the file, each with file:line, 3 without a repository.
 */
export async function importPlan(options: ImportOptions): Promise<ImportResult> {
  const { cwd, source, format, tag, dryRun } = options;
  const read =
    typeof source === 'string'
      ? await readImportSource(cwd, source)
      : await readStream(source.name, source.stream);
  const place = await placeOf(options);
  const imported = importText({
    bytes: read.bytes,
    format,
    tag,
    beside: read.beside.map((path) => pathFromTop(place.top, path)),
  });
  const found = readable(imported, read.name);
  const text = planText(imported.draft);
  const difference = readBack(text, imported.draft, 'PLAN.md');
  if (difference !== undefined)
    throw new Error(`the plan made from ${read.name} is not read back as it was: ${difference}`);
  const target = await targetOf(place, options);
  const plan = dryRun ? target.path : await write(place, target, text);
  return {
    ...{ file: read.name, format: found, draft: imported.draft, fields: imported.fields },
    notices: imported.notices,
    ...{ plan, text, state: dryRun ? 'to write' : 'written' },
    why: plan === 'PLAN.md' ? undefined : target.why,
    isIgnored: !dryRun && (await isIgnored(place, plan)),
  };
}

function readable({ format, problems }: Imported, name: string): Format {
  if (problems.length === 0 && format !== undefined) return format;
  const lines = [...problems].sort((a, b) => a.line - b.line);
  const shown = lines
    .slice(0, MOST_SHOWN)
    .map(({ line, message }) => `${name}:${line}: ${message}`);
  const more = lines.length - shown.length;
  throw new Refusal(
    2,
    [...shown, ...(more > 0 ? [`and ${more} more`] : []), 'nothing was written'].join('\n'),
    'skeleton import --help     lists the formats; mend the file, or name its format',
  );
}

interface Place {
  readonly top: string;
  readonly facts: RepositoryFacts | undefined;
  readonly workspace: Workspace | undefined;
}

async function placeOf({ cwd, env, dryRun }: ImportOptions): Promise<Place> {
  try {
    const house = await openHouse(cwd, env);
    return { top: house.facts.top, facts: house.facts, workspace: await house.workspace() };
  } catch (error) {
    if (!dryRun || !(error instanceof Refusal)) throw error;
    return { top: cwd, facts: undefined, workspace: undefined };
  }
}

interface Target {
  readonly path: string;
  readonly why: string | undefined;
  /** A person named it: another name would not be what they asked for. */
  readonly isNamed: boolean;
}

async function targetOf(place: Place, { cwd, output }: ImportOptions): Promise<Target> {
  const { inTheWayOf } = await openNewFiles();
  if (output !== undefined) {
    const path = await insidePath(place.top, cwd, output);
    const way = inTheWayOf(place.top, path);
    if (way !== undefined) throw inTheWay(output, way);
    return { path, why: 'as you named it', isNamed: true };
  }
  const isFree = (path: string): boolean => inTheWayOf(place.top, path) === undefined;
  if (isFree('PLAN.md') && isFree('docs/PLAN.md'))
    return { path: 'PLAN.md', why: undefined, isNamed: false };
  const path = freeNames().find(isFree);
  if (path === undefined) throw inTheWay('PLAN.md', 'there already, and so are 999 more');
  const own = isFree('PLAN.md') ? 'docs/PLAN.md' : 'PLAN.md';
  return { path, why: `${own} is there already, and stays as it is`, isNamed: false };
}

function freeNames(): readonly string[] {
  return Array.from({ length: 999 }, (_, index) => `PLAN-${index + 2}.md`);
}

function inTheWay(path: string, way: string): Refusal {
  return new Refusal(2, `${path}: ${way}; it is left as it is`, 'name another file with --output');
}

/** Relative to the top; a plan elsewhere is none that a run would read. */
async function insidePath(top: string, cwd: string, output: string): Promise<string> {
  const path = relative(top, resolve(await realpath(cwd), output));
  const isGits = path.split('/').some((part) => part.toLowerCase() === '.git');
  if (path === '' || path.startsWith('..') || isGits)
    throw new Refusal(
      2,
      `--output ${output} is not in the work tree, where a run reads its plan`,
      `skeleton import FILE --output ${shellWord('PLAN-2.md')}`,
    );
  return path;
}

/** What another has put there meanwhile stays; then the next free name is taken. */
async function write(place: Place, target: Target, text: string): Promise<string> {
  const { facts } = place;
  if (facts === undefined) throw new Error('no repository to write to');
  const { writeNew } = await openNewFiles();
  const names = target.isNamed ? [target.path] : [target.path, ...freeNames()];
  const path = names.find((name) => writeNew(facts, { path: name, text, executable: false }));
  if (path === undefined) throw inTheWay(target.path, 'it appeared just now');
  return path;
}

async function isIgnored({ workspace }: Place, path: string): Promise<boolean> {
  const file = await workspace?.readWorkFile(path);
  return file?.kind === 'file' && file.ignored;
}
