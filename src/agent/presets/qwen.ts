import { listAt, numberAt, objectAt, textAt, type JsonObject } from '../json-fields.ts';
import type { Preset } from '../preset.ts';
import type { Seen, Trouble } from '../reading.ts';
import { troubleOf } from '../trouble.ts';
import { optional } from './optional.ts';
import { tokensIn } from './tokens-in.ts';

/** Qwen Code. */
export const qwen: Preset = {
  name: 'qwen',
  programs: ['qwen'],
  checked: { how: 'run offline', version: '0.15.10' },
  command: ({ model, session, permissions }) => ({
    args: [
      ...['--output-format', 'stream-json'],
      ...(permissions === 'bypass' ? qwen.permissions.flags : []),
      ...optional('-m', model),
      ...optional('--resume', session),
    ],
    stdin: 'prompt',
  }),
  env: () => ({ QWEN_CODE_SUPPRESS_YOLO_WARNING: '1' }),
  permissions: {
    flags: ['--yolo'],
    meaning: 'It edits any file and runs any command that you could, without asking.',
  },
  version: ['--version'],
  signIn: {
    variables: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY', 'BAILIAN_CODING_PLAN_API_KEY'],
    files: ['.qwen/oauth_creds.json'],
    elsewhere: {
      variables: ['ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY', 'OPENROUTER_API_KEY'],
      settings: [
        { file: '.qwen/settings.json', matches: /"selectedType"\s*:|"apiKey"\s*:|_API_KEY"/ },
        { file: '.qwen/.env', matches: /_API_KEY/ },
      ],
    },
    otherwise: 'no',
    how: 'qwen auth, or set OPENAI_API_KEY (with OPENAI_BASE_URL and OPENAI_MODEL)',
  },
  reader: { see, countsSession: true },
  reports: { tokens: true, usd: false, session: true },
  notes: [
    'It retries a rate limit for minutes without a word: only idle_timeout ends that.',
    'Its versions before 0.24 end with exit 0 after an error too; that error is the end of their answer, and is read there.',
    'A refusal is an exit 0 with an answer.',
    'Its tokens include those of its side requests.',
  ],
};

const counts = {
  input: 'input_tokens',
  output: 'output_tokens',
  cached: 'cache_read_input_tokens',
};

function see(seen: Seen, event: JsonObject, now: Date): Seen {
  const session = textAt(event, 'session_id');
  const known = session === undefined ? seen : { ...seen, session };
  switch (event['type']) {
    case 'assistant':
      return seeAnswer(known, event, now);
    case 'result':
      return seeResult(known, event, now);
    default:
      return known;
  }
}

/** `[API Error: 401 …]`, alone or after the piece of an answer that had come before it. */
const failure = /\[API Error: ([\s\S]*)\]\s*$/;

/** An answer that broke off reports no tokens; one that only quotes such an error does. */
function seeAnswer(seen: Seen, event: JsonObject, now: Date): Seen {
  const { omen: _over, ...rest } = seen;
  const last = listAt(event, 'message', 'content').at(-1);
  const said = failure.exec((last && textAt(last, 'text')) ?? '')?.[1];
  const written = numberAt(event, 'message', 'usage', 'output_tokens') ?? 0;
  return said === undefined || written > 0
    ? rest
    : { ...rest, omen: troubleOf({ message: said }, now) };
}

function seeResult({ omen, ...seen }: Seen, event: JsonObject, now: Date): Seen {
  const tokens = tokensIn(objectAt(event, 'usage'), counts);
  const known: Seen = { ...seen, ...(tokens && { tokens }) };
  const text = textAt(event, 'result');
  const trouble = troubleIn(event, now) ?? omen;
  if (trouble !== undefined) return { ...known, trouble };
  return text === undefined ? known : { ...known, text };
}

function troubleIn(event: JsonObject, now: Date): Trouble | undefined {
  const text = textAt(event, 'result') ?? '';
  const isError = event['is_error'] === true || objectAt(event, 'error') !== undefined;
  if (!isError && !text.startsWith('[API Error: ')) return undefined;
  const subtype = textAt(event, 'subtype') ?? 'error';
  if (subtype.startsWith('error_max_')) return { kind: 'limit', detail: subtype };
  const message = [textAt(event, 'error', 'message'), text, subtype].find(Boolean) ?? subtype;
  return troubleOf({ message: failure.exec(message)?.[1] ?? message }, now);
}
