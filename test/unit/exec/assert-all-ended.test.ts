import { describe, expect, it } from 'vitest';
import { assertAllEnded } from '../../../src/exec/assert-all-ended.ts';
import { Refusal } from '../../../src/ports.ts';

describe('assertAllEnded', () => {
  it('accepts what was ended, and stops the run at what was not', () => {
    const ended = { pid: 7, command: 'sleep 9', by: 'kill' } as const;
    expect(() => assertAllEnded([ended])).not.toThrow();
    const alive = { pid: 8, command: 'dd\nif=x', by: 'nothing' } as const;
    expect(() => assertAllEnded([ended, alive])).toThrow(/tree: 8 \(dd␊if=x\)$/);
    expect(() => assertAllEnded([ended, alive])).toThrow(Refusal);
  });
});
