import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { stepEnvironment } from '../../../src/exec/step-environment.ts';

const facts = { run: 'r', plan: 'PLAN.md' };

describe('stepEnvironment', () => {
  it('drops every variable that this git calls its own', () => {
    const own = execFileSync('git', ['rev-parse', '--local-env-vars'], { encoding: 'utf8' })
      .trim()
      .split('\n');
    expect(own.length).toBeGreaterThan(10);
    const ours = Object.fromEntries(
      [...own, 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_VALUE_12'].map((name) => [name, 'x']),
    );
    expect(
      stepEnvironment({ ...ours, GIT_AUTHOR_NAME: 'A', EMPTY: '', NONE: undefined }, facts),
    ).toEqual({
      GIT_AUTHOR_NAME: 'A',
      EMPTY: '',
      SKELETON_RUN_ID: 'r',
      SKELETON_PLAN: 'PLAN.md',
    });
  });

  it('has no password of a ledger that machines share', () => {
    const ours = { PGPASSWORD: 'x', SKELETON_LEDGER: 'postgres://u@h/d' };
    expect(stepEnvironment(ours, facts)).not.toHaveProperty('PGPASSWORD');
    const local = { ...ours, SKELETON_LEDGER: 'local' };
    expect(stepEnvironment(local, facts)).toHaveProperty('PGPASSWORD');
  });

  it('has nothing that the system would refuse', () => {
    const task = { id: 'x', title: `\0${'é'.repeat(1e6)}` };
    const title = stepEnvironment({}, { ...facts, task })['SKELETON_TASK_TITLE'] ?? '';
    expect(title).toMatch(/^␀é+…$/);
    expect(Buffer.byteLength(title)).toBeLessThanOrEqual(8192);
  });

  it('does not say where the ledger is', () => {
    const ours = { SKELETON_LEDGER: 'postgres://u:pw@h/d', KEPT: 'x' };
    const env = stepEnvironment(ours, { run: 'r', plan: 'PLAN.md' });
    expect(env).toMatchObject({ KEPT: 'x' });
    expect(env).not.toHaveProperty('SKELETON_LEDGER');
  });

  it('puts the facts of the step above what it was given, and leaves those it does not have', () => {
    const ours = { SKELETON_RUN_ID: 'outer', SKELETON_TASK_ID: 'outer' };
    expect(stepEnvironment(ours, facts)).toMatchObject({
      SKELETON_RUN_ID: 'r',
      SKELETON_TASK_ID: 'outer',
    });
  });
});
