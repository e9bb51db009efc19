import { quote, type Problem } from './problem.ts';
import { readYaml } from './yaml.ts';
import type { YamlMap } from './yaml-node.ts';

export interface FrontMatter {
  readonly map: YamlMap;
  /** Lines it takes, fences included; the plan's text begins on the next one. */
  readonly lines: number;
  readonly problems: readonly Problem[];
  readonly notices: readonly Problem[];
}

const nothing: FrontMatter = {
  map: { kind: 'map', entries: [], line: 1 },
  lines: 0,
  problems: [],
  notices: [],
};

/**
 * What stands between a `---` on line 1 and the next one. Both fences are found here, because gray-matter takes a file
 * without the second one whole, and evaluates what another language tag than YAML's asks for: such a tag is a problem, and
 * nothing of the block is read (contract, "PLAN.md").
 */
export function readFrontMatter(lines: readonly string[]): FrontMatter {
  const tag = languageTag(lines[0] ?? '');
  if (tag === undefined) return { ...nothing, notices: lateFence(lines) };
  if (!/^(?:ya?ml)?$/i.test(tag)) return foreign(tag, lines);
  const closing = closingLine(lines, '---');
  if (closing === undefined)
    return tag !== '' || isKeyLine(lines[1] ?? '') ? unclosed(lines) : nothing;
  const inner = lines.slice(1, closing - 1);
  if (isBetweenRules(inner)) return nothing;
  const { map, problems } = readYaml(inner, 2);
  return { map, lines: closing, problems: problems.map(named), notices: [] };
}

/** What stands behind the opening fence; undefined for a line that opens no front matter. */
function languageTag(line: string): string | undefined {
  return /^\+\+\+[ \t]*$/.test(line) ? 'toml' : /^---(?!-)(.*)$/.exec(line)?.[1]?.trim();
}

/** Text between two thematic breaks: without a key, but set off by a blank line, or with a heading that YAML would take for a comment. */
function isBetweenRules(lines: readonly string[]): boolean {
  if (lines.some(isKeyLine)) return false;
  const isSetOff = lines[0]?.trim() === '' && lines.some((line) => line.trim() !== '');
  return isSetOff || lines.some((line) => /^#{2,6}[ \t]/.test(line));
}

function named(problem: Problem): Problem {
  return { ...problem, message: `front matter: ${problem.message}` };
}

/** 1-based; after the first line. */
function closingLine(lines: readonly string[], fence: string): number | undefined {
  const index = lines.findIndex((line, at) => at > 0 && line.trimEnd() === fence);
  return index < 0 ? undefined : index + 1;
}

function foreign(tag: string, lines: readonly string[]): FrontMatter {
  const message = `front matter has to be YAML, without a language tag: ${quote(tag)} is not read`;
  const fence = lines[0]?.slice(0, '---'.length) ?? '---';
  return { ...nothing, lines: closingLine(lines, fence) ?? 1, problems: [{ line: 1, message }] };
}

/** Without a closing fence, `---` is a thematic break, unless keys follow at once: then its writer forgot the fence. */
function unclosed(lines: readonly string[]): FrontMatter {
  const message = 'front matter is not closed: put a line `---` after its last key';
  const end = lines.findIndex((line, at) => at > 0 && !isKeyLine(line) && !/^\s/.test(line));
  return { ...nothing, lines: end < 0 ? lines.length : end, problems: [{ line: 1, message }] };
}

function lateFence(lines: readonly string[]): readonly Problem[] {
  const first = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#'));
  const [fence = '', key = ''] = lines.slice(Math.max(first, 0));
  if (first < 1 || fence.trimEnd() !== '---' || !isKeyLine(key)) return [];
  return [{ line: first + 1, message: 'front matter is read on line 1 only: this is text' }];
}

function isKeyLine(line: string): boolean {
  return /^["']?[A-Za-z_][\w -]{0,60}["']?:(?:[ \t]|$)/.test(line);
}
