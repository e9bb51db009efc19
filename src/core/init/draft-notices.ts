import { hasTestTarget, makefileOf, type TopFacts } from './find-stacks.ts';
import type { NodeProject } from './node-project.ts';
import type { PythonProject } from './python-project.ts';
import type { Stack } from './stacks.ts';
import { unwrittenGate } from './unwritten-gate.ts';

export interface NoticeFacts {
  readonly top: TopFacts;
  readonly found: readonly Stack[];
  readonly node: NodeProject | undefined;
  readonly python: PythonProject | undefined;
  /** Lines that `.gitignore` should have. */
  readonly ignore: readonly string[];
}

/** What a person has to know of a draft, one line each. */
export function draftNotices({ top, found, node, python, ignore }: NoticeFacts): readonly string[] {
  return [
    ...unknownNotice(found),
    ...testNotice(node),
    ...makeNotice(top, found),
    ...(python?.notices ?? []),
    ...rustNotice(found),
    ...ignoreNotice(top, ignore),
    ...belowNotice(top),
  ];
}

/** Whether the gates reject all work until a person has changed something that no task is asked to change. */
export function isRedFromStart(
  top: TopFacts,
  found: readonly Stack[],
  node: NodeProject | undefined,
): boolean {
  return found.length === 0 || node?.wrongAt !== undefined || makeNotice(top, found).length > 0;
}

function unknownNotice(found: readonly Stack[]): readonly string[] {
  if (found.length > 0) return [];
  return [
    `nothing here says how this project is built and tested: put that into ${unwrittenGate}, which is red until then`,
  ];
}

function testNotice(node: NodeProject | undefined): readonly string[] {
  if (node?.wrongAt !== undefined)
    return [
      `package.json is no JSON object (line ${node.wrongAt}): gates/node.sh is red until it is one`,
    ];
  if (node === undefined || node.testScript !== undefined) return [];
  return ['package.json has no test script: gates/node.sh is red until it has one'];
}

/** One that includes others may have the target there. */
function makeNotice({ texts }: TopFacts, found: readonly Stack[]): readonly string[] {
  const name = makefileOf(texts);
  const isJudged = found.some((stack) => stack.name === 'make') && name !== undefined;
  if (!isJudged || hasTestTarget(texts) || /^[-s]?include\b/m.test(texts.get(name) ?? ''))
    return [];
  return [`${name} has no target test or check: gates/make.sh is red until it has one`];
}

function rustNotice(found: readonly Stack[]): readonly string[] {
  if (!found.some(({ name }) => name === 'rust')) return [];
  return [
    'tests that stand inside of src/ (#[cfg(test)]) cannot be told from code: tests: in PLAN.md covers only files of tests',
  ];
}

/** An existing one is the user's: what it lacks is only told. */
function ignoreNotice({ files, texts }: TopFacts, lines: readonly string[]): readonly string[] {
  if (!files.has('.gitignore')) return [];
  const plain = (line: string): string => line.trim().replace(/^(?:\*\*)?\/|\/\**$/g, '');
  const there = new Set((texts.get('.gitignore') ?? '').split('\n').map(plain));
  const missing = lines.filter((line) => !there.has(plain(line)));
  if (missing.length === 0) return [];
  return [`.gitignore does not name ${missing.join(' and ')}: add it, or an agent commits it`];
}

const MOST_NAMED = 5;

function belowNotice({ below }: TopFacts): readonly string[] {
  if (below.length === 0) return [];
  const more = below.length > MOST_NAMED ? ` and ${below.length - MOST_NAMED} more` : '';
  const named = below.slice(0, MOST_NAMED).join(', ') + more;
  return [
    `further down there are ${named}: the gates judge the top; where its commands do not reach those, add a gate for them`,
  ];
}
