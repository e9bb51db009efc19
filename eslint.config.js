/**
 * A later block replaces the same rule of an earlier one, whole: it adds nothing to it. So each list of banned syntax
 * below is built from the weaker one, and the strictest block goes last.
 */
import { builtinModules } from 'node:module';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const product = ['cli/**/*.ts', 'src/**/*.ts'];
const tests = ['test/**/*.ts'];
const scripts = ['**/*.{js,mjs}'];

const bannedEverywhere = [
  {
    selector: 'ExportDefaultDeclaration, ExportSpecifier[exported.name="default"]',
    message: 'Named exports only: the name is the same wherever it is used.',
  },
  { selector: 'TSEnumDeclaration', message: 'A union of string literals instead of an enum.' },
  {
    selector: 'TSModuleDeclaration[kind="namespace"]',
    message: 'A module is a file; no namespaces.',
  },
];

const bannedExit = [
  {
    selector:
      'CallExpression[callee.object.name="process"][callee.property.name=/^(exit|abort|reallyExit)$/]',
    message: 'It loses what is still to be written: give an exit status back to cli/main.ts.',
  },
  {
    selector: 'AssignmentExpression[left.object.name="process"][left.property.name="exitCode"]',
    message: 'Only cli/main.ts sets the exit status of the process.',
  },
];

const bannedClock = [
  {
    selector:
      'NewExpression[callee.name="Date"][arguments.length=0], CallExpression[callee.name="Date"]',
    message: 'The time comes in as a value, or from the Clock port.',
  },
  {
    selector:
      'MemberExpression[object.name="Date"][property.name="now"], MemberExpression[object.name="Date"][property.value="now"]',
    message: 'The time comes in as a value, or from the Clock port.',
  },
  {
    selector:
      'MemberExpression[object.name="Math"][property.name="random"], MemberExpression[object.name="Math"][property.value="random"]',
    message: 'Chance comes in as a value, or as an id from the Clock port.',
  },
];

const bannedWaiting = [
  {
    selector: 'ImportExpression',
    message: 'A module that loads later is one more thing to wait for.',
  },
  {
    selector: 'AwaitExpression, ForOfStatement[await=true], :function[async=true]',
    message: 'Nothing waits in core and report: they are functions from values to values.',
  },
];

/** Globals that reach the machine: none of them exists for the pure rooms and the loop. */
const outsideWorld = [
  ...['process', 'globalThis', 'global', 'console', 'fetch', 'performance', 'crypto', 'require'],
  ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'],
].map((name) => ({
  name,
  message: 'Nothing of the outside world here: it comes in as a value, or through a port.',
}));

/** Modified: a flat switch over a union counts as one, like the table that it is. */
const complexity = ['error', { max: 10, variant: 'modified' }];
const noBuiltins = ['error', { paths: builtinModules, patterns: ['node:*'] }];
const banned = (...lists) => ['error', ...bannedEverywhere, ...lists.flat()];

export default defineConfig(
  globalIgnores(['dist/', 'coverage/', 'test/**/fixtures/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error', reportUnusedInlineConfigs: 'error' } },
  {
    name: 'every file',
    rules: {
      eqeqeq: 'error',
      'no-constant-binary-expression': 'error',
      'no-constant-condition': ['error', { checkLoops: 'allExceptWhileTrue' }],
      'no-debugger': 'error',
      'no-dupe-else-if': 'error',
      'no-duplicate-case': 'error',
      'no-empty': 'error',
      'no-fallthrough': 'error',
      'no-irregular-whitespace': 'error',
      'no-loss-of-precision': 'error',
      'no-param-reassign': ['error', { props: false }],
      'no-restricted-syntax': banned(),
      'no-self-compare': 'error',
      'no-sparse-arrays': 'error',
      'no-unsafe-finally': 'error',
      'no-unsafe-optional-chaining': 'error',
      'no-unused-labels': 'error',
      'no-useless-assignment': 'error',
      'no-useless-escape': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
      'require-yield': 'error',
      'use-isnan': 'error',
      'valid-typeof': 'error',
    },
  },
  {
    name: 'typescript',
    files: [...product, ...tests, '*.config.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': true }],
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      // It asks for the `!` that another rule forbids.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/prefer-readonly': 'error',
      // An adapter without anything to wait for still meets an asynchronous port, and its throws must become rejections.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
      ],
    },
  },
  {
    name: 'product',
    files: product,
    linterOptions: { noInlineConfig: true },
    rules: {
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      complexity,
      'max-depth': ['error', 3],
      'max-lines': ['error', { max: 250, skipBlankLines: false, skipComments: false }],
      'max-lines-per-function': ['error', 40],
      'max-params': ['error', 4],
      'no-console': 'error',
      'no-restricted-syntax': banned(bannedExit),
    },
  },
  {
    name: 'the one place that sets the exit status',
    files: ['cli/main.ts'],
    rules: { 'no-restricted-syntax': banned() },
  },
  {
    name: 'tests: long describes and tables are fine, clever code is not',
    files: tests,
    rules: {
      complexity,
      'max-depth': ['error', 3],
      'max-lines': ['error', 500],
      'max-params': ['error', 5],
      // Ports are asked for by their methods, and fakes of them are plain objects.
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    name: 'the loop: no clock, no environment, no machine',
    files: ['src/run/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', ...outsideWorld],
      'no-restricted-imports': noBuiltins,
      'no-restricted-syntax': banned(bannedExit, bannedClock),
    },
  },
  {
    name: 'the pure rooms: the strictest block, so nothing for product code comes after it',
    files: ['src/core/**/*.ts', 'src/report/**/*.ts', 'src/ports.ts', 'src/ports/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', ...outsideWorld],
      'no-restricted-imports': noBuiltins,
      'no-restricted-syntax': banned(bannedExit, bannedClock, bannedWaiting),
    },
  },
  {
    name: 'scripts, tool configuration, and types of packages that come without',
    files: [...scripts, '*.config.ts', '**/*.d.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
);
