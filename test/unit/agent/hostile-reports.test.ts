import { describe, expect, it } from 'vitest';
import { agentEnd, usageOf } from '../../../src/agent/agent-end.ts';
import { builtInReader } from '../../../src/agent/built-in/reader.ts';
import { presetCaller } from '../../../src/agent/preset-caller.ts';
import { findPreset } from '../../../src/agent/presets/presets.ts';
import { openReader, type Reader, type Trouble } from '../../../src/agent/reading.ts';
import type { AgentEnd } from '../../../src/ports.ts';

/** What is said of a step whose client printed these lines, and exited so. */
function endOf(
  reader: Reader | undefined,
  lines: readonly (object | string)[],
  code = 0,
): AgentEnd {
  if (reader === undefined) throw new Error('no reader');
  const opened = openReader({ reader }, { now: () => new Date() });
  for (const line of lines)
    opened.take(Buffer.from(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`));
  return agentEnd({ kind: 'exit', code }, { seconds: 1, log: '' }, opened);
}

const readerOf = (name: string): Reader | undefined => findPreset(name)?.reader;
const claude = readerOf('claude');
const opencode = readerOf('opencode');

describe('a count that is none, and a cost that is none, are unknown', () => {
  const result = (input: string, output: string, usd = 'null'): string =>
    `{"type":"result","usage":{"input_tokens":${input},"output_tokens":${output}},"total_cost_usd":${usd}}`;
  const hostile = ['1.5', '1e308', '1e999', '-1', 'null', '"7"', '9007199254740993'];

  it.each(hostile)('%s as both', (number) => {
    for (const name of ['claude', 'codex', 'qwen']) {
      const line = result(number, number).replace(
        'result',
        name === 'codex' ? 'turn.completed' : 'result',
      );
      expect(endOf(readerOf(name), [line]).usage, name).toBeUndefined();
    }
    const tokens = `{"type":"usage","tokens":{"input":${number},"output":${number}}}`;
    expect(
      endOf(builtInReader, [tokens, { type: 'result', finish: 'stop' }]).usage,
    ).toBeUndefined();
  });

  it.each(hostile)('%s as one of them: the sum is a least one', (number) => {
    const least = { input: 0, output: 5, atLeast: true };
    expect(endOf(claude, [result(number, '5')]).usage).toEqual(least);
    const tokens = `{"type":"usage","tokens":{"input":${number},"output":5}}`;
    expect(endOf(builtInReader, [tokens, { type: 'result', finish: 'stop' }]).usage).toEqual(least);
    const part = `{"type":"step_finish","part":{"tokens":{"input":${number},"output":5}}}`;
    expect(endOf(opencode, [part]).usage).toEqual(least);
  });

  it.each(['-1', '1e308', '1e999', 'null', '"7"'])('%s as a cost', (usd) => {
    expect(endOf(claude, [result('1', '2', usd)]).usage).toEqual({ input: 1, output: 2 });
  });
});

it('a sum that is no count any more is unknown', () => {
  const tokens = { input: 2 ** 53, output: 1 };
  expect(usageOf({ tokens, usd: 1 })).toEqual({ usd: 1 });
});

describe('what is known in part is a least', () => {
  const step = (cost: unknown): object => ({
    type: 'step_finish',
    part: { cost, tokens: { input: 1, output: 2, reasoning: 0, cache: { read: 0, write: 0 } } },
  });

  it.each([undefined, -1, 0, null])('opencode, a step that costs %s', (cost) => {
    const usage = { input: 2, output: 4, usd: 0.02, atLeast: true };
    expect(endOf(opencode, [step(cost), step(0.02)]).usage).toEqual(usage);
    expect(endOf(opencode, [step(0.02), step(cost)]).usage).toEqual(usage);
    expect(endOf(opencode, [step(cost)]).usage).toEqual({ input: 1, output: 2 });
  });

  it('opencode, all of it told', () => {
    const usage = { input: 2, output: 4, usd: 0.04 };
    expect(endOf(opencode, [step(0.02), step(0.02)]).usage).toEqual(usage);
  });

  const usage = { input_tokens: 3, output_tokens: 1 };
  const answer = { type: 'assistant', message: { id: 'a', content: [], usage } };

  it('claude, which ended without a result', () => {
    const least = { input: 3, output: 1, atLeast: true };
    expect(endOf(claude, [answer], 1).usage).toEqual(least);
    expect(endOf(claude, [answer, { type: 'result', result: 'done' }]).usage).toEqual(least);
    const told = { type: 'result', usage: { input_tokens: 3, output_tokens: 9 } };
    expect(endOf(claude, [answer, told]).usage).toEqual({ input: 3, output: 9 });
  });

  it('claude, one of whose models tells less', () => {
    const all = { inputTokens: 1, outputTokens: 2, cacheReadInputTokens: 0 };
    const modelUsage = { a: all, b: { ...all, inputTokens: null } };
    const least = { input: 1, output: 4, atLeast: true };
    expect(endOf(claude, [{ type: 'result', modelUsage }]).usage).toEqual(least);
  });

  it('the built-in agent, an answer of which broke off', () => {
    const tokens = { input: 7, output: 3, atLeast: true };
    const error = { type: 'error', kind: 'overloaded', detail: 'x', tokens };
    expect(endOf(builtInReader, [error]).usage).toEqual(tokens);
  });
});

describe('a limit that is over', () => {
  const month = 31 * 86_400_000;
  const untilOf = (trouble: Pick<Trouble, 'until' | 'afterMs'>): number | undefined => {
    const see: Reader['see'] = () => ({ trouble: { kind: 'throttled', detail: '', ...trouble } });
    const end = endOf({ see }, [{}]);
    if (end.kind !== 'throttled') throw new Error(end.kind);
    return end.until === undefined ? undefined : Date.parse(end.until) - Date.now();
  };

  it.each<Pick<Trouble, 'until' | 'afterMs'>>([
    { afterMs: 99_999_999_999_999_000 },
    { afterMs: Number.MAX_VALUE },
    { until: '+275760-09-13T00:00:00.000Z' },
  ])('in the far future (%j) is asked after in a month', (trouble) => {
    expect(untilOf(trouble)).toBeGreaterThan(month - 10_000);
    expect(untilOf(trouble)).toBeLessThanOrEqual(month);
  });

  it('at no time at all is one without a time', () => {
    expect(untilOf({ until: 'soon' })).toBeUndefined();
  });
});

describe('the name of a session', () => {
  const told = (session_id: string): string | undefined =>
    endOf(claude, [{ type: 'result', session_id, result: 'done' }]).session;

  it.each(['0199a-b_c.d:e', 'ses_1'])('%s is one', (session) => {
    expect(told(session)).toBe(session);
  });

  it.each(['--dangerous', '-r', 'a b', 'a\nb', 'a\u0000', `a${'b'.repeat(200)}`, '../x'])(
    '%j is none, and no argument',
    (session) => {
      expect(told(session)).toBeUndefined();
      const preset = findPreset('claude');
      const caller = preset && presetCaller(preset, { top: '/', env: {} });
      const called = caller?.call({ model: undefined, session, promptFile: '/p' });
      expect(JSON.stringify(called)).not.toContain('--resume');
    },
  );
});
