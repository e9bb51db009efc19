import {
  countAt,
  listAt,
  numberAt,
  objectAt,
  textAt,
  usdAt,
  type JsonObject,
} from '../json-fields.ts';
import type { Preset } from '../preset.ts';
import type { Seen, Tokens, Trouble } from '../reading.ts';
import { resetOfEpoch } from '../reset-time.ts';
import { troubleOf } from '../trouble.ts';
import { isPartial } from './is-partial.ts';
import { optional } from './optional.ts';

/** Claude Code, `claude -p`. */
export const claude: Preset = {
  name: 'claude',
  programs: ['claude'],
  checked: { how: 'run offline', version: '2.1.197' },
  command: ({ model, session, permissions }) => ({
    args: [
      ...['-p', '--output-format', 'stream-json', '--verbose'],
      ...(permissions === 'bypass' ? claude.permissions.flags : []),
      ...optional('--model', model),
      ...optional('--resume', session),
    ],
    stdin: 'prompt',
  }),
  env: ({ root }) => ({
    DISABLE_AUTOUPDATER: '1',
    // Of 10 tries, all after a 401 too, the last comes after three minutes.
    CLAUDE_CODE_MAX_RETRIES: '5',
    // As root it refuses its flag unless it is told that this is a sandbox.
    ...(root && { IS_SANDBOX: '1' }),
  }),
  permissions: {
    flags: ['--dangerously-skip-permissions'],
    meaning: 'It edits any file and runs any command that you could, without asking.',
  },
  version: ['--version'],
  signIn: {
    variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    files: [],
    ask: ['auth', 'status'],
    elsewhere: {
      variables: ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'ANTHROPIC_CUSTOM_HEADERS'],
      settings: [
        { file: '.claude/settings.json', matches: /"apiKeyHelper"|"ANTHROPIC_(?!BASE_URL)/ },
      ],
    },
    otherwise: 'no',
    how: 'claude auth login, or set ANTHROPIC_API_KEY',
  },
  reader: { see },
  reports: { tokens: true, usd: true, session: true },
  notes: [
    'A prompt that begins with `/` is taken for a slash command, also from standard input: exit 0, and nothing was asked of the model.',
    'Cost comes from its own price list; a model that is not on it is counted at a default price.',
    'A subscription tells when its limit is over; an API key does not.',
    'It says nothing while a request hangs: only idle_timeout ends that.',
  ],
};

function see(seen: Seen, event: JsonObject, now: Date): Seen {
  switch (event['type']) {
    case 'system':
      return seeSystem(seen, event, now);
    case 'rate_limit_event':
      return seeLimit(seen, event);
    case 'assistant':
      return seeAnswer(seen, event, now);
    case 'result':
      return seeResult(seen, event, now);
    default:
      return seen;
  }
}

function seeSystem(seen: Seen, event: JsonObject, now: Date): Seen {
  const session = textAt(event, 'session_id') ?? seen.session;
  const known = session === undefined ? seen : { ...seen, session };
  if (event['subtype'] !== 'api_retry') return known;
  const status = numberAt(event, 'error_status');
  const code = textAt(event, 'error');
  const message = `it retries after ${[status, code].filter((part) => part !== undefined).join(' ')}`;
  return { ...known, omen: troubleOf({ status, code, message }, now) };
}

function seeLimit(seen: Seen, event: JsonObject): Seen {
  if (textAt(event, 'rate_limit_info', 'status') !== 'rejected') return seen;
  const resetsAt = numberAt(event, 'rate_limit_info', 'resetsAt');
  const detail = `${textAt(event, 'rate_limit_info', 'rateLimitType') ?? 'usage'} limit`;
  const reset = resetsAt === undefined ? {} : resetOfEpoch(resetsAt);
  return { ...seen, omen: { kind: 'throttled', detail, ...reset } };
}

/** An answer of the model ends what was wrong before it; one with `error` is the client's own. */
function seeAnswer(seen: Seen, event: JsonObject, now: Date): Seen {
  const code = textAt(event, 'error');
  if (code !== undefined) {
    if (seen.omen?.until !== undefined) return seen;
    const [first] = listAt(event, 'message', 'content');
    const message = (first && textAt(first, 'text')) ?? code;
    return { ...seen, omen: troubleOf({ code, message }, now) };
  }
  const { omen: _over, ...rest } = seen;
  return countAnswer(rest, event);
}

/** An answer comes in pieces, each of which tells the usage of its request anew; the whole sum comes with the result. */
function countAnswer(seen: Seen, event: JsonObject): Seen {
  const message = objectAt(event, 'message') ?? {};
  const id = textAt(message, 'id');
  const usage = objectAt(message, 'usage');
  if (id === undefined || usage === undefined) return seen;
  const before = seen.counting?.id === id ? seen.counting.before : (seen.tokens ?? noTokens);
  const tokens = sum({ ...noTokens, ...before }, countsOf(usage, inUsage));
  // An answer's first piece knows little of what will be written.
  return { ...seen, tokens, lacking, counting: { id, before } };
}

const noTokens: Required<Tokens> = { input: 0, output: 0, cached: 0 };

function seeResult(seen: Seen, event: JsonObject, now: Date): Seen {
  const { omen, text: _before, trouble: _told, ...rest } = seen;
  const session = textAt(event, 'session_id');
  const { lacking: _least, ...unread } = rest;
  const counted = tokensOf(event);
  const usd = usdAt(event, 'total_cost_usd');
  const known: Seen = {
    ...(counted.tokens === undefined ? rest : { ...unread, ...counted }),
    ...(session !== undefined && { session }),
    ...(usd !== undefined && { usd }),
  };
  if (event['is_error'] === true) return { ...known, trouble: troubleIn(event, omen, now) };
  const text = textAt(event, 'result');
  return text === undefined ? known : { ...known, text };
}

/** `subtype` says "success" even of a failed request. */
function troubleIn(event: JsonObject, omen: Trouble | undefined, now: Date): Trouble {
  const subtype = textAt(event, 'subtype') ?? 'error';
  const message = textAt(event, 'result') ?? subtype;
  if (subtype.startsWith('error_max_')) return { kind: 'limit', detail: subtype };
  if (event['stop_reason'] === 'refusal') return { kind: 'refused', detail: message };
  const status = numberAt(event, 'api_error_status');
  const told = troubleOf({ status, code: textAt(event, 'terminal_reason'), message }, now);
  if (omen === undefined) return told;
  if (omen.kind === 'throttled' && omen.until !== undefined) return { ...omen, detail: message };
  return told.kind === 'error' ? { ...omen, detail: message } : told;
}

/** All models that took part; `usage` counts the main one only. */
function tokensOf(event: JsonObject): Pick<Seen, 'tokens' | 'lacking'> {
  const models = objectAt(event, 'modelUsage') ?? {};
  const named = Object.keys(models)
    .map((model) => objectAt(models, model))
    .filter((model) => model !== undefined);
  const names = named.length > 0 ? inModelUsage : inUsage;
  const all = named.length > 0 ? named : [objectAt(event, 'usage') ?? {}];
  const isTold = all.some((counts) =>
    [names.input, names.output].some((name) => countAt(counts, name) !== undefined),
  );
  if (!isTold) return {};
  const tokens = all.map((counts) => countsOf(counts, names)).reduce(sum);
  return { tokens, ...(all.some((counts) => lacks(counts, names)) && { lacking }) };
}

const lacking = { tokens: true } as const;

type CountNames = Readonly<Record<'input' | 'output' | 'cached' | 'written', string>>;
const inUsage: CountNames = {
  input: 'input_tokens',
  output: 'output_tokens',
  cached: 'cache_read_input_tokens',
  written: 'cache_creation_input_tokens',
};
const inModelUsage: CountNames = {
  input: 'inputTokens',
  output: 'outputTokens',
  cached: 'cacheReadInputTokens',
  written: 'cacheCreationInputTokens',
};

function countsOf(counts: JsonObject, names: CountNames): Required<Tokens> {
  const at = (name: string): number => countAt(counts, name) ?? 0;
  const cached = at(names.cached);
  return { input: at(names.input) + cached + at(names.written), cached, output: at(names.output) };
}

function lacks(counts: JsonObject, { input, output, cached, written }: CountNames): boolean {
  return isPartial(counts, { always: [input, output], sometimes: [cached, written] });
}

function sum(a: Required<Tokens>, b: Required<Tokens>): Required<Tokens> {
  return { input: a.input + b.input, output: a.output + b.output, cached: a.cached + b.cached };
}
