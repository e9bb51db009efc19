import { describe, expect, it } from 'vitest';
import type { Preset } from '../../../../src/agent/preset.ts';
import { findPreset, presets } from '../../../../src/agent/presets/presets.ts';
import { readOutput, recordingOf } from './recordings.ts';

const structured = presets.filter(({ reader }) => reader.isText !== true);

function preset(name: string): Preset {
  const found = findPreset(name);
  if (found === undefined) throw new Error(`no preset ${name}`);
  return found;
}

const garbage = [
  '\u0000\u0001\ufffd garbage',
  '{',
  '{"type":',
  '[]',
  'null',
  '"text"',
  '{"type":null}',
  '{"type":["result"]}',
  '{"__proto__":{"type":"result","is_error":true}}',
  ...['result', 'error', 'assistant', 'message', 'system', 'run_result', 'agent_event'].flatMap(
    (type) => [
      `{"type":"${type}"}`,
      `{"type":"${type}","message":7,"error":7,"usage":[],"stats":"x","data":null,"event":[],"part":"p"}`,
      `{"type":"${type}","usage":{"input_tokens":-1,"output_tokens":"many"}}`,
    ],
  ),
  ...[
    'turn.completed',
    'turn.failed',
    'item.completed',
    'text',
    'step_finish',
    'session.error',
  ].map((type) => `{"type":"${type}","item":null,"part":null,"data":"x","error":[]}`),
];

describe.each(presets)('$name and hostile output', (client) => {
  it('survives garbage, and makes no numbers of it', () => {
    const reading = readOutput(client, { stdout: garbage.join('\n'), exit: 1 });
    expect(reading.usd).toBeUndefined();
    expect(Object.values(reading.tokens ?? {}).every((count) => count === 0)).toBe(true);
    expect(reading.session).toBeUndefined();
  });

  it('takes an empty answer for no trouble: the gates judge', () => {
    expect(readOutput(client, { stdout: '' })).toEqual({});
  });

  it('says of a failure that says nothing how it ended', () => {
    const { trouble } = readOutput(client, { stdout: '', exit: 3 });
    expect(trouble).toEqual({ kind: 'error', detail: 'exit 3' });
  });

  it('says of a failure the last line of standard error', () => {
    const { trouble } = readOutput(client, {
      stdout: '',
      stderr: 'first\nlast words\n\n',
      exit: 9,
    });
    expect(trouble).toEqual({ kind: 'error', detail: 'last words' });
  });

  it('blames nothing for a cut', () => {
    expect(readOutput(client, { stdout: '', exit: null }).trouble).toBeUndefined();
  });
});

describe.each(structured)('$name and lines that are no events', (client) => {
  it('ignores a limit in plain text', () => {
    const stdout = "You've hit your usage limit. Try again at 12:39 PM.\nError: 429\n";
    expect(readOutput(client, { stdout })).toEqual({});
  });
});

describe('lines', () => {
  const success = recordingOf('claude', 'success').stdout.join('\n');
  const claude = preset('claude');

  it('that are huge are skipped, and what follows is read', () => {
    const huge = `{"type":"user","content":"${'x'.repeat(3_000_000)}"}`;
    const reading = readOutput(claude, { stdout: `${huge}\n${success}` });
    expect(reading.text).toBe('Done: wrote hello.txt.');
  });

  it('without an end are read at the end, half ones are not', () => {
    expect(readOutput(claude, { stdout: success }).text).toBe('Done: wrote hello.txt.');
    const half = readOutput(claude, { stdout: success.slice(0, -20) });
    const { text, trouble, usd, tokens } = half;
    expect({ text, trouble, usd }).toEqual({});
    // What its single answers told, and not the sum of the result.
    expect(tokens).toEqual({ input: 2800, output: 2, cached: 400 });
  });

  it('give an answer that is clipped', () => {
    const result = JSON.stringify({ type: 'result', is_error: false, result: 'ä'.repeat(200_000) });
    const { text = '' } = readOutput(claude, { stdout: result });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536);
    expect(text.endsWith('ä…')).toBe(true);
  });

  it('of pieces are joined, and stay clipped', () => {
    const piece = JSON.stringify({
      type: 'message',
      role: 'assistant',
      content: 'word ',
      delta: true,
    });
    const stdout = Array.from({ length: 30_000 }, () => piece).join('\n');
    const { text = '' } = readOutput(preset('gemini'), { stdout });
    expect(text.startsWith('word word ')).toBe(true);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536);
  });
});

describe('an exit 0', () => {
  it('with an error in a field is an error', () => {
    const failed = '{"type":"result","is_error":true,"result":"API Error: 529 Overloaded"}';
    expect(readOutput(preset('claude'), { stdout: failed }).trouble?.kind).toBe('overloaded');
    const error = '{"type":"error","error":{"name":"APIError","data":{"statusCode":401}}}';
    expect(readOutput(preset('opencode'), { stdout: error }).trouble?.kind).toBe('signed-out');
    const ended = '{"type":"result","status":"error","error":{"message":"[API Error: quota]"}}';
    expect(readOutput(preset('gemini'), { stdout: ended }).trouble?.kind).toBe('throttled');
  });

  it('after a retry that helped is a good one', () => {
    const retry = '{"type":"system","subtype":"api_retry","error_status":429,"error":"rate_limit"}';
    const good = '{"type":"result","is_error":false,"result":"Done."}';
    expect(readOutput(preset('claude'), { stdout: `${retry}\n${good}` })).toEqual({
      text: 'Done.',
    });
    const reconnecting =
      '{"type":"error","message":"Reconnecting... 1/5 (exceeded retry limit, last status: 429 Too Many Requests)"}';
    const done = '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}';
    const reading = readOutput(preset('codex'), { stdout: `${reconnecting}\n${done}` });
    expect(reading.trouble).toBeUndefined();
  });
});

describe('a cut', () => {
  it('while a client retries tells what it waited for', () => {
    const retry = '{"type":"system","subtype":"api_retry","error_status":529,"error":"overloaded"}';
    const { trouble } = readOutput(preset('claude'), { stdout: retry, exit: null });
    expect(trouble?.kind).toBe('overloaded');
  });
});

describe('qwen', () => {
  const stdout = (text: string, written: number): string =>
    [
      {
        type: 'assistant',
        message: { content: [{ type: 'text', text }], usage: { output_tokens: written } },
      },
      { type: 'result', is_error: false, result: text },
    ]
      .map((event) => JSON.stringify(event))
      .join('\n');

  it('quotes its own error at the end of an answer', () => {
    const text = 'It now prints [API Error: 429 slow down]';
    expect(readOutput(preset('qwen'), { stdout: stdout(text, 20) })).toEqual({ text });
    expect(readOutput(preset('qwen'), { stdout: stdout(text, 0) }).trouble?.kind).toBe('throttled');
  });

  it('ends with exit 1 and a message since 0.24', () => {
    const failed =
      '{"type":"result","subtype":"error_during_execution","is_error":true,"error":{"message":"[API Error: 401 Unauthorized]"}}';
    const { trouble } = readOutput(preset('qwen'), { stdout: failed, exit: 1 });
    expect(trouble).toEqual({ kind: 'signed-out', detail: '401 Unauthorized' });
  });
});

describe('codex', () => {
  const stdout =
    '{"type":"turn.completed","usage":{"input_tokens":500,"output_tokens":50,"cached_input_tokens":90}}';

  it('counts a resumed session whole: what was before is taken off', () => {
    const earlier = { input: 400, output: 30, cached: 80 };
    const { tokens } = readOutput(preset('codex'), { stdout }, { earlier });
    expect(tokens).toEqual({ input: 100, output: 20, cached: 10 });
  });

  it('whose session was a new one after all keeps its counts', () => {
    const earlier = { input: 4000, output: 30 };
    const { tokens } = readOutput(preset('codex'), { stdout }, { earlier });
    expect(tokens).toEqual({ input: 500, output: 50, cached: 90 });
  });

  it('has no counts where those before are unknown', () => {
    const { tokens } = readOutput(preset('codex'), { stdout }, { earlier: 'unknown' });
    expect(tokens).toBeUndefined();
  });
});
