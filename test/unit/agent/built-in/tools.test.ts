import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { BuiltInLine } from '../../../../src/agent/built-in/line.ts';
import { openTools } from '../../../../src/agent/built-in/tools.ts';

let top: string;
let printed: BuiltInLine[];
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'tools ')));
  printed = [];
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

async function use(name: string, input: object): Promise<unknown> {
  const { execute } = openTools(top, (line) => printed.push(line))[name] ?? {};
  return execute?.(input, { toolCallId: 'call', messages: [] }) as unknown;
}

it('are six', () => {
  const tools = openTools(top, () => undefined);
  expect(Object.keys(tools)).toEqual(['read', 'list', 'search', 'write', 'edit', 'bash']);
});

it('tell the model what went wrong, and the log what was done', async () => {
  const said = 'error: ../x is outside of the work tree';
  expect(await use('read', { path: '../x' })).toBe(said);
  const input = { path: '../x' };
  expect(printed).toEqual([{ type: 'tool', name: 'read', input, output: said }]);
});

it('run commands at the top of the work tree, errors included', async () => {
  writeFileSync(join(top, 'a'), '');
  expect(await use('bash', { command: 'ls; echo no >&2; exit 3' })).toBe('exit 3\na\nno');
});

it('cut a command off, with what it started', async () => {
  expect(await use('bash', { command: 'echo begun; sleep 60', minutes: 0.005 })).toBe(
    'out of time\nbegun',
  );
});

it('keep what is long out of the log', async () => {
  await use('write', { path: 'long', content: 'x'.repeat(100_000) });
  expect(JSON.stringify(printed).length).toBeLessThan(5000);
});
