import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findingsIn } from '../../../../src/core/findings/findings-in.ts';
import type { Finding } from '../../../../src/core/findings/finding.ts';

const TOP = '/home/me/project';

function read(output: string, files: readonly string[], most = 10): readonly Finding[] {
  return findingsIn(output, { tops: [TOP], isFile: (path) => files.includes(path), most });
}

/** `path:line:column severity [title] message`, on one line. */
function told(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ path, line, column = 0, severity, title = '', message }) => {
    return `${path}:${line}:${column} ${severity} [${title}] ${message}`;
  });
}

const q = '"';
/** Real outputs of the real tools, in fixtures/; only the folder is another. */
const recorded: Readonly<Record<string, readonly string[]>> = {
  tsc: [
    "src/a.ts:1:14 error [TS2322] Type 'string' is not assignable to type 'number'.",
    "src/a.ts:2:40 error [TS2322] Type 'string' is not assignable to type 'number'.",
  ],
  'tsc-pretty': [
    "src/a.ts:1:14 error [TS2322] Type 'string' is not assignable to type 'number'.",
    "src/a.ts:2:40 error [TS2322] Type 'string' is not assignable to type 'number'.",
  ],
  'eslint-stylish': [
    "src/b.js:2:1 warning [no-debugger] Unexpected 'debugger' statement",
    "src/b.js:3:7 error [eqeqeq] Expected '===' and instead saw '=='",
    "src/b.js:3:15 error [no-undef] 'y' is not defined",
  ],
  vitest: [
    'test/x.test.ts:3:17 error [test/x.test.ts > adds two numbers] AssertionError: expected 2 to be 3 // Object.is equality',
    "test/x.test.ts:7:5 error [test/x.test.ts > reads nothing of undefined] TypeError: Cannot read properties of undefined (reading 'x')",
  ],
  pytest: [
    'test_x.py:4:0 error [test_sum] assert (1 + 1) == 3',
    'helper_mod.py:2:0 error [test_deep] ValueError: no 4',
  ],
  'pytest-line': [
    'test_x.py:4:0 error [] assert (1 + 1) == 3',
    'helper_mod.py:2:0 error [] ValueError: no 4',
  ],
  'pytest-collect': [
    "test_y.py:1:0 error [ERROR collecting test_y.py] ModuleNotFoundError: No module named 'nothere_mod'",
  ],
  unittest: ['ut.py:4:0 error [] AssertionError: 1 != 2'],
  mypy: [
    'm.py:2:0 error [return-value] Incompatible return value type (got "int", expected "str")',
    `m.py:3:0 error [arg-type] Argument 1 to "f" has incompatible type "str"; expected "int${q}`,
  ],
  'mypy-columns': [
    'm.py:2:12 error [] Incompatible return value type (got "int", expected "str")',
    `m.py:3:3 error [] Argument 1 to "f" has incompatible type "str"; expected "int${q}`,
  ],
  'go-vet': ['pkg/a.go:5:16 error [] fmt.Printf format %d has arg "x" of wrong type string'],
  'go-build': ['bad/b.go:3:23 error [] undefined: undefinedThing'],
  'go-test': [
    'pkg/a_test.go:13:0 error [TestP] panic: assignment to entry in nil map',
    'pkg/a_test.go:7:0 error [TestA] A() = 1, want 2',
  ],
  'cargo-build': ['src/lib.rs:1:37 error [E0308] mismatched types'],
  'cargo-test': ['src/lib.rs:7:9 error [tests::adds] assertion `left == right` failed'],
  'gcc-colour': [
    'a.c:2:39 warning [-Wint-conversion] initialization of ‘int *’ from ‘int’ makes pointer from integer without a cast',
    'a.c:2:49 error [] ‘q’ undeclared (first use in this function)',
    'a.c:2:35 warning [-Wunused-variable] unused variable ‘p’',
    'a.c:2:22 warning [-Wunused-variable] unused variable ‘unused’',
  ],
  'shellcheck-tty': [
    'x.sh:3:6 warning [SC2086] Double quote to prevent globbing and word splitting.',
    'x.sh:4:6 warning [SC2086] Double quote to prevent globbing and word splitting.',
    'x.sh:4:28 warning [SC2046] Quote this to prevent word splitting.',
    "x.sh:4:28 warning [SC2005] Useless echo? Instead of 'echo $(cmd)', just use 'cmd'.",
    'x.sh:4:28 warning [SC2006] Use $(...) notation instead of legacy backticks `...`.',
  ],
};
/** The same findings in another form of the same tool. */
const twins = { gcc: 'gcc-colour', 'shellcheck-gcc': 'shellcheck-tty' };
const all = [
  ...['src/a.ts', 'src/b.js', 'test/x.test.ts', 'test_x.py', 'test_y.py', 'helper_mod.py', 'm.py'],
  ...['a.c', 'x.sh', 'pkg/a.go', 'pkg/a_test.go', 'bad/b.go', 'src/lib.rs', 'ut.py'],
];

const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, 'fixtures', `${name}.txt`), 'utf8');

test.each(Object.entries(recorded))('reads what %s printed', (name, expected) => {
  expect(told(read(fixture(name), all))).toEqual(expected);
});

test.each(Object.entries(twins))('reads %s as it reads %s', (name, twin) => {
  expect(told(read(fixture(name), all))).toEqual(recorded[twin]);
});

const jest = `FAIL test/x.test.js
  ● sums › adds

    expect(received).toBe(expected) // Object.is equality

    Expected: 3
    Received: 2

      1 | test('adds', () => {
    > 2 |   expect(1 + 1).toBe(3);
        |                 ^

      at Object.toBe (node_modules/expect/index.js:9:9)
      at Object.<anonymous> (test/x.test.js:2:17)
      at Object.<anonymous> (test/other.test.js:2:17)
`;
const ruff = `F401 [*] \`os\` imported but unused
 --> a.py:1:8
  |
1 | import os
`;

/** After the tools' documentation and source, for those that could not be run here. */
test.each<readonly [tool: string, output: string, expected: readonly string[]]>([
  [
    'jest',
    jest,
    ['x:2:17 error [sums › adds] expect(received).toBe(expected) // Object.is equality'],
  ],
  ['ruff, full', ruff, ['x:1:8 error [F401] `os` imported but unused']],
  ['ruff, concise', 'a.py:1:8: F401 [*] `os` unused', ['x:1:8 error [F401] `os` unused']],
  [
    'eslint unix',
    `${TOP}/a.js:1:2: 'x' is bad. [Warning/no-x]`,
    ["x:1:2 warning [no-x] 'x' is bad."],
  ],
  [
    'eslint compact',
    `${TOP}/a.js: line 1, col 2, Error - Bad x. (no-x)`,
    ['x:1:2 error [no-x] Bad x.'],
  ],
  ['clang', './a.c:1:2: fatal error: no such file', ['x:1:2 error [] no such file']],
  ['rustc, a warning', 'warning: unused `x`\n  --> a.rs:3:4', ['x:3:4 warning [] unused `x`']],
  ['an old rust', "thread 'main' panicked at 'no, no', a.rs:3:4", ['x:3:4 error [main] no, no']],
  ['node', `Error: no\n    at f (file://${TOP}/a.js:1:2)`, ['x:1:2 error [] Error: no']],
  ['go vet', 'vet: ./a.go:3:4: bad', ['x:3:4 error [] bad']],
  [
    'old shellcheck',
    'In a.sh line 2:\necho $x\n     ^-- SC2086: quote',
    ['x:2:6 error [SC2086] quote'],
  ],
  [
    'pytest, no tracebacks',
    'FAILED a.py::test_a - assert 0',
    ['x:1:0 error [a.py::test_a] a.py::test_a - assert 0'],
  ],
  ['grep -n', 'a.txt:3:<<<<<<< HEAD', ['x:3:0 error [] <<<<<<< HEAD']],
  ['a path with blanks', 'my file.c:1:2: error: x', ['x:1:2 error [] x']],
  ['brackets in a path', 'app/(group)/a.ts(1,2): error TS1: x', ['x:1:2 error [TS1] x']],
  ['after a time', '12:30:05 a.ts:1:2: x', ['x:1:2 error [] x']],
  ['Windows line ends', 'a.ts:1:2: x\r\nb.ts:3: y\r\n', ['x:1:2 error [] x', 'x:3:0 error [] y']],
])('reads %s', (_, output, expected) => {
  const files = ['test/x.test.js', 'test/other.test.js', 'node_modules/expect/index.js'];
  const named = ['a.py', 'a.js', 'a.c', 'a.rs', 'a.go', 'a.sh', 'a.txt', 'a.ts', 'b.ts'];
  const found = read(output, [...files, ...named, 'my file.c', 'app/(group)/a.ts']);
  expect(told(found.map((one) => ({ ...one, path: 'x' })))).toEqual(expected);
});

test.each([
  ['a note of gcc', 'a.c:1:2: note: declared here'],
  ['a time', '12:30:05: all is well'],
  ['an address', 'http://a.c:80: refused'],
  ['a way out', '../a.c:1:2: error: x'],
  ['a way out in the middle', 'src/../../a.c:1:2: error: x'],
  ['another folder', '/etc/a.c:1:2: error: x'],
  ['a neighbour of the work tree', `${TOP}-old/a.c:1:2: error: x`],
  ['a file that is not there', 'b.c:1:2: error: x'],
  ['what nobody commits', 'node_modules/a.c:1:2: error: x'],
  ['the repository itself', '.git/a.c:1:2: error: x'],
  ['line 0', 'a.c:0:0: error: x'],
  ['no message', 'a.c:1:2: '],
  ['a stack without an error', '    at f (a.c:1:2)'],
])('%s is no finding', (_, output) => {
  const files = ['a.c', '12', 'etc/a.c', 'http://a.c', 'node_modules/a.c', '.git/a.c'];
  expect(read(output, files)).toEqual([]);
});

test('a path that goes up and stays inside is shortened', () => {
  expect(told(read('src/../a.c:1:2: x', ['a.c']))).toEqual(['a.c:1:2 error [] x']);
});

test('colours and other escape sequences are taken out, before and inside a place', () => {
  const output =
    '\u001b[31ma.c\u001b[0m:\u001b[33m1\u001b[0m:2: \u001b]8;;http://x\u0007bad\u001b]8;;\u0007';
  expect(told(read(output, ['a.c']))).toEqual(['a.c:1:2 error [] bad']);
});

test('the same is said once, in the order of the output', () => {
  const output = 'b.c:2: y\na.c:1: x\nb.c:2: y\na.c:1: z\n';
  expect(told(read(output, ['a.c', 'b.c']))).toEqual([
    'b.c:2:0 error [] y',
    'a.c:1:0 error [] x',
    'a.c:1:0 error [] z',
  ]);
});

test('of too many the errors are kept, then the first warnings', () => {
  const line = (nth: number): string =>
    `a.c:${nth}: ${nth % 3 === 0 ? 'error' : 'warning'}: x${nth}\n`;
  const output = Array.from({ length: 12 }, (_, at) => line(at + 1)).join('');
  expect(read(output, ['a.c'], 5).map((one) => one.line)).toEqual([1, 3, 6, 9, 12]);
});

const MB = 1_000_000;
const fill = (text: string): string => text.repeat(Math.ceil((10 * MB) / text.length));
/** Each is 10 MB that some pattern could choke on; the square of a line's length would take minutes. */
test.each([
  ['one line without an end', 'x'.repeat(10 * MB)],
  ['lines of 1 MB', `${'a:1:'.repeat(MB / 4)}\n`.repeat(10)],
  ['blanks', fill(' ')],
  ['blank lines of 2000', fill(`${' '.repeat(1999)}\n`)],
  ['empty lines', fill('\n')],
  ['brackets', fill(`${'(1,'.repeat(600)}\n`)],
  ['colons', fill(`${':1:1'.repeat(500)}\n`)],
  ['arrows', fill(` --> ${':1:1'.repeat(490)}x\n`)],
  ['.py', fill(`${'.py:1'.repeat(390)}\n`)],
  ['underscores', fill(`___${'_'.repeat(1900)}x\n`)],
  ['capitals', fill(`${'A'.repeat(1900)}\n`)],
  ['stylish', fill(` 1:1 error ${'x  '.repeat(600)}\n`)],
  ['carets', fill(`In a line 1:\n${' '.repeat(900)}${'^'.repeat(900)}\n`)],
  ['frames', fill(`Error: x\n at ${'a:1'.repeat(600)}\n`)],
  ['escape sequences', fill(`${'\u001b]0;'.repeat(400)}\n`)],
  [
    'files that are not there',
    Array.from({ length: 60_000 }, (_, at) => `src/${at}.c:1: ${'x'.repeat(150)}`).join('\n'),
  ],
])('10 MB of %s are read in less than 8 seconds', (_, output) => {
  let asked = 0;
  const isFile = (): boolean => {
    asked += 1;
    return false;
  };
  const start = performance.now();
  expect(findingsIn(output, { tops: [TOP], isFile, most: 10 })).toEqual([]);
  expect(performance.now() - start).toBeLessThan(8000);
  expect(asked).toBeLessThanOrEqual(2000);
});
