import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isHere } from '../../support/example-project.ts';

const gates = readdirSync('gates').map((name) => `gates/${name}`);

describe('every shipped gate', () => {
  test('is executable, for sh, whole in one file, and documented', () => {
    const page = readFileSync('docs/gates.md', 'utf8');
    for (const gate of gates) {
      const text = readFileSync(gate, 'utf8');
      expect(statSync(gate).mode & 0o111, gate).toBe(0o111);
      expect(text, gate).toMatch(/^#!\/bin\/sh\n# [^]*\n# Exit status: 0 [^]*\nset -u\n/);
      expect(text, gate).not.toMatch(/^\s*(?:\.|source) /m);
      expect(page, gate).toContain(`\`${gate.slice('gates/'.length, -'.sh'.length)}\``);
    }
  });

  if (isHere('shellcheck', ['--version'])) {
    test('is clean to shellcheck', () => {
      const args = ['--shell=sh', '--norc', ...gates];
      const { status, stdout } = spawnSync('shellcheck', args, { encoding: 'utf8' });
      expect([status, stdout]).toEqual([0, '']);
    });
  }
});
