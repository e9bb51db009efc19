import { describe, expect, test } from 'vitest';
import { keyText, steady, type KeyParts } from '../../../src/core/attempt-key.ts';

const parts: KeyParts = {
  ...{ task: 't', prompt: 'p', attempt: 1, trees: { base: 'b' }, agent: 'a', model: 'm' },
  options: { call: 'c', push: undefined },
};

describe('the text of a key', () => {
  test.each<Partial<KeyParts>>([
    { task: 'x' },
    { prompt: 'x' },
    { attempt: 2 },
    { trees: { base: 'x' } },
    { trees: { base: 'b', continues: 'x' } },
    { trees: { base: 'b', last: 'x' } },
    { agent: 'x' },
    { model: 'x' },
    { model: undefined },
    { options: { call: 'x' } },
    { options: { call: 'c', push: true } },
  ])('is another with %o', (other) => {
    expect(keyText({ ...parts, ...other })).not.toBe(keyText(parts));
  });

  test('does not depend on the order of options, nor on those that are not set', () => {
    const [a, b] = [
      { x: 1, y: 2, z: undefined },
      { y: 2, x: 1 },
    ];
    expect(keyText({ ...parts, options: a })).toBe(keyText({ ...parts, options: b }));
  });
});

describe('what a gate printed', () => {
  const unsteady = { here: ['/r', '/r/.git/skeleton'], temporary: '/mnt/my tmp' };

  test.each([
    ['at 12:03:44 took 1.25s', 'at 9:59:01 took 13.5s'],
    ['in /r/a.ts:3', 'in /r/a.ts:4'],
    ['log /r/.git/skeleton/logs', 'log ./logs'],
    ['/tmp/vitest-abcde/x: no', '/tmp/vitest-fghij/x: no'],
    ['/mnt/my tmp/tmp.AbCd/x', '/mnt/my tmp/tmp.EfGh/x'],
    ['object at 0x7ffdeadbeef0', 'object at 0x55d0c0ffee10'],
    ['HEAD is at 1a2b3c4d', 'HEAD is at f9e8d7c6'],
  ])('%s is the same as %s', (a, b) => {
    expect(steady(a, unsteady)).toBe(steady(b, unsteady));
  });

  test('words stay', () => {
    const text = 'FAIL defaced facade: expected true, got /usr/lib/x';
    expect(steady(text, unsteady)).toBe(text);
  });
});
