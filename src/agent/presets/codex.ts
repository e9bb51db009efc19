import { objectAt, textAt, type JsonObject } from '../json-fields.ts';
import type { Preset } from '../preset.ts';
import type { Seen } from '../reading.ts';
import { troubleOf } from '../trouble.ts';
import { optional } from './optional.ts';
import { tokensIn } from './tokens-in.ts';

/** OpenAI Codex, `codex exec`. */
export const codex: Preset = {
  name: 'codex',
  programs: ['codex'],
  checked: { how: 'run offline', version: '0.171.0' },
  command: ({ model, session, permissions }) => ({
    args: [
      ...(session === undefined ? ['exec'] : ['exec', 'resume']),
      '--json',
      ...(permissions === 'bypass' ? codex.permissions.flags : []),
      ...['-c', 'check_for_update_on_startup=false'],
      ...optional('-m', model),
      ...(session === undefined ? [] : [session]),
      '-',
    ],
    stdin: 'prompt',
  }),
  env: () => ({}),
  permissions: {
    flags: ['--dangerously-bypass-approvals-and-sandbox'],
    meaning:
      'It edits any file and runs any command that you could, without asking and without its sandbox; otherwise it may only read.',
    readsWithout: true,
  },
  version: ['--version'],
  signIn: {
    variables: ['CODEX_API_KEY', 'CODEX_ACCESS_TOKEN'],
    files: [],
    ask: ['login', 'status'],
    elsewhere: {
      variables: ['CODEX_HOME'],
      settings: [{ file: '.codex/config.toml', matches: /^\s*model_provider\s*=/m }],
    },
    otherwise: 'no',
    how: 'codex login, or set CODEX_API_KEY',
  },
  reader: { see, countsSession: true },
  reports: { tokens: true, usd: false, session: true },
  notes: [
    'After a 429 with a long Retry-After it waits without a word, and so it does while a request hangs: only idle_timeout ends that.',
    'It waits for ever where nothing listens at the address of its provider.',
    'The end of a usage limit is a time of day of your zone, or a date with it.',
    'A refusal is an exit 0 without an answer: no different from one that had nothing to say.',
    'A broken config.toml is ignored without a word, and its default provider asked instead.',
  ],
};

const counts = { input: 'input_tokens', output: 'output_tokens', cached: 'cached_input_tokens' };

const retrying = /^Reconnecting\.\.\. \d+\/\d+ /;

function see(seen: Seen, event: JsonObject, now: Date): Seen {
  switch (event['type']) {
    case 'thread.started':
      return { ...seen, ...sessionOf(event) };
    case 'item.completed':
      return seeItem(seen, event);
    case 'error':
      return { ...seen, omen: troubleIn(textAt(event, 'message'), now) };
    case 'turn.failed':
      return { ...seen, trouble: troubleIn(textAt(event, 'error', 'message'), now) };
    case 'turn.completed':
      return seeTurn(seen, event);
    default:
      return seen;
  }
}

function sessionOf(event: JsonObject): { readonly session?: string } {
  const session = textAt(event, 'thread_id');
  return session === undefined ? {} : { session };
}

/** An item of type `error` is a warning: it comes with an unknown model though all is well. */
function seeItem(seen: Seen, event: JsonObject): Seen {
  if (textAt(event, 'item', 'type') === 'error') return seen;
  const { omen: _over, ...rest } = seen;
  const isAnswer = textAt(event, 'item', 'type') === 'agent_message';
  const text = isAnswer ? textAt(event, 'item', 'text') : undefined;
  return text === undefined ? rest : { ...rest, text };
}

function seeTurn(seen: Seen, event: JsonObject): Seen {
  const { omen: _over, trouble: _told, ...rest } = seen;
  const tokens = tokensIn(objectAt(event, 'usage'), counts);
  return tokens === undefined ? rest : { ...rest, tokens };
}

function troubleIn(said: string | undefined, now: Date): ReturnType<typeof troubleOf> {
  const message = (said ?? 'the turn failed').replace(retrying, '').replace(/^\((.*)\)$/s, '$1');
  return troubleOf({ message }, now);
}
