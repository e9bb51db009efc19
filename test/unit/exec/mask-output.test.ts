import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openMask } from '../../../src/core/mask.ts';
import { asBytes, maskOutput } from '../../../src/exec/mask-output.ts';

const secrets = ['s3cret-välue one', 'plain-s3cret'];
const openOutput = (): ReturnType<typeof maskOutput> =>
  maskOutput(openMask(secrets.map((value) => ({ name: 'X', value: asBytes(value) }))));

function through(bytes: Buffer, cuts: readonly number[]): Buffer {
  const output = openOutput();
  const sorted = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  );
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const to of sorted) {
    pieces.push(output.take(bytes.subarray(from, to)));
    from = to;
  }
  return Buffer.concat([...pieces, output.finish()]);
}

describe('maskOutput', () => {
  it('masks a secret wherever the output is cut', () => {
    const key = `ghp_${'a1'.repeat(18)}`;
    const text = `a ${key} b s3cret-välue one c plain-s3cret\n${'x'.repeat(60)} ${key}plain-s3cret`;
    const bytes = Buffer.from(text);
    const whole = through(bytes, []).toString();
    expect(whole).not.toMatch(/s3cret|ghp_/);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        expect(through(bytes, cuts).toString()).toBe(whole);
      }),
    );
  });

  it('leaves every other byte as it is', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat(300)), (bytes, cuts) => {
        expect(through(Buffer.from(bytes), cuts)).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it('passes on a line at once, unless its end may be the beginning of a secret', () => {
    const output = openOutput();
    const take = (text: string): string => Buffer.from(output.take(Buffer.from(text))).toString();
    expect(take('compiled\n')).toBe('compiled\n');
    expect(take('a s3cret-välue ')).toBe('a ');
    expect(take('two\n')).toBe('s3cret-välue two\n');
  });

  it('does not hold back a long output without spaces', () => {
    const output = openOutput();
    expect(output.take(Buffer.alloc(100_000, 'x')).length).toBeGreaterThan(90_000);
  });
});
