import type { NodeProject, Setup } from './node-project.ts';
import type { Stack } from './stacks.ts';

export interface PlanParts {
  readonly stacks: readonly Stack[];
  /** Nothing is accepted until a person has changed something. */
  readonly isRed: boolean;
  /** Undefined: whoever runs it has one configured, or names one. */
  readonly agent: string | undefined;
  readonly protect: readonly string[];
  readonly tests: readonly string[];
  /** For a clean worktree; none where nothing has to be installed, or nothing says how. */
  readonly setups: readonly Setup[];
  /** Of the stack node, where it is there. */
  readonly node: NodeProject | undefined;
}

/** PLAN.md as `init` writes it: it can be run as it is, and shows a person where to put what. */
export function planText(parts: PlanParts): string {
  return [
    '---',
    '# `skeleton check` says what is wrong here, and where. All keys: schema/config.schema.json of the package.',
    ...agentLines(parts.agent),
    ...baselineLines(parts.isRed),
    '# What the gates in gates/ rest on. No task may change it, but for one that says: may_change: PATH',
    ...list('protect', parts.protect),
    ...testLines(parts.tests),
    ...setupLines(parts.setups),
    '---',
    '',
    '# Plan',
    '',
    'What stands here goes to the agent with every task: what the project is, its conventions, its limits.',
    '',
    ...taskLines(parts),
    '',
  ].join('\n');
}

function agentLines(agent: string | undefined): readonly string[] {
  return agent === undefined
    ? ['# agent: claude # skeleton doctor lists those that are known, and which are here']
    : [`agent: ${agent}`];
}

/** An agent is not called for work that nothing can accept. */
function baselineLines(isRed: boolean): readonly string[] {
  if (!isRed) return [];
  return ['baseline: require # no agent is called while the gates are red; later: run'];
}

function testLines(tests: readonly string[]): readonly string[] {
  if (tests.length === 0) return [];
  return [
    '# A task that changes these has to pass with the old ones too.',
    ...list('tests', tests),
  ];
}

function setupLines(setups: readonly Setup[]): readonly string[] {
  if (setups.length === 0) return [];
  const files = setups.flatMap((setup) => setup.files);
  return [
    '# The gates run in a clean worktree that holds exactly what would be committed; this makes it ready.',
    'setup:',
    `  run: ${setups.map(({ run }) => (run === 'true' ? "'true' # nothing to install" : run)).join(' && ')}`,
    `  files: [${files.map(quoted).join(', ')}]`,
  ];
}

function list(key: string, globs: readonly string[]): readonly string[] {
  return [`${key}:`, ...globs.map((glob) => `  - ${quoted(glob)}`)];
}

function quoted(text: string): string {
  return /^[\w.][\w./-]*$/.test(text) ? text : `'${text.replaceAll("'", "''")}'`;
}

function taskLines({ stacks, node }: PlanParts): readonly string[] {
  if (stacks.length === 0) return readmeTask;
  const isUntested = node?.testScript === undefined && node?.wrongAt === undefined;
  return node !== undefined && isUntested ? firstTestTask : testTask;
}

const testTask = [
  '- [ ] Test what is not tested yet {#first-test}',
  '',
  '  Find one function of this project that no test covers and that other code relies on. Write a test of what it does,',
  '  one that fails when the function is broken. Change nothing but tests.',
];

const firstTestTask = [
  '- [ ] A first test {#first-test}',
  '  may_change: package.json',
  '',
  '  `npm test` has nothing to run yet. Give package.json a test script (`node --test`, or what the project has installed)',
  '  and write a test of one function, one that fails when the function is broken. Change nothing else.',
];

const readmeTask = [
  '- [ ] Say how it is built and tested {#readme}',
  '',
  '  README.md says in a few lines what this project is, how it is built and how it is tested. Write only what is so.',
];
