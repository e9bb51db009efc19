import { describe, expect, it } from 'vitest';
import { troubleOf } from '../../../../src/agent/trouble.ts';

const now = new Date(2026, 10, 29, 12, 0, 0);
const kind = (message: string, more: { status?: number; code?: string } = {}): string =>
  troubleOf({ message, ...more }, now).kind;

describe('troubleOf', () => {
  it.each([
    [401, 'signed-out'],
    [402, 'account'],
    [403, 'account'],
    [408, 'overloaded'],
    [413, 'context-overflow'],
    [418, 'error'],
    [429, 'throttled'],
    [500, 'overloaded'],
    [529, 'overloaded'],
  ])('knows the status %i', (status, expected) => {
    expect(kind('it went wrong', { status })).toBe(expected);
    expect(kind(`unexpected status ${status} Something: it went wrong`)).toBe(expected);
  });

  it.each([
    ['insufficient_quota', 'account'],
    ['rate_limit_exceeded', 'throttled'],
    ['model_not_found', 'unknown-model'],
    ['ContextOverflowError', 'context-overflow'],
    ['ContentFilterError', 'refused'],
    ['authentication_failed', 'signed-out'],
    ['overloaded_error', 'overloaded'],
    ['APIError', 'error'],
  ])('knows the code %s', (code, expected) => {
    expect(kind('it went wrong', { code })).toBe(expected);
  });

  it.each([
    [
      "There's an issue with the selected model (nope). It may not exist or you may not have access to it.",
      'unknown-model',
    ],
    [
      "Codex ran out of room in the model's context window. Start a new thread.",
      'context-overflow',
    ],
    ['Credit balance is too low', 'account'],
    ['Your ANTHROPIC_API_KEY belongs to a disabled organization', 'account'],
    [
      'You’ve hit your usage limit. Upgrade to Pro, or purchase more credits or try again at 5:40 PM.',
      'throttled',
    ],
    ["You've hit your session limit · resets 5:39pm (UTC)", 'throttled'],
    ['You exceeded your current quota, please check your plan and billing details.', 'account'],
    [
      'You exceeded your current quota, please check your plan and billing details. Please retry in 34.07s.',
      'throttled',
    ],
    ['Not logged in · Please run /login', 'signed-out'],
    ["Authentication required. Please run 'cursor-agent login' first", 'signed-out'],
    ['No authentication information found.', 'signed-out'],
    ['connect ECONNREFUSED 127.0.0.1:1', 'overloaded'],
    ['stream disconnected before completion', 'overloaded'],
    ['File not found: 429.txt', 'error'],
  ])('knows the words: %s', (message, expected) => {
    expect(kind(message)).toBe(expected);
  });

  it('tells when it is over only of what passes', () => {
    expect(troubleOf({ message: 'Unauthorized, retry after 5s', status: 401 }, now)).toEqual({
      kind: 'signed-out',
      detail: 'Unauthorized, retry after 5s',
    });
    expect(troubleOf({ message: 'slow', status: 429, reset: { afterMs: 7 } }, now)).toEqual({
      kind: 'throttled',
      detail: 'slow',
      afterMs: 7,
    });
  });

  it('has a detail also where nothing was said', () => {
    expect(troubleOf({ message: '', status: 503 }, now).detail).toBe('status 503');
    expect(troubleOf({ message: '', code: 'auth' }, now).detail).toBe('auth');
    expect(troubleOf({ message: '' }, now).detail).not.toBe('');
  });
});
