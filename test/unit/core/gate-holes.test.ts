import { expect, test } from 'vitest';
import { filesBehind, holesIn, scriptNamedBy } from '../../../src/core/gate-holes.ts';

const all = (): boolean => true;

test.each([
  ['npm test', 'package.json'],
  ['sh tests/t.sh', 'tests/t.sh'],
  ['cd "$(dirname "$0")/.." && ./scripts/check.py --all', 'scripts/check.py'],
  ['make check', 'Makefile'],
  ['npx vitest run', 'vitest.config.ts'],
])('%s rests on %s', (text, file) => {
  expect(filesBehind({ name: 'g', text })).toContain(file);
});

test('a comment calls nothing', () => {
  expect(filesBehind({ name: 'g', text: '#!/bin/sh\n# npm test, scripts/x.sh\ntrue' })).toEqual([]);
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
