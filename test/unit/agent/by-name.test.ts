import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAgents } from '../../../src/agent/agents.ts';
import { agentEnd } from '../../../src/agent/agent-end.ts';
import { presetCaller } from '../../../src/agent/preset-caller.ts';
import { presets } from '../../../src/agent/presets/presets.ts';
import { openReader, type Trouble } from '../../../src/agent/reading.ts';
import type { Config } from '../../../src/core/config.ts';
import type { Agents } from '../../../src/ports.ts';
import { aPlan, aTask } from '../../support/plans.ts';

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'by name ')));
  mkdirSync(join(top, '.git'));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const open = (config: Config): Promise<Agents> =>
  openAgents({ top, commonDir: join(top, '.git'), packageRoot: '.', env: {}, config });

async function promptOf(config: Config): Promise<string> {
  const task = aTask('one');
  const [agent] = (await open({ ...config, prompt: 'prompt.md' })).of(task);
  return (
    agent?.prompt({
      ...{ plan: aPlan([task]), task, run: 'r', base: 'c0ffee', token: 't' },
      ...{ attempt: { number: 1, attempt: 1, attempts: 5 }, gates: [], protect: [] },
      ...{ feedback: undefined, logFolder: top, signal: new AbortController().signal },
    }) ?? ''
  );
}

it('a prompt that begins like a command of the client is none to a client', async () => {
  writeFileSync(join(top, 'prompt.md'), '!init what the plan says\n{{task}}\n');
  expect(await promptOf({ agent: 'claude' })).toMatch(/^The task:\n\n!init /);
  expect(await promptOf({ agentCommand: 'any' })).toMatch(/^!init /);
});

describe.each(presets)('$name', (preset) => {
  const argsOf = (permissions?: 'bypass' | 'configured'): readonly string[] => {
    const caller = presetCaller(preset, { top, env: {} }, permissions);
    const call = { model: undefined, session: undefined, promptFile: '/p' };
    const { command } = caller.call(call);
    return typeof command === 'string' ? [] : command.args;
  };

  it('has its permission flags unless they are to be as configured', () => {
    for (const flag of preset.permissions.flags) expect(argsOf()).toContain(flag);
    expect(argsOf('configured')).not.toContain(preset.permissions.flags[0]);
  });
});

it('the built-in agent has a model of the task, of the plan or of its own; else it is refused', async () => {
  const agentApi = { api: 'http://127.0.0.1:9/v1' };
  const none = await open({ agentApi });
  expect(() => none.of(aTask('one'))).toThrow('the built-in agent needs a model');
  const ofTask = aTask('one', { config: { model: 'm' } });
  expect(none.of(ofTask).map(({ name }) => name)).toEqual(['built-in']);
  for (const more of [{ model: 'm' }, { models: ['m'] }, { agentApi: { ...agentApi, model: 'm' } }])
    expect((await open({ agentApi, ...more })).of(aTask('one'))).toHaveLength(1);
  const byName = aTask('one', { config: { agent: 'claude' } });
  expect(none.of(byName).map(({ name }) => name)).toEqual(['claude']);
});

describe('what a person has to mend', () => {
  const endOf = (trouble: Trouble): unknown => {
    const reader = openReader({ reader: { see: (seen) => ({ ...seen, trouble }) } }, nowhere);
    reader.take(Buffer.from('{}\n'));
    const exit = { kind: 'exit', code: 1 } as const;
    return agentEnd(exit, { seconds: 1, log: '' }, reader, 'claude auth login');
  };
  const nowhere = { now: () => new Date(0) };

  it.each<[Trouble['kind'], string]>([
    ['signed-out', 'claude auth login'],
    ['account', 'ask its provider, or take another agent'],
    ['unknown-model', '--model NAME, or `model:`'],
  ])('%s: %s', (kind, mend) => {
    expect(endOf({ kind, detail: 'x' })).toMatchObject({ kind: 'signed-out', mend });
  });
});
