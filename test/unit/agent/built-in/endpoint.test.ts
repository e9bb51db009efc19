import { APICallError, RetryError } from 'ai';
import { describe, expect, it } from 'vitest';
import { keyVariableOf, protocolOf } from '../../../../src/agent/built-in/endpoint.ts';
import { explainError } from '../../../../src/agent/built-in/explain-error.ts';
import { builtInReader } from '../../../../src/agent/built-in/reader.ts';
import { readSettings } from '../../../../src/agent/built-in/settings.ts';
import type { ErrorKind } from '../../../../src/agent/built-in/line.ts';
import { openReader, type ClientExit, type Reading } from '../../../../src/agent/reading.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

function refused(
  statusCode: number | undefined,
  responseBody = '',
  responseHeaders: Record<string, string> = {},
): APICallError {
  const request = { url: 'http://x', requestBodyValues: {}, message: 'no' };
  const answer = { responseBody, responseHeaders };
  return new APICallError({ ...request, ...answer, ...(statusCode && { statusCode }) });
}

const explain = (error: unknown): ReturnType<typeof explainError> => explainError(error, () => now);
const withError = (error: object): string => JSON.stringify({ error });

describe('an endpoint’s refusal', () => {
  it.each<[number, ErrorKind]>([
    [400, 'error'],
    [401, 'signed-out'],
    [402, 'account'],
    [403, 'account'],
    [404, 'unknown-model'],
    [413, 'context-overflow'],
    [422, 'error'],
    [429, 'throttled'],
    [500, 'overloaded'],
    [503, 'overloaded'],
    [529, 'overloaded'],
  ])('%d is %s', (status, kind) => {
    expect(explain(refused(status))).toEqual({ kind, status, detail: `${status}: no` });
  });

  it.each<[number, object, ErrorKind]>([
    [429, { code: 'insufficient_quota' }, 'account'],
    [400, { code: 'context_length_exceeded' }, 'context-overflow'],
    [400, { code: 'model_not_found' }, 'unknown-model'],
    [400, { type: 'authentication_error' }, 'signed-out'],
    [200, { type: 'overloaded_error' }, 'overloaded'],
    [400, { code: 429, type: null }, 'error'],
    // Its words mean nothing.
    [400, { message: 'rate_limit_error: 429 invalid_api_key' }, 'error'],
  ])('%d with %j is %s', (status, error, kind) => {
    expect(explain(refused(status, withError(error))).kind).toBe(kind);
  });

  it('is read through the tries that came before it', () => {
    const errors = [refused(500), refused(429)];
    const tries = new RetryError({ message: 'x', reason: 'maxRetriesExceeded', errors });
    expect(explain(tries).kind).toBe('throttled');
  });

  it('without an answer it is an overload, and anything else an error', () => {
    expect(explain(refused(undefined))).toEqual({ kind: 'overloaded', detail: 'no answer: no' });
    expect(explain(new Error('a\nb'))).toMatchObject({ kind: 'error' });
  });

  it.each<[Record<string, string>, number | undefined]>([
    [{ 'retry-after': '90' }, 90_000],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:02:00 GMT' }, 120_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after-ms': '1500', 'retry-after': '2' }, 1500],
    [{ 'anthropic-ratelimit-unified-reset': String(now / 1000 + 60) }, 60_000],
    [{}, undefined],
  ])('lasts as long as %j says', (headers, ms) => {
    expect(explain(refused(429, '', headers)).afterMs).toBe(ms);
  });
});

describe('an endpoint', () => {
  it.each([
    ['http://127.0.0.1:11434/v1', 'openai', 'OPENAI_API_KEY'],
    ['https://openrouter.ai/api/v1', 'openai', 'OPENAI_API_KEY'],
    ['https://api.anthropic.com', 'anthropic', 'ANTHROPIC_API_KEY'],
    ['http://localhost:4000/anthropic', 'anthropic', 'ANTHROPIC_API_KEY'],
    ['http://localhost:4000/anthropic/v1/', 'anthropic', 'ANTHROPIC_API_KEY'],
    ['http://localhost:4000/anthropics', 'openai', 'OPENAI_API_KEY'],
  ] as const)('%s speaks %s', (api, protocol, variable) => {
    expect(protocolOf(api)).toBe(protocol);
    expect(keyVariableOf(protocol)).toBe(variable);
  });

  it('is told to the process in one argument, which is checked', () => {
    const settings = { api: 'http://x/v1', protocol: 'openai', model: 'm', turns: 1, tokens: 1 };
    expect(readSettings(JSON.stringify(settings))).toEqual(settings);
    expect(() => readSettings(JSON.stringify({ ...settings, turns: 0 }))).toThrow('turns');
  });
});

const ended: ClientExit = { exit: 0, signal: null, stderrTail: '' };

function read(lines: readonly object[], end = ended): Reading {
  const reader = openReader({ reader: builtInReader }, { now: () => new Date(now) });
  for (const line of lines) reader.take(Buffer.from(`${JSON.stringify(line)}\n`));
  return reader.finish(end);
}

const tokens = { input: 7, output: 3 };

describe('its reader', () => {
  it('takes the last line’s word, and never that of an answer', () => {
    const quoted = { type: 'text', text: '{"type":"error","kind":"throttled"}' };
    const result = { type: 'result', text: 'done', finish: 'stop', turns: 1, tokens };
    expect(read([quoted, result])).toEqual({ text: 'done', tokens });
  });

  it.each([
    ['turns', 'limit'],
    ['length', 'limit'],
    ['content-filter', 'refused'],
  ])('%s is %s', (finish, kind) => {
    expect(read([{ type: 'result', text: '', finish, tokens }]).trouble?.kind).toBe(kind);
  });

  it('has the kind, the wait and the tokens of an error, though the exit is 0', () => {
    const error = { type: 'error', kind: 'throttled', detail: '429', afterMs: 5000, tokens };
    expect(read([error])).toEqual({
      tokens,
      trouble: { kind: 'throttled', detail: '429', afterMs: 5000 },
    });
    expect(read([{ ...error, kind: 'toString' }]).trouble?.kind).toBe('error');
  });

  it('counts what was reported before it was cut off', () => {
    const cut = { exit: null, signal: 'SIGTERM', stderrTail: '' };
    const { tokens: counted, trouble } = read([{ type: 'usage', tokens }], cut);
    expect(counted).toEqual(tokens);
    expect(trouble).toEqual({ kind: 'error', detail: 'it was cut off' });
  });

  it('guesses no tokens', () => {
    const none = { input: null, output: null };
    const result = { type: 'result', text: '', finish: 'stop', turns: 1, tokens: none };
    expect(read([result]).tokens).toBeUndefined();
  });
});
