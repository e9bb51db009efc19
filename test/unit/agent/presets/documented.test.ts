import { describe, expect, it } from 'vitest';
import type { Preset } from '../../../../src/agent/preset.ts';
import { findPreset } from '../../../../src/agent/presets/presets.ts';
import { readOutput } from './recordings.ts';

/** Readers of clients that could not be run, over what their makers document of their output. */

function preset(name: string): Preset {
  const found = findPreset(name);
  if (found === undefined) throw new Error(`no preset ${name}`);
  return found;
}

const lines = (...events: readonly object[]): string =>
  events.map((event) => JSON.stringify(event)).join('\n');

describe.each(['cursor-agent', 'amp'])('%s', (name) => {
  const init = { type: 'system', subtype: 'init', session_id: 'T-1' };

  it('ends with a result', () => {
    const result = { type: 'result', subtype: 'success', is_error: false, result: 'Done.' };
    const stdout = lines(init, { ...result, session_id: 'T-1' });
    expect(readOutput(preset(name), { stdout })).toEqual({ session: 'T-1', text: 'Done.' });
  });

  it('tells of an error in its result', () => {
    const result = { type: 'result', is_error: true, error: 'Too many requests, retry after 60s' };
    const stdout = lines(init, { ...result, subtype: 'error_during_execution' });
    const { trouble } = readOutput(preset(name), { stdout, exit: 1 });
    expect(trouble).toMatchObject({ kind: 'throttled', afterMs: 60_000 });
  });

  it('reaches a limit of its own', () => {
    const stdout = lines(init, { type: 'result', subtype: 'error_max_turns', is_error: true });
    expect(readOutput(preset(name), { stdout, exit: 1 }).trouble?.kind).toBe('limit');
  });
});

describe('cursor-agent', () => {
  it('says on standard error that it is signed out', () => {
    const stderr =
      "Error: Authentication required. Please run 'cursor-agent login' first, or set CURSOR_API_KEY environment variable.\n";
    const { trouble } = readOutput(preset('cursor-agent'), { stdout: '', stderr, exit: 1 });
    expect(trouble?.kind).toBe('signed-out');
    expect(trouble?.detail).toMatch(/^Authentication required/);
  });
});

describe('droid', () => {
  const said = { type: 'message', role: 'assistant', text: 'I look at it.', session_id: 'd-1' };

  it('ends with a completion', () => {
    const stdout = lines(said, { type: 'completion', finalText: 'Done.', session_id: 'd-1' });
    expect(readOutput(preset('droid'), { stdout })).toEqual({ session: 'd-1', text: 'Done.' });
  });

  it('tells of an error in an event', () => {
    const stdout = lines(said, { type: 'error', message: '402 Payment Required' });
    expect(readOutput(preset('droid'), { stdout, exit: 1 }).trouble?.kind).toBe('account');
  });
});

describe.each(['aider', 'kiro'])('%s, which prints text', (name) => {
  it('has that for its answer', () => {
    const stdout = 'Applied edit to a.txt\n';
    expect(readOutput(preset(name), { stdout })).toEqual({ text: 'Applied edit to a.txt' });
  });

  it('is not judged by the words of its model', () => {
    const stdout = 'Error: rate limit reached, try again in 20s\n';
    expect(readOutput(preset(name), { stdout }).trouble).toBeUndefined();
    const failed = readOutput(preset(name), { stdout, exit: 1 });
    expect(failed.trouble).toEqual({ kind: 'error', detail: 'exit 1' });
  });

  it('is judged by what it says on standard error when it fails', () => {
    const stderr = 'error: You are not logged in, please log in with kiro-cli login\n';
    expect(readOutput(preset(name), { stdout: '', stderr, exit: 1 }).trouble?.kind).toBe(
      'signed-out',
    );
    expect(readOutput(preset(name), { stdout: '', stderr, exit: 0 }).trouble).toBeUndefined();
  });
});
