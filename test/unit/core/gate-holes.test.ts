import { expect, test } from 'vitest';
import { globOf, pathMatcher } from '../../../src/core/globs.ts';
import { filesBehind, holesIn, scriptNamedBy } from '../../../src/core/gate-holes.ts';

const all = (): boolean => true;

test.each([
  ['npm test', 'package.json'],
  ['sh tests/t.sh', 'tests/t.sh'],
  ['cd "$(dirname "$0")/.." && ./scripts/check.py --all', 'scripts/check.py'],
  ['make check', 'Makefile'],
  ['npx vitest run', 'vitest.config.ts'],
  ['sh "my scripts/run tests.sh"', 'my scripts/run tests.sh'],
  [`sh "scripts/it's.sh"`, "scripts/it's.sh"],
  ["node 'scripts/[a].js'", 'scripts/[a].js'],
  ['node ./scripts/[a].js --x', 'scripts/[a].js'],
  ['sh my\\ tests.sh', 'my tests.sh'],
  ['include rules\n-include mk/x.mk\n', 'rules'],
  ['test:\n\t$(MAKE) --no-print-directory -C sub test\n', 'sub/GNUmakefile'],
  ['test: ; sh test.sh', 'test.sh'],
  ['test:\n\t@./scripts/t.sh\n', 'scripts/t.sh'],
  ['test:\n\t-@./scripts/t.sh\n', 'scripts/t.sh'],
  ['test:\n\tcd ./scripts && ./t.sh\n', 'scripts/t.sh'],
])('%s rests on %s', (text, file) => {
  expect(filesBehind({ text })).toContain(file);
});

test('a comment calls nothing', () => {
  expect(filesBehind({ text: '#!/bin/sh\n# npm test, scripts/x.sh\ntrue' })).toEqual([]);
});

test('a makefile that is not there yet goes before the one that is', () => {
  const exists = (path: string): boolean => path === 'Makefile';
  expect(holesIn([{ name: 'm', text: 'make' }], ['Makefile'], exists)).toEqual([
    'gate m rests on GNUmakefile, makefile, which an agent may rewrite: add to protect: [GNUmakefile, makefile]',
  ]);
  expect(holesIn([{ name: 'm', text: 'make' }], [], () => false)).toEqual([]);
});

test('a path with signs of a glob is told so that it can be pasted', () => {
  const path = "scripts/it's [a].js";
  const [hole] = holesIn([{ name: 'a', text: `node "${path}"` }], [], (one) => one === path);
  expect(hole).toContain(`add to protect: ['scripts/it''s \\[a\\].js']`);
  expect(pathMatcher([globOf(path)])(path)).toBe(true);
  expect(pathMatcher([globOf(path)])("scripts/it's a.js")).toBe(false);
});

test('only what exists and is not protected is a hole', () => {
  const gates = [{ name: 'tests', text: 'npm test && sh tests/t.sh' }];
  expect(holesIn(gates, ['tests/**'], all)).toEqual([
    'gate tests rests on package.json, which an agent may rewrite: add to protect: [package.json]',
  ]);
  expect(holesIn(gates, ['tests', 'package.json'], all)).toEqual([]);
  expect(holesIn(gates, [], () => false)).toEqual([]);
  expect(holesIn([{ name: 'c', text: '. gates/_lib.sh' }], [], all)).toEqual([]);
});

test.each([
  ['scripts/t.sh', 'scripts/t.sh'],
  ['./scripts/t.sh --all', 'scripts/t.sh'],
  ['sh -eu tests/t.sh', 'tests/t.sh'],
  ['node check.mjs', 'check.mjs'],
  ['npm test', undefined],
  ['make', undefined],
  ['/usr/bin/true', undefined],
  ['sh -c "x"', undefined],
  ['', undefined],
])('the script of the gate `%s` is %s', (command, script) => {
  expect(scriptNamedBy(command)).toBe(script);
});
