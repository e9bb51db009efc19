import { afterEach, describe, expect, it } from 'vitest';
import { converse } from '../../../../src/agent/built-in/converse.ts';
import type { BuiltInLine } from '../../../../src/agent/built-in/line.ts';
import { openTools } from '../../../../src/agent/built-in/tools.ts';
import { startFakeModel, type FakeModel, type Turn } from '../../../support/fake-model.ts';

let model: FakeModel | undefined;
afterEach(() => model?.close());

type Protocol = 'openai' | 'anthropic';

async function say(turns: readonly Turn[], protocol: Protocol): Promise<readonly BuiltInLine[]> {
  model = await startFakeModel(turns);
  const api = `${model.url}${protocol === 'anthropic' ? '/anthropic' : ''}/v1`;
  const printed: BuiltInLine[] = [];
  const print = (line: BuiltInLine): void => void printed.push(line);
  const settings = { api, protocol, model: 'm', turns: 5, tokens: 10_000 };
  const tools = openTools('/nowhere', print);
  await converse({ settings, key: 'k', prompt: 'Go', tools, print, now: Date.now });
  return printed;
}

const lists: Turn = { tool: 'list', input: {} };

describe.each<Protocol>(['openai', 'anthropic'])('speaking the protocol of %s', (protocol) => {
  it.each<[object, string]>([
    [{ type: 'overloaded_error', message: 'Overloaded' }, 'overloaded'],
    [{ type: 'rate_limit_error', message: 'Slow down' }, 'throttled'],
    [{ type: 'insufficient_quota', message: 'No credit' }, 'account'],
  ])('the error %j within an answer', async (error, kind) => {
    const last = (await say([{ begunThen: { type: 'error', error } }], protocol)).at(-1);
    expect(last).toMatchObject({ type: 'error', kind });
    expect(last && 'detail' in last && last.detail).not.toContain('[object');
  });

  it('an answer that breaks off is a provider that is not reached', async () => {
    const last = (await say([lists, { breakOff: true }], protocol)).at(-1);
    const tokens = { input: 100, output: 10, atLeast: true };
    expect(last).toMatchObject({ type: 'error', kind: 'overloaded', tokens });
  });

  it('calls that are refused stand in the log', async () => {
    const unknown: Turn = { tool: 'fly', input: { to: 'the moon' } };
    const wrong: Turn = { tool: 'read', input: { lines: 'many' } };
    const lines = await say([unknown, wrong, { text: 'Done.' }], protocol);
    const [first, second] = lines.filter((line) => line.type === 'tool');
    expect(first).toMatchObject({ name: 'fly', input: { to: 'the moon' } });
    expect(first?.output).toContain("unavailable tool 'fly'");
    expect(second).toMatchObject({ name: 'read', input: { lines: 'many' } });
    expect(second?.output).toContain('Invalid input for tool read');
    expect(lines.at(-1)).toMatchObject({ type: 'result', text: 'Done.' });
  });
});

it('a code without a message within an answer', async () => {
  const last = (await say([{ begunThen: { error: { code: 429 } } }], 'openai')).at(-1);
  expect(last).toMatchObject({ type: 'error', kind: 'throttled' });
});

it('a 200 that is nothing but an error has the status that the error names', async () => {
  const busy = { code: 429, message: 'later' };
  const turn: Turn = { status: 200, error: busy, headers: { 'retry-after-ms': '1' } };
  const last = (await say([turn], 'openai')).at(-1);
  expect(last).toMatchObject({ type: 'error', kind: 'throttled', status: 429, afterMs: 1 });
});
