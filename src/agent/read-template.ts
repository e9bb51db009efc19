import { constants } from 'node:fs';
import { lstat, open, readFile, realpath } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { oneLine } from '../core/text.ts';
import { isShipped } from '../core/stages/stages.ts';
import { Refusal, type StageJob } from '../ports.ts';
import { unknownHoles } from './fill-template.ts';
import { promptHoles } from './prompt.ts';

const ownTemplate = '.skeleton/prompts/task.md';
/** Bytes. */
const LARGEST = 256 * 1024;

export interface TemplatePlaces {
  /** Absolute. */
  readonly top: string;
  /** Absolute. */
  readonly packageRoot: string;
  /** `prompt:` of the configuration, relative to the top. */
  readonly prompt: string | undefined;
}

/**
 * The prompt's template: of `prompt:`, else .skeleton/prompts/task.md, else the shipped one. It is read when the tree is as
 * the attempt begins. Throws Refusal(2), naming file and line, where it is missing, is no plain file of the repository,
 * asks for what nobody knows, or leaves the task out.
 */
export async function readTemplate({ top, packageRoot, prompt }: TemplatePlaces): Promise<string> {
  const own = await readOwn(top, prompt ?? ownTemplate);
  if (own === undefined && prompt !== undefined)
    throw new Refusal(
      2,
      `prompt: ${oneLine(prompt)} is not there`,
      'write it, or leave `prompt:` out',
    );
  if (own === undefined) return readFile(join(packageRoot, 'templates/task.prompt.md'), 'utf8');
  assertSound(own, oneLine(prompt ?? ownTemplate));
  return own;
}

/**
 * The template of a stage: the one that it names, else the shipped one of its name; `implement` is the task's own. Throws as
 * `readTemplate`.
 */
export async function readStageTemplate(
  { name, prompt }: Pick<StageJob, 'name' | 'prompt'>,
  places: TemplatePlaces,
): Promise<string> {
  if (prompt !== undefined) return readTemplate({ ...places, prompt });
  if (name === 'implement' || !isShipped(name)) return readTemplate(places);
  return readFile(join(places.packageRoot, `templates/stages/${name}.md`), 'utf8');
}

function assertSound(template: string, path: string): void {
  const problems = unknownHoles(template, promptHoles).map(
    ({ name, line }) => `${path}:${line}: nothing is known for {{${name}}}`,
  );
  if (!/\{\{\s*task\s*\}\}/.test(template)) problems.push(`${path}:1: {{task}} is missing`);
  if (problems.length === 0) return;
  const known = promptHoles.map((name) => `{{${name}}}`).join(' ');
  throw new Refusal(2, problems.join('\n'), `a template may use ${known}`);
}

async function readOwn(top: string, path: string): Promise<string | undefined> {
  const absolute = resolve(top, path);
  const refuse = (what: string): Refusal =>
    new Refusal(
      2,
      `${oneLine(path)} ${what}`,
      'the template of the prompt is a plain file of the repository',
    );
  if (!absolute.startsWith(top + sep)) throw refuse('is outside of the work tree');
  const stat = await lstat(absolute).catch(() => undefined);
  if (stat === undefined) return undefined;
  if (!stat.isFile()) throw refuse('is no plain file');
  if (stat.size > LARGEST) throw refuse(`is larger than ${LARGEST} bytes`);
  if ((await realpath(absolute)) !== join(await realpath(top), path))
    throw refuse('is behind a link');
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(absolute, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
