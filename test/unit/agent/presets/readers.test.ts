import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Preset } from '../../../../src/agent/preset.ts';
import { findPreset, presets } from '../../../../src/agent/presets/presets.ts';
import { quotation, scenariosOf } from '../../../agents/scenarios.ts';
import { read, readOutput, recordingOf, recordingsOf } from './recordings.ts';

const run = presets.filter(({ checked }) => checked.how === 'run offline');
const zone = process.env['TZ'];

// The recordings were made there, and tell times of day.
beforeAll(() => {
  process.env['TZ'] = 'UTC';
});
afterAll(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

function preset(name: string): Preset {
  const found = findPreset(name);
  if (found === undefined) throw new Error(`no preset ${name}`);
  return found;
}

describe.each(run)('what the real $name printed', (client) => {
  const expected = new Map(scenariosOf(client.name));

  it('was recorded for everything that it is tried with', () => {
    expect(recordingsOf(client.name).map(([name]) => name)).toEqual([...expected.keys()].sort());
  });

  it.each(recordingsOf(client.name))('tells the trouble of %s', (name, recording) => {
    expect(read(client, recording).trouble?.kind).toBe(expected.get(name)?.trouble);
  });

  it.each(recordingsOf(client.name))('reads the same of %s in pieces', (_, recording) => {
    expect(read(client, recording, 7)).toEqual(read(client, recording));
  });

  it.each(recordingsOf(client.name))(
    'tells the same of %s mixed with its stderr',
    (_, recording) => {
      const { stdout, stderr, exit, at } = recording;
      const mixed = [...stderr, ...stdout, ...stderr].join('\n');
      const options = { now: () => new Date(at) };
      const { trouble, ...rest } = readOutput(client, { stdout: mixed, exit }, options);
      const { trouble: before, ...apart } = read(client, recording);
      expect(rest).toEqual(apart);
      expect(trouble?.kind).toBe(before?.kind);
    },
  );

  it.each(recordingsOf(client.name))('does not mind the order of keys in %s', (_, recording) => {
    const stdout = recording.stdout.map(turned);
    expect(read(client, { ...recording, stdout })).toEqual(read(client, recording));
  });

  it('takes a limit that is only quoted for what it is', () => {
    const reading = read(client, recordingOf(client.name, 'quoted'));
    expect(reading.trouble).toBeUndefined();
    expect(reading.text).toBe(quotation);
  });
});

function turned(line: string): string {
  try {
    return JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line) as object).reverse()));
  } catch {
    return line;
  }
}

describe('tokens, cost and session of a good run', () => {
  const of = (name: string): unknown => {
    const { tokens, usd, session, text } = read(preset(name), recordingOf(name, 'success'));
    expect(text).toBe('Done: wrote hello.txt.');
    return { tokens, usd, hasSession: session !== undefined };
  };
  const openai = { input: 2400, output: 160, cached: 400 };

  it('claude', () => {
    const tokens = { input: 2800, output: 160, cached: 400 };
    expect(of('claude')).toEqual({ tokens, usd: 0.0162, hasSession: true });
  });
  it('codex', () => {
    expect(of('codex')).toEqual({ tokens: openai, usd: undefined, hasSession: true });
  });
  it('gemini', () => {
    expect(of('gemini')).toEqual({ tokens: openai, usd: undefined, hasSession: true });
  });
  it('opencode', () => {
    expect(of('opencode')).toEqual({ tokens: openai, usd: 0.00232, hasSession: true });
  });
  it('qwen', () => {
    expect(of('qwen')).toEqual({ tokens: openai, usd: undefined, hasSession: true });
  });
  it('copilot', () => {
    expect(of('copilot')).toEqual({ tokens: undefined, usd: undefined, hasSession: true });
  });
  it('cline', () => {
    expect(of('cline')).toEqual({ tokens: openai, usd: undefined, hasSession: false });
  });
});

describe('when a limit is over', () => {
  const secondsOf = (name: string, scenario: string): number | undefined => {
    const recording = recordingOf(name, scenario);
    const { until, afterMs } = read(preset(name), recording).trouble ?? {};
    if (until !== undefined) return (Date.parse(until) - Date.parse(recording.at)) / 1000;
    return afterMs === undefined ? undefined : afterMs / 1000;
  };
  const near = (seconds: number) => (value: number | undefined) => {
    expect(Math.abs((value ?? 0) - seconds)).toBeLessThan(90);
  };

  it('is what each client says of it', () => {
    near(5400)(secondsOf('claude', 'limit'));
    near(5400)(secondsOf('codex', 'limit'));
    near(300_000)(secondsOf('codex', 'limit-of-days'));
    expect(secondsOf('gemini', 'throttled')).toBe(3600);
    expect(secondsOf('opencode', 'shortly')).toBe(1);
  });

  it('stays unknown where the client does not say', () => {
    expect(secondsOf('claude', 'throttled')).toBeUndefined();
    expect(secondsOf('codex', 'throttled')).toBeUndefined();
    expect(secondsOf('gemini', 'limit')).toBeUndefined();
    expect(secondsOf('copilot', 'throttled')).toBeUndefined();
  });
});

describe('details', () => {
  const detail = (name: string, scenario: string): string | undefined =>
    read(preset(name), recordingOf(name, scenario)).trouble?.detail;

  it('are one line in the words of the client', () => {
    expect(detail('claude', 'no-login')).toBe('Not logged in · Please run /login');
    expect(detail('codex', 'no-model')).toBe(
      'The model `nope` does not exist or you do not have access to it.',
    );
    expect(detail('gemini', 'signed-out')).toBe('Unauthorized');
    expect(detail('gemini', 'no-login')).toContain('exit 41');
    expect(detail('qwen', 'signed-out')).toBe('401 Unauthorized');
  });
});
