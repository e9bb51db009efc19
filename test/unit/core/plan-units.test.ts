import { describe, expect, it } from 'vitest';
import { parseDuration, parseSize } from '../../../src/core/config/units.ts';

describe('parseDuration', () => {
  it.each([
    ['90s', 90_000],
    ['15m', 900_000],
    ['8h', 28_800_000],
    ['1h30m', 5_400_000],
    ['1h 30m', 5_400_000],
    ['500ms', 500],
    ['2d', 172_800_000],
    ['1.5h', 5_400_000],
    ['0s', 0],
    [' 5M ', 300_000],
    ['1h1m1s1ms', 3_661_001],
    ['2147483647ms', 2_147_483_647],
  ])('%s', (text, milliseconds) => expect(parseDuration(text)).toBe(milliseconds));

  it.each([
    '',
    ' ',
    '30',
    '-5m',
    '+5m',
    '5x',
    'm',
    '5m30',
    '30m1h',
    '1h1h',
    '1e3s',
    '25d',
    '2147483648ms',
    '9'.repeat(400) + 's',
    '5 m s',
    '1h,30m',
    '٣s',
    'Infinityms',
    '1..5h',
  ])('%s is none', (text) => expect(parseDuration(text)).toBeUndefined());
});

describe('parseSize', () => {
  it.each([
    ['50MiB', 52_428_800],
    ['10MB', 10_000_000],
    ['1GiB', 1_073_741_824],
    ['1.5 kB', 1500],
    ['64k', 65_536],
    ['4096', 4096],
    ['12b', 12],
    ['0', 0],
  ])('%s', (text, bytes) => expect(parseSize(text)).toBe(bytes));

  it.each(['', 'MB', '-1', '1 2', '1XB', '1iB', '9007199254740993', '99999TB', '1e3'])(
    '%s is none',
    (text) => expect(parseSize(text)).toBeUndefined(),
  );
});
