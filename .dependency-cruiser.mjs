/**
 * The rooms and the arrows between them. When a rule fights a feature, change the rule here on purpose, not the code
 * around it; test/integration/layers-hold.test.ts plants a violation of each and wants it caught.
 */

/** Where each package may be imported from. A new dependency gets its line here first. */
const homes = {
  '@ai-sdk': '^src/agent/built-in/',
  '@photostructure/sqlite': '^src/ledger/',
  ai: '^src/agent/built-in/',
  commander: '^cli/',
  execa: '^src/exec/',
  'gray-matter': '^src/core/plan/',
  'js-yaml': '^src/core/plan/',
  'markdown-it': '^src/core/plan/',
  pg: '^src/ledger/postgres/',
  picomatch: '^src/core/',
  'simple-git': '^src/git/',
  zod: '^src/agent/built-in/',
};

/** The same for what Node brings along and only one room may touch. */
const builtinHomes = {
  child_process: '^src/exec/',
  cluster: '^src/exec/',
  sqlite: '^src/ledger/',
};

const product = '^(cli|src)/';
const inPackage = (name) => `node_modules/(@types/)?${name}/`;

const arrows = [
  {
    name: 'cli-uses-few-doors',
    comment:
      'cli/ is hands: it reaches the product through index, compose, core and report, so that a program without a terminal can do all that the command can.',
    from: { path: '^cli/' },
    to: { path: '^src/', pathNot: '^src/(index|compose)\\.ts$|^src/(core|report)/' },
  },
  {
    name: 'commands-load-on-demand',
    comment:
      'Each command is import()ed when it is called: `skeleton status` must not pay for what `run` loads.',
    from: { path: '^cli/', pathNot: '^cli/commands/' },
    to: { path: '^cli/commands/', dependencyTypesNot: ['dynamic-import', 'type-only'] },
  },
  {
    name: 'app-strings-rooms-together',
    comment:
      'src/app/ holds what the library offers, one use case a file: it asks compose for ports and hands them to the loop. What it hands to others itself is a report as data, or the text of a pull request.',
    from: { path: '^src/app/' },
    to: {
      path: '^src/',
      pathNot:
        '^src/(app|core|run)/|^src/(compose\\.ts$|ports(/|\\.ts$))|^src/report/(json|pull-request|report-json)\\.ts$',
    },
  },
  {
    name: 'only-index-offers-app',
    comment: 'A use case is called from outside, through src/index.ts, never by a room it uses.',
    from: { path: product, pathNot: '^src/(app/|index\\.ts$)' },
    to: { path: '^src/app/' },
  },
  {
    name: 'only-compose-builds-adapters',
    comment:
      'src/compose.ts, with what it re-exports of src/compose/, is the one place where an interface meets its implementation; everybody else takes a port.',
    from: {
      path: product,
      pathNot: '^src/compose(/|\\.ts$)|^src/(agent|drill|exec|forge|gate|git|ledger|notify)/',
    },
    to: { path: '^src/(agent|drill|exec|forge|gate|git|ledger|notify)/' },
  },
  {
    name: 'core-knows-only-core',
    comment: 'core/ is mind: whatever it knows of the outside, its tests would have to set up.',
    from: { path: '^src/core/' },
    to: { path: '^(cli|src)/', pathNot: '^src/core/' },
  },
  {
    name: 'pure-rooms-use-no-node',
    comment: 'core, report and ports run anywhere: no disk, no network, no clock, no environment.',
    from: { path: '^src/(core|report)/|^src/ports(/|\\.ts$)' },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'ports-know-only-core',
    comment:
      'src/ports/ holds interfaces; if one knew an adapter, everybody who takes a port would too.',
    from: { path: '^src/ports(/|\\.ts$)' },
    to: { pathNot: '^src/(core|ports)/' },
  },
  {
    name: 'run-knows-core-and-ports',
    comment: 'run/ is will: it decides nothing and touches nothing, so it names no adapter.',
    from: { path: '^src/run/' },
    to: { pathNot: '^src/(core|run)/|^src/ports(/|\\.ts$)' },
  },
  {
    name: 'report-knows-only-core',
    comment: 'A report is a pure function of the summary; only the command line writes it.',
    from: { path: '^src/report/' },
    to: { pathNot: '^src/(core|report)/' },
  },
  {
    name: 'adapters-know-no-sibling',
    comment:
      'An adapter uses core, ports, exec and itself: what two of them share is a port, or belongs in core.',
    from: { path: '^src/(agent|drill|forge|gate|git|ledger|notify)/' },
    to: { path: '^src/', pathNot: '^src/($1|core|exec)/|^src/ports(/|\\.ts$)' },
  },
  {
    name: 'exec-knows-core-and-ports',
    comment: 'exec/ is the door to child processes, whoever asks: it knows no caller.',
    from: { path: '^src/exec/' },
    to: { path: '^src/', pathNot: '^src/(core|exec)/|^src/ports(/|\\.ts$)' },
  },
  {
    name: 'src-never-imports-cli',
    comment: 'The library works without the command line.',
    from: { path: '^src/' },
    to: { path: '^cli/' },
  },
  {
    name: 'product-never-imports-test',
    comment: 'What ships may not need what does not.',
    from: { path: product },
    to: { path: '^test/' },
  },
];

const packages = [
  ...Object.entries(homes).map(([name, home]) => ({
    name: `home-of-${name}`,
    comment: `${name} is imported in ${home} only, so that replacing it touches one room.`,
    from: { path: product, pathNot: home },
    to: { path: inPackage(name) },
  })),
  ...Object.entries(builtinHomes).map(([name, home]) => ({
    name: `home-of-node-${name}`,
    comment: `node:${name} is used in ${home} only: one door per outside world.`,
    from: { path: product, pathNot: home },
    to: { path: `^(node:)?${name}$` },
  })),
  {
    name: 'every-package-has-a-home',
    comment:
      'A package that the table of homes does not list was not decided on: list it, or do without.',
    from: { path: product },
    to: { path: 'node_modules/', pathNot: Object.keys(homes).map(inPackage) },
  },
];

const hygiene = [
  {
    name: 'no-cycles',
    comment: 'Two modules that need each other are one module, or hide a third; types count.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'no-orphans',
    comment: 'Nothing uses it and it uses nothing: dead, or not wired up.',
    from: { orphan: true, pathNot: '\\.d\\.ts$|/fixtures/' },
    to: {},
  },
  {
    name: 'no-unresolvable',
    comment: 'A path that leads nowhere: these rules cannot judge it, and it fails when it is run.',
    from: {},
    // Node 20 does not know node:sqlite; src/ledger takes its npm twin there.
    to: { couldNotResolve: true, pathNot: '^node:sqlite$' },
  },
  {
    name: 'no-junk-drawers',
    comment: 'A file is named by what it holds; utils, helpers, common and manager hold anything.',
    from: {},
    to: { path: '/(utils?|helpers?|common|managers?)[./]', pathNot: 'node_modules/' },
  },
];

export default {
  forbidden: [...arrows, ...packages, ...hygiene].map((rule) => ({ severity: 'error', ...rule })),
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|coverage)/' },
    // Without it `import type` slips through every arrow.
    tsPreCompilationDeps: true,
    detectProcessBuiltinModuleCalls: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
