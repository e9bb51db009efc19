import { describe, expect, it } from 'vitest';
import { openMask } from '../../../src/core/mask.ts';

describe('openMask', () => {
  const mask = openMask([
    { name: 'A_KEY', value: 'hunter2hunter2' },
    { name: 'B_KEY', value: 'hunter2hunter2-long' },
    { name: 'C_KEY', value: 'quo"te+1/2' },
  ]);

  it('names the variable, and takes the longest', () => {
    expect(mask.text('x hunter2hunter2-long y hunter2hunter2!')).toBe(
      'x [masked B_KEY] y [masked A_KEY]!',
    );
  });

  it('knows a value as JSON and as addresses spell it', () => {
    expect(mask.text('"quo\\"te+1/2" quo%22te%2B1%2F2')).toBe('"[masked C_KEY]" [masked C_KEY]');
  });

  it('knows the shapes of keys that it was not told of', () => {
    expect(mask.text(`t=ghp_${'a1'.repeat(18)};`)).toBe('t=[masked key];');
    const block = '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----';
    expect(mask.text(`<${block}>`)).toBe('<[masked key]>');
  });

  it('masks every string of a value, and leaves the rest', () => {
    expect(mask.value({ a: ['hunter2hunter2', 1, null], b: { c: 'x' } })).toEqual({
      a: ['[masked A_KEY]', 1, null],
      b: { c: 'x' },
    });
  });

  it('knows JSON within JSON', () => {
    const line = JSON.stringify({ told: JSON.stringify({ key: 'quo"te+1/2' }) });
    expect(mask.text(line)).toBe('{"told":"{\\"key\\":\\"[masked C_KEY]\\"}"}');
  });

  it('takes values of any length, and two that overlap as one', () => {
    const long = 'k7Qz'.repeat(10_000);
    expect(openMask([{ name: 'L', value: long }]).text(`<${long}>`)).toBe('<[masked L]>');
    const both = openMask([
      { name: 'A', value: 'abcdefg1' },
      { name: 'B', value: 'fg1hijkl' },
    ]);
    expect(both.text('<abcdefg1hijkl>')).toBe('<[masked A]>');
  });

  it('leaves text without a secret as it is', () => {
    expect(mask.text('nothing to hide: sk-short, AKIA')).toBe('nothing to hide: sk-short, AKIA');
  });
});
