import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Files, plantTree } from '../support/planted-tree.ts';

interface LintedFile {
  readonly filePath: string;
  readonly messages: readonly { readonly ruleId: string | null; readonly message: string }[];
}

const lines = (count: number, line: string): string => `${line}\n`.repeat(count);

/** What each room may do, although a stricter one may not. */
const clean: Files = {
  'cli/main.ts': `process.exitCode = 1;`,
  'src/git/clock.ts': `export const now = (): number => Date.now() + Number(process.env['SHIFT']);`,
  'src/run/run-task.ts': `export async function runTask(step: Promise<number>): Promise<number> {
    return (await step) + 1;
  }`,
  'src/core/time.ts': `export const iso = (ms: number): string => new Date(ms).toISOString();`,
  'test/unit/long.test.ts': `import { test } from 'vitest';\ntest('x', () => {\n${lines(60, '  void 0;')}});`,
};

// Spelt in two: whoever looks for a switched-off rule in our own code finds none here.
const ignore = 'ignore';
const disable = 'disable-next-line';

/** A file with something in it that its room must not do, and the rule that has to say so. */
const planted: readonly (readonly [rule: string, file: string, text: string])[] = [
  ['no-restricted-syntax', 'src/core/a.ts', `export const a = async (): Promise<void> => {};`],
  ['no-restricted-syntax', 'src/core/plan/b.ts', `await Promise.resolve();`],
  ['no-restricted-syntax', 'src/core/c.ts', `export const c = new Date();`],
  ['no-restricted-syntax', 'src/report/d.ts', `export const d = Date.now();`],
  ['no-restricted-syntax', 'src/core/e.ts', `export const e = Math.random();`],
  ['no-restricted-syntax', 'src/core/f.ts', `export const f = import('./a.ts');`],
  ['no-restricted-globals', 'src/core/g.ts', `export const g = process.env;`],
  ['no-restricted-globals', 'src/report/h.ts', `export const h = globalThis;`],
  ['no-restricted-globals', 'src/run/i.ts', `setTimeout(String, 1);`],
  ['no-restricted-imports', 'src/core/j.ts', `import 'node:fs';`],
  ['no-restricted-imports', 'src/report/k.ts', `import 'fs/promises';`],
  ['no-restricted-imports', 'src/ports.ts', `import 'node:stream';`],
  ['no-restricted-syntax', 'src/run/l.ts', `export const l = Date.now();`],
  // The same rule as in the strictest block: it has to hold the weaker bans too.
  ['no-restricted-syntax', 'src/core/m.ts', `export default 1;`],
  ['no-restricted-syntax', 'src/run/n.ts', `export default 1;`],
  ['no-restricted-syntax', 'cli/main.ts', `export default 1;`],
  ['no-restricted-syntax', 'src/git/o.ts', `process.exitCode = 1;`],
  ['no-restricted-syntax', 'cli/commands/p.ts', `process.exit(1);`],
  ['no-restricted-syntax', 'src/core/q.ts', `export enum Q { A }`],
  ['no-console', 'src/git/r.ts', `console.log(1);`],
  ['max-lines', 'src/git/s.ts', lines(251, '// s')],
  ['max-lines-per-function', 'cli/t.ts', `export function t(): void {\n${lines(40, '  void 0;')}}`],
  [
    'max-params',
    'src/git/u.ts',
    `export const u = (a: 1, b: 1, c: 1, d: 1, e: 1): number => a + b + c + d + e;`,
  ],
  [
    'max-depth',
    'src/git/v.ts',
    `export function v(a: boolean): void {\n${lines(4, 'if (a) {')}${lines(4, '}')}}`,
  ],
  [
    'complexity',
    'src/git/w.ts',
    `export const w = (a: boolean): boolean => ${'a || '.repeat(10)}a;`,
  ],
  [
    'complexity',
    'test/unit/w.test.ts',
    `export const w = (a: boolean): boolean => ${'a || '.repeat(10)}a;`,
  ],
  [
    '@typescript-eslint/switch-exhaustiveness-check',
    'src/git/x.ts',
    `export function x(a: 'b' | 'c'): number {\n  switch (a) {\n    case 'b':\n      return 1;\n  }\n  return 2;\n}`,
  ],
  ['@typescript-eslint/no-floating-promises', 'src/git/y.ts', `Promise.resolve();`],
  [
    '@typescript-eslint/no-explicit-any',
    'test/unit/z.test.ts',
    `export const z = (a: any): void => void a;`,
  ],
  [
    '@typescript-eslint/no-non-null-assertion',
    'src/git/aa.ts',
    `export const aa = (a?: number): number => a!;`,
  ],
  ['@typescript-eslint/ban-ts-comment', 'src/git/bb.ts', `// @ts-${ignore}\nexport const bb = 1;`],
  // Inside the product a comment switches nothing off.
  ['no-console', 'src/git/cc.ts', `// eslint-${disable} no-console\nconsole.log(1);`],
  ['unused directive', 'test/unit/dd.test.ts', `// eslint-${disable} no-var\nexport const dd = 1;`],
];

describe('the lint rules', () => {
  let found: readonly string[];
  beforeAll(() => {
    found = complaints(Object.fromEntries(planted.map(([, file, text]) => [file, `${text}\n`])));
  });

  test('let a tree pass that keeps them', () => {
    expect(complaints(clean)).toEqual([]);
  });

  test.each(planted)('%s: %s', (rule, file) => {
    expect(found).toContain(`${rule}: ${file}`);
  });
});

/** `RULE: FILE` for each complaint. */
function complaints(files: Files): readonly string[] {
  const tree = plantTree(files);
  const eslint = resolve('node_modules/eslint/bin/eslint.js');
  const folders = ['cli', 'src', 'test'];
  const { stdout, stderr } = spawnSync(process.execPath, [eslint, '--format', 'json', ...folders], {
    cwd: tree.top,
    encoding: 'utf8',
  });
  tree.remove();
  if (stdout === '') throw new Error(`eslint gave no result: ${stderr}`);
  return (JSON.parse(stdout) as LintedFile[]).flatMap(({ filePath, messages }) =>
    messages.map(({ ruleId, message }) => {
      const rule = ruleId ?? (message.includes('directive') ? 'unused directive' : message);
      return `${rule}: ${filePath.slice(tree.top.length + 1)}`;
    }),
  );
}
