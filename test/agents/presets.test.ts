import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Preset } from '../../src/agent/preset.ts';
import type { Reading } from '../../src/agent/reading.ts';
import { findPreset } from '../../src/agent/presets/presets.ts';
import { clients, type Client } from './clients.ts';
import { record } from './recording.ts';
import { install, openGround, remove, runClient, type Installed, type Run } from './run-client.ts';
import { answer, scenariosOf, type Scenario } from './scenarios.ts';

/** Seconds that a reported time may be off: clients tell minutes. */
const slack = 90;

function presetOf({ name }: Client): Preset {
  const preset = findPreset(name);
  if (preset === undefined) throw new Error(`no preset ${name}`);
  return preset;
}

describe.each(clients)('the real $name', (client) => {
  const preset = presetOf(client);
  let installed: Installed | undefined;

  beforeAll(() => {
    installed = install(client, preset.programs[0] ?? client.name);
  }, 320_000);
  afterAll(() => {
    if (installed !== undefined) remove(installed);
  });
  const here = (): Installed => {
    if (installed === undefined) throw new Error(`${client.pack} is not installed`);
    return installed;
  };

  it('is the version that the preset was checked with', () => {
    expect(preset.checked.how).toBe('run offline');
    const version = preset.checked.how === 'run offline' ? preset.checked.version : '';
    expect(client.pack.endsWith(`@${version}`)).toBe(true);
  });

  for (const [name, scenario] of scenariosOf(client.name))
    it(`is read right: ${name}`, async () => check(here(), name, scenario));

  async function check(installed: Installed, name: string, scenario: Scenario): Promise<void> {
    const ground = await openGround(scenario.rule);
    try {
      const run = await runClient({ installed, client, preset, ground, scenario });
      record(client, name, run, { ground: ground.root, client: installed.folder });
      compare(run, scenario);
      expect(existsSync(join(ground.top, 'hello.txt'))).toBe(scenario.writes === true);
      if (name === 'success') counted(client, preset, run.reading);
    } finally {
      await ground.close();
    }
  }

  it.each(preset.reports.session ? ['its session'] : [])('goes on with %s', async () => {
    const scenario = { rule: { turns: [{ text: answer }] }, trouble: undefined };
    const ground = await openGround(scenario.rule);
    try {
      const call = { installed: here(), client, preset, ground, scenario };
      const first = await runClient(call);
      const { session, tokens } = first.reading;
      const next = await runClient({ ...call, session, ...(tokens && { earlier: tokens }) });
      expect(next.reading.trouble, next.stdout + next.exit.stderrTail).toBeUndefined();
      expect(next.reading.text).toBe(answer);
      expect(next.reading.session).toBe(session);
      expect(next.reading.tokens?.output).toBe(tokens?.output);
    } finally {
      await ground.close();
    }
  });
});

/** Anthropic counts cached tokens beside the others, everybody else among them. */
function cacheBeside({ name }: Client): number {
  return name === 'claude' ? 400 : 0;
}

function compare({ reading, exit, stdout, at }: Run, { trouble, text, over }: Scenario): void {
  const said = JSON.stringify({ reading, exit, stdout: stdout.slice(-2000) }, undefined, 1);
  expect(reading.trouble?.kind, said).toBe(trouble);
  if (text !== undefined) expect(reading.text).toBe(text);
  if (over === undefined) return;
  const { until, afterMs = 0 } = reading.trouble ?? {};
  const ms = until === undefined ? afterMs : Date.parse(until) - at.getTime();
  expect(Math.abs(ms / 1000 - over), said).toBeLessThan(slack);
}

function counted(client: Client, { reports }: Preset, { tokens, usd, session }: Reading): void {
  const counts = { input: 2400 + cacheBeside(client), output: 160 };
  if (reports.tokens) expect(tokens).toMatchObject(counts);
  else expect(tokens).toBeUndefined();
  if (!reports.usd) expect(usd).toBeUndefined();
  expect(session !== undefined).toBe(reports.session);
}
