import { expect, test } from 'vitest';
import { presetCaller } from '../../../src/agent/preset-caller.ts';
import { claude } from '../../../src/agent/presets/claude.ts';
import { codex } from '../../../src/agent/presets/codex.ts';

const place = { top: '/t', env: {} };
const call = { model: undefined, session: undefined, promptFile: '/p' };

function argsOf(preset: typeof codex, isToRead: boolean): readonly string[] {
  const { command } = presetCaller(preset, place).call({ ...call, ...(isToRead && { isToRead }) });
  return typeof command === 'string' ? [command] : command.args;
}

test('a client that only reads without its permission flags gets none for a review', () => {
  const [flag = ''] = codex.permissions.flags;
  expect(argsOf(codex, false)).toContain(flag);
  expect(argsOf(codex, true)).not.toContain(flag);
  expect(argsOf(claude, true)).toEqual(argsOf(claude, false));
});
