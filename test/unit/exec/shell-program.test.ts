import { describe, expect, test } from 'vitest';
import { programOf } from '../../../src/exec/shell-program.ts';

describe('the program that a command starts', () => {
  test.each(['my-agent -p', ' /opt/agent', './agent.sh x'])('is plain to see: %s', (command) => {
    expect(programOf(command)).toBe(command.trim().split(' ')[0]);
  });

  test.each([
    'echo x >> work.txt',
    'cd sub && agent',
    'test -e x || agent',
    '[ -e x ] && agent',
    'printf x',
    'local x',
    'type agent',
    'exec agent',
    'if true; then agent; fi',
    'X=1 agent',
    '"my agent"',
    '$AGENT',
    '~/agent',
  ])('is none where the shell decides: %s', (command) => {
    expect(programOf(command)).toBe(undefined);
  });
});
