import { filesBehind, makefiles, mattersWhere } from '../gate-holes.ts';
import { globOf, pathMatcher } from '../globs.ts';
import { draftNotices, isRedFromStart } from './draft-notices.ts';
import { findStacks, type TopFacts } from './find-stacks.ts';
import { readNodeProject, type NodeProject, type Setup } from './node-project.ts';
import { planText } from './plan-text.ts';
import { readPythonProject, type PythonProject } from './python-project.ts';
import type { Stack, StackName } from './stacks.ts';
import { workflowText } from './workflow-text.ts';
import { unwrittenGate, unwrittenText } from './unwritten-gate.ts';

/** A file that `init` writes where nothing is. */
export interface DraftFile {
  /** Relative to the top, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly executable: boolean;
}

export interface Draft {
  readonly stacks: readonly StackName[];
  /** In the order to be written: the plan is last, so that it never stands there without its gates. */
  readonly files: readonly DraftFile[];
  /** What a person has to know of it, one line each. */
  readonly notices: readonly string[];
}

export interface DraftJob {
  readonly top: TopFacts;
  /** Texts of the shipped gates that `gatesFor` names. */
  readonly gates: ReadonlyMap<string, string>;
  /** The shipped template of the workflow. */
  readonly workflow: string;
  /** That is checked out, in short; undefined where none is. */
  readonly branch: string | undefined;
  readonly agent: string | undefined;
  /** Of the paths that `restingPlaces` gives. */
  readonly exists: (path: string) => boolean;
}

export const workflowPath = '.github/workflows/skeleton.yml';

/** They fit every project, and judge without any tool of its own. */
const anywhere = ['no-conflict-markers.sh', 'no-secrets.sh'];

/** Names of the shipped gates that are copied into the repository, where a person can edit them. */
export function gatesFor(top: TopFacts): readonly string[] {
  return [...findStacks(top).map(({ gate }) => gate), ...anywhere];
}

/** What the gates may rest on beside the settings of the stack: whether each is there has to be looked up. */
export function restingPlaces({ top, gates }: Pick<DraftJob, 'top' | 'gates'>): readonly string[] {
  const isMade = findStacks(top).some(({ name }) => name === 'make');
  const texts = [
    ...gates.values(),
    ...(nodeOf(top)?.scripts ?? []),
    ...(isMade ? makefiles.map((name) => top.texts.get(name) ?? '') : []),
  ];
  return texts.flatMap((text) => filesBehind({ text }));
}

/** From what lies at the top to what is to lie there. */
export function draftFiles(job: DraftJob): Draft {
  const { top } = job;
  const found = findStacks(top);
  const ignore = [...new Set(found.flatMap(({ leaves }) => leaves))];
  const node = nodeOf(top);
  const python = pythonOf(top, found);
  return {
    stacks: found.map(({ name }) => name),
    files: [
      ...gateFiles(job, found),
      { path: 'gates/.gitattributes', text: attributes, executable: false },
      {
        path: workflowPath,
        text: workflowText(job.workflow, { setups: setupsOf(top, found), branch: job.branch }),
        executable: false,
      },
      ...ignoreFile(ignore),
      { path: 'PLAN.md', text: draftPlan(job, found), executable: false },
    ],
    notices: draftNotices({ top, found, node, python, ignore }),
  };
}

/** No shell reads a script with the line ends of Windows, which git would otherwise write where it is told to. */
const attributes = '* text eol=lf\n';

function gateFiles({ gates }: DraftJob, found: readonly Stack[]): readonly DraftFile[] {
  const own = { path: unwrittenGate, text: unwrittenText, executable: true };
  const shipped = [...gates].map(([name, text]) => ({
    path: `gates/${name}`,
    text,
    executable: true,
  }));
  return found.length === 0 ? [own, ...shipped] : shipped;
}

function draftPlan(job: DraftJob, found: readonly Stack[]): string {
  const node = nodeOf(job.top);
  const tests = [...new Set([...found.flatMap((stack) => stack.tests), ...(node?.tests ?? [])])];
  return planText({
    stacks: found,
    isRed: isRedFromStart(job.top, found, node),
    agent: job.agent,
    protect: protectOf(job, found, tests),
    tests,
    setups: setupsOf(job.top, found),
    node,
  });
}

/** Where nothing has to be installed, a clean worktree is still what an ignored file cannot forge a runner in. */
const nothingToInstall: Setup = { run: 'true', files: ['package.json'] };

function setupsOf(top: TopFacts, found: readonly Stack[]): readonly Setup[] {
  const node = nodeOf(top);
  const python = pythonOf(top, found);
  const named = [node?.setup, python?.setup].filter((setup) => setup !== undefined);
  const isInPlace = python !== undefined && python.setup === undefined;
  return named.length > 0 || node === undefined || isInPlace ? named : [nothingToInstall];
}

/** Ignored folders that a runner is taken from, where the gates run in place. */
function runnersInPlace(top: TopFacts, found: readonly Stack[]): readonly string[] {
  if (setupsOf(top, found).length > 0 || pythonOf(top, found) === undefined) return [];
  return ['.venv/**', 'venv/**', ...(nodeOf(top) === undefined ? [] : ['node_modules/**'])];
}

function protectOf(
  job: DraftJob,
  found: readonly Stack[],
  tests: readonly string[],
): readonly string[] {
  const { files } = job.top;
  const globs = [
    ...found.flatMap(({ obeys, locks }) => [...obeys, ...locks.filter((name) => files.has(name))]),
    ...(nodeOf(job.top)?.obeys ?? []),
    ...runnersInPlace(job.top, found),
    workflowPath,
  ];
  const isCovered = pathMatcher([...globs, ...tests, 'gates']);
  const matters = mattersWhere(job.exists);
  const open = restingPlaces(job).filter((path) => matters(path) && !isCovered(path));
  return [...new Set([...globs, ...open.map(globOf)])];
}

function nodeOf(top: TopFacts): NodeProject | undefined {
  return top.files.has('package.json') ? readNodeProject(top) : undefined;
}

function pythonOf(top: TopFacts, found: readonly Stack[]): PythonProject | undefined {
  return found.some(({ name }) => name === 'python') ? readPythonProject(top) : undefined;
}

function ignoreFile(lines: readonly string[]): readonly DraftFile[] {
  if (lines.length === 0) return [];
  return [{ path: '.gitignore', text: `${lines.join('\n')}\n`, executable: false }];
}
