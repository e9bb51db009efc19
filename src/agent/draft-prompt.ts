import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mostTasks, mostWords } from '../core/plan/judge-draft.ts';
import type { Problem } from '../core/plan/plan.ts';
import { fillTemplate } from './fill-template.ts';

export interface DraftMaterial {
  readonly document: { readonly name: string; readonly text: string };
  /** Paths of the repository, to say what is there. */
  readonly files: readonly string[];
  /** Of the plan, relative to the top. */
  readonly path: string;
  /** The plan that is there. */
  readonly there: string | undefined;
  /** The draft before this one, and what is wrong with it. */
  readonly last: { readonly draft: string; readonly problems: readonly Problem[] } | undefined;
}

const MOST_FILES = 300;
const MOST_PROBLEMS = 40;

/** The prompt that asks for a plan; what others wrote stands in it as data. */
export async function renderDraftPrompt(
  packageRoot: string,
  { document, files, path, there, last }: DraftMaterial,
): Promise<string> {
  const template = await readFile(join(packageRoot, 'templates/prompts/plan.md'), 'utf8');
  const text = fillTemplate(template, {
    most_tasks: String(mostTasks),
    most_words: String(mostWords),
    files: filesPart(files),
    plan: planPart(path, there),
    feedback: last === undefined ? '' : feedbackPart(last),
    name: document.name,
    document: closed(document.text, 'document'),
  });
  return `${text.trim()}\n`;
}

function filesPart(files: readonly string[]): string {
  if (files.length === 0) return '';
  const more = files.length - MOST_FILES;
  const shown = [...files.slice(0, MOST_FILES), ...(more > 0 ? [`and ${more} more`] : [])];
  return `Files near the top of the repository, to name them right:\n\n<files>\n${closed(shown.join('\n'), 'files')}\n</files>`;
}

function planPart(path: string, there: string | undefined): string {
  if (there === undefined || there.trim() === '') return '';
  return `The plan that is there now, ${path}. Yours takes its place: keep its title, what still holds, and every task that is done word for word, with
its id and its mark. Front matter at its beginning is kept without you: leave it out.

<plan>
${closed(there, 'plan')}
</plan>`;
}

function feedbackPart({ draft, problems }: NonNullable<DraftMaterial['last']>): string {
  const listed = problems.slice(0, MOST_PROBLEMS);
  const lines = listed.map(({ line, message }) => `- line ${line}: ${message}`);
  const more = problems.length - listed.length;
  const all = [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
  if (draft === '') return `Your last answer cannot be taken:\n\n${all}`;
  return `Your last answer was this:

<draft>
${closed(draft, 'draft')}
</draft>

It cannot be taken. Mend this, keep the rest, and give the whole plan again:

${all}`;
}

/** Text that cannot end the element it stands in. */
function closed(text: string, name: string): string {
  return text.replace(new RegExp(`</(?=${name}>)`, 'g'), '<\\/').trim();
}
