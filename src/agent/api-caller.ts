import { fileURLToPath } from 'node:url';
import type { ApiConfig } from '../core/config/config.ts';
import { oneLine } from '../core/text.ts';
import { Refusal } from '../ports.ts';
import type { Caller } from './caller.ts';
import type { Place } from './command-caller.ts';
import { builtInReader } from './built-in/reader.ts';
import {
  defaultTokens,
  defaultTurns,
  keyVariableOf,
  protocolOf,
  type BuiltInSettings,
  type Protocol,
} from './built-in/endpoint.ts';

const ASK_LIMIT = 10_000;

/** The built-in agent: a bounded tool loop against an OpenAI-compatible or Anthropic endpoint, in a process of its own. */
export function apiCaller(config: ApiConfig, { env }: Pick<Place, 'env'>): Caller {
  assertNoPassword(config.api);
  const protocol = config.protocol ?? protocolOf(config.api);
  const keyVariable = config.keyEnv ?? keyVariableOf(protocol);
  const settings = {
    api: baseOf(config.api, protocol),
    protocol,
    keyVariable,
    turns: config.turns ?? defaultTurns,
    tokens: config.tokens ?? defaultTokens,
  };
  const program = fileURLToPath(new URL('./built-in/main.js', import.meta.url));
  return {
    name: 'built-in',
    reports: { tokens: true, usd: false },
    reader: builtInReader,
    identity: JSON.stringify([settings, config.model ?? null]),
    signIn: keyHint(keyVariable),
    assertReady: async () => {
      assertKey(config, env);
      await assertAnswers(settings, env[keyVariable]);
    },
    call: ({ model = config.model }) => {
      if (model === undefined) throw noModel();
      const all: BuiltInSettings = { ...settings, model };
      const args = [program, JSON.stringify(all)];
      return { command: { file: process.execPath, args }, env: {}, stdin: 'prompt' };
    },
  };
}

/** Where both protocols have their first path by custom; an address with a path of its own is taken as it is. */
function baseOf(api: string, protocol: Protocol): string {
  const base = api.replace(/\/+$/, '');
  const isBare = new URL(base).pathname === '/';
  return isBare || (protocol === 'anthropic' && !/\/v\d+$/.test(base)) ? `${base}/v1` : base;
}

export function noModel(): Refusal {
  return new Refusal(
    2,
    'the built-in agent needs a model',
    'agent: {api: …, model: NAME}, or --model NAME',
  );
}

/** It would stand in logs and messages, and `fetch` takes no such address. */
function assertNoPassword(api: string): void {
  const { username, password, host } = new URL(api);
  if (username === '' && password === '') return;
  throw new Refusal(
    2,
    `api: the address of ${host} holds a user name or a password, which are not sent`,
    'take them out of `api:`; a key goes into a variable: `key_env: VARIABLE`',
  );
}

/** A local server needs no key, so none is missed unless it was named. */
function assertKey({ keyEnv, api }: ApiConfig, env: Place['env']): void {
  if (keyEnv === undefined || (env[keyEnv] ?? '') !== '') return;
  throw new Refusal(
    3,
    `${oneLine(keyEnv)} is not set`,
    `set it to the key for ${new URL(api).host}, or leave out key_env`,
  );
}

/** Lists the endpoint's models: a server that does not run, or a key that is not accepted, is told before the first attempt. */
async function assertAnswers(
  { api, protocol, keyVariable }: Omit<BuiltInSettings, 'model'>,
  key: string | undefined,
): Promise<void> {
  const headers: Record<string, string> =
    protocol === 'anthropic'
      ? { 'anthropic-version': '2023-06-01', ...(key !== undefined && { 'x-api-key': key }) }
      : { ...(key !== undefined && { authorization: `Bearer ${key}` }) };
  let status: number;
  try {
    const signal = AbortSignal.timeout(ASK_LIMIT);
    const answer = await fetch(`${api}/models`, { headers, signal });
    await answer.body?.cancel();
    status = answer.status;
  } catch (error) {
    throw new Refusal(3, silenceOf(api, error), 'start the server, or mend `api:`');
  }
  // Not every server lists its models; what it says of the key is what counts.
  if (status === 401 || status === 403)
    throw new Refusal(3, `${api} does not accept the key (${status})`, keyHint(keyVariable));
}

function keyHint(keyVariable: string | undefined): string {
  return `set ${keyVariable ?? 'its key'}, or key_env: VARIABLE`;
}

function silenceOf(api: string, error: unknown): string {
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  return isTimeout
    ? `no answer within ${ASK_LIMIT / 1000} s at ${api}`
    : `nothing answers at ${api} (${reasonOf(error)})`;
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause ? String(cause.code) : cause.message;
}
