import { countAt, numberAt, objectAt, textAt, usdAt, type JsonObject } from '../json-fields.ts';
import type { Preset } from '../preset.ts';
import type { Seen, Tokens, Trouble } from '../reading.ts';
import { resetOfHeader } from '../reset-time.ts';
import { troubleOf } from '../trouble.ts';
import { isPartial } from './is-partial.ts';
import { optional } from './optional.ts';

/** opencode, `opencode run`. */
export const opencode: Preset = {
  name: 'opencode',
  programs: ['opencode'],
  checked: { how: 'run offline', version: '1.18.33' },
  command: ({ model, session, permissions }) => ({
    args: [
      ...['run', '--format', 'json'],
      ...(permissions === 'bypass' ? opencode.permissions.flags : []),
      ...optional('-m', model),
      ...optional('-s', session),
    ],
    stdin: 'prompt',
  }),
  env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1' }),
  permissions: {
    flags: ['--auto'],
    meaning:
      'It edits any file and runs any command that you could and that its configuration does not deny, without asking.',
  },
  version: ['--version'],
  signIn: {
    variables: ['OPENCODE_API_KEY'],
    files: ['.local/share/opencode/auth.json'],
    // Any of its many providers may find a key of its own in the environment, and its maker's free models need none.
    otherwise: 'unknown',
    how: 'opencode auth login',
  },
  reader: { see },
  reports: { tokens: true, usd: true, session: true },
  notes: [
    'After a 429 with a long Retry-After it waits without a word, and prints nothing while it retries: only idle_timeout ends that.',
    'A model is named PROVIDER/MODEL; one that it does not know ends with an unexpected server error, no more.',
    'Cost comes from the prices in its configuration; without them it is unknown.',
    'Without --auto, or permission: allow in its configuration, the first thing that it would ask for ends the run with exit 0.',
    'After a context overflow it goes on with a summary, and ends with exit 1 even if it got done.',
  ],
};

function see(seen: Seen, event: JsonObject, now: Date): Seen {
  const session = textAt(event, 'sessionID');
  const known = session === undefined ? seen : { ...seen, session };
  switch (event['type']) {
    case 'text':
      return seeText(known, event);
    case 'step_finish':
      return seeStep(known, event);
    case 'error':
      return { ...known, trouble: troubleIn(event, now) };
    default:
      return known;
  }
}

/** `synthetic` is what it tells its model itself. */
function seeText(seen: Seen, event: JsonObject): Seen {
  const text = textAt(event, 'part', 'text');
  const isOwn = objectAt(event, 'part')?.['synthetic'] === true;
  return isOwn || text === undefined ? seen : { ...seen, text };
}

/**
 * Each step reports for itself; a cost of 0 is that of a model without a price. A step that ends well after an error got over
 * it, as far as the exit status agrees.
 */
function seeStep(seen: Seen, event: JsonObject): Seen {
  const { trouble, ...rest } = seen;
  const omen = trouble ?? seen.omen;
  const counts = objectAt(event, 'part', 'tokens') ?? {};
  const tokens = tokensOf(counts, seen.tokens);
  const cost = usdAt(event, 'part', 'cost') ?? 0;
  const usd = cost > 0 ? (seen.usd ?? 0) + cost : seen.usd;
  return {
    ...rest,
    ...(omen && { omen }),
    ...(tokens && { tokens }),
    ...(usd !== undefined && { usd }),
    ...lackingOf(seen, isPartial(counts, countNames), cost === 0),
  };
}

function lackingOf(
  { lacking = {} }: Seen,
  lacksTokens: boolean,
  lacksUsd: boolean,
): Pick<Seen, 'lacking'> {
  if (!lacksTokens && !lacksUsd) return {};
  return {
    lacking: { ...lacking, ...(lacksTokens && { tokens: true }), ...(lacksUsd && { usd: true }) },
  };
}

const countNames = {
  always: ['input', 'output'],
  sometimes: ['reasoning', 'cache.read', 'cache.write'],
};

function tokensOf(counts: JsonObject, before: Tokens | undefined): Tokens | undefined {
  const isTold = countNames.always.some((name) => countAt(counts, name) !== undefined);
  if (!isTold) return before;
  const at = (...path: string[]): number => countAt(counts, ...path) ?? 0;
  const { input, output, cached = 0 } = before ?? { input: 0, output: 0 };
  return {
    input: input + at('input') + at('cache', 'read') + at('cache', 'write'),
    output: output + at('output') + at('reasoning'),
    cached: cached + at('cache', 'read'),
  };
}

function troubleIn(event: JsonObject, now: Date): Trouble {
  const name = textAt(event, 'error', 'name');
  const status = numberAt(event, 'error', 'data', 'statusCode');
  const message = textAt(event, 'error', 'data', 'message') ?? name ?? 'it reported an error';
  const wait = textAt(event, 'error', 'data', 'responseHeaders', 'retry-after');
  const reset = wait === undefined ? undefined : resetOfHeader(wait);
  return troubleOf({ status, code: codeOf(event) ?? name, message, reset }, now);
}

/** The provider's own word, where it sent one. */
function codeOf(event: JsonObject): string | undefined {
  const body = textAt(event, 'error', 'data', 'responseBody') ?? '';
  const match = /"code"\s*:\s*"(insufficient_quota|model_not_found|context_length_exceeded)"/.exec(
    body,
  );
  return match?.[1];
}
