import type { Config } from '../config/config.ts';
import { readConfig } from '../config/read-config.ts';
import { readBlocks, type Block } from './blocks.ts';
import { boxOutline } from './box-outline.ts';
import { readFrontMatter } from './front-matter.ts';
import { headingOutline } from './heading-outline.ts';
import { isBlank, lineAt, readLines, textOf, type Lines } from './lines.ts';
import { noticesOf } from './notices.ts';
import type { Draft, Outline } from './outline.ts';
import type { Plan } from './plan.ts';
import { byLine, type Problem } from './problem.ts';
import { readTasks } from './read-tasks.ts';

/** Reads a plan (contract, "PLAN.md"). Never throws for what is in it: all its problems are in the result, by line. */
export function parsePlan(bytes: Uint8Array, path: string): Plan {
  return readPlan(bytes, path).plan;
}

export interface PlanReading {
  readonly plan: Plan;
  readonly lines: Lines;
  readonly blocks: readonly Block[];
  /** Where each task stands, in the order of the plan's tasks. */
  readonly drafts: readonly Draft[];
}

/** The plan, with where in the text its tasks stand. */
export function readPlan(bytes: Uint8Array, path: string): PlanReading {
  const lines = readLines(bytes);
  const front = readFrontMatter(lines.all);
  const settings = readConfig(front.map, 'plan');
  const blocks = readBlocks(lines, front.lines);
  const outline = outlineOf(lines, blocks, settings.config.tasks);
  const read = readTasks(outline, blocks);
  const { config } = settings;
  const problems = [encoding(bytes), front.problems, settings.problems, read.problems].flat();
  if (read.tasks.length === 0) problems.push(noTask(config.tasks));
  const sections = outline.drafts.flatMap(({ section }) => section.notices);
  const notices = [front.notices, outline.notices, sections, noticesOf(blocks), read.notices];
  const plan: Plan = {
    path,
    config,
    preamble: preambleOf(lines, front.lines + 1, outline.first ?? lines.all.length + 1),
    form: outline.form,
    tasks: read.tasks,
    ignored: outline.ignored,
    problems: byLine(problems),
    notices: byLine(notices.flat()),
  };
  return { plan, lines, blocks, drafts: outline.drafts };
}

/** Headings that read like tasks make a plan of headings; without any, its boxes are the tasks. */
function outlineOf(lines: Lines, blocks: readonly Block[], form: Config['tasks']): Outline {
  if (form === 'boxes') return boxOutline(lines, blocks);
  if (form !== undefined) return headingOutline(lines, blocks, Number(form.slice(-1)));
  const headings = headingOutline(lines, blocks, undefined);
  if (headings.first !== undefined) return headings;
  return { ...boxOutline(lines, blocks), notices: headings.notices };
}

/** Verbatim, without the blank lines around it. */
function preambleOf(lines: Lines, from: number, to: number): string {
  let first = from;
  while (first < to && isBlank(lineAt(lines, first))) first += 1;
  return textOf(lines, first, to);
}

function noTask(form: Config['tasks']): Problem {
  const headings = '`### Task 1: Title` headings, and, without any, `- [ ] Title` boxes';
  const level = form?.startsWith('heading-')
    ? `${'#'.repeat(Number(form.slice(-1)))} headings`
    : undefined;
  const sought = form === 'boxes' ? '`- [ ] Title` boxes' : (level ?? headings);
  return { line: 1, message: `no task in this plan: looked for ${sought}` };
}

/** UTF-16, as some editors save it, would be read as words apart by NUL. */
function encoding(bytes: Uint8Array): readonly Problem[] {
  const [first, second] = bytes;
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isWide ? [{ line: 1, message: 'this is UTF-16: save it as UTF-8' }] : [];
}
