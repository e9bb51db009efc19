import {
  listAt,
  numberAt,
  objectAt,
  parseObject,
  textAt,
  type JsonObject,
} from '../json-fields.ts';
import type { Preset } from '../preset.ts';
import type { Seen, ClientExit, Trouble } from '../reading.ts';
import { troubleOf } from '../trouble.ts';
import { optional } from './optional.ts';
import { tokensIn } from './tokens-in.ts';

/** Gemini CLI. */
export const gemini: Preset = {
  name: 'gemini',
  programs: ['gemini'],
  checked: { how: 'run offline', version: '0.61.0' },
  command: ({ model, session, permissions }) => ({
    args: [
      ...['--output-format', 'stream-json'],
      ...(permissions === 'bypass' ? gemini.permissions.flags : []),
      ...optional('-m', model),
      ...optional('--resume', session),
    ],
    stdin: 'prompt',
  }),
  env: () => ({
    // Else a launcher stands between us and it, which ignores TERM.
    GEMINI_CLI_NO_RELAUNCH: 'true',
  }),
  permissions: {
    flags: ['--yolo', '--skip-trust'],
    meaning:
      'It edits any file and runs any command that you could, without asking, also in a folder that you never told it to trust.',
  },
  version: ['--version'],
  signIn: {
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS'],
    files: ['.gemini/oauth_creds.json'],
    elsewhere: {
      variables: ['GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA', 'CLOUD_SHELL'],
      settings: [
        { file: '.gemini/settings.json', matches: /"selectedType"\s*:/ },
        { file: '.gemini/.env', matches: /_API_KEY/ },
      ],
    },
    otherwise: 'no',
    how: 'gemini, then choose how to sign in; or set GEMINI_API_KEY',
  },
  reader: { see, blame },
  reports: { tokens: true, usd: false, session: true },
  notes: [
    'Its exit status is the HTTP status modulo 256: 429 becomes 173, 401 becomes 145.',
    'A daily quota that is used up comes without a time.',
    'A refusal is an exit 0 with an answer.',
    'It retries an overloaded service for four minutes, telling so on standard error only; a stream that breaks off it does not retry.',
    'Its commands run git with GIT_CONFIG_GLOBAL=/dev/null: a commit of its own needs the identity in the configuration of the repository.',
  ],
};

const counts = { input: 'input_tokens', output: 'output_tokens', cached: 'cached' };

function see(seen: Seen, event: JsonObject, now: Date): Seen {
  switch (event['type']) {
    case 'init': {
      const session = textAt(event, 'session_id');
      return session === undefined ? seen : { ...seen, session };
    }
    case 'message':
      return seeMessage(seen, event);
    case 'tool_use': {
      // What comes before a call is no answer, but a plan.
      const { text: _before, omen: _over, ...rest } = seen;
      return rest;
    }
    case 'error':
      return { ...seen, omen: troubleIn(textAt(event, 'message'), now) };
    case 'result':
      return seeResult(seen, event, now);
    default:
      return seen;
  }
}

function seeMessage(seen: Seen, event: JsonObject): Seen {
  if (event['role'] !== 'assistant') return seen;
  const piece = textAt(event, 'content') ?? '';
  return { ...seen, text: event['delta'] === true ? (seen.text ?? '') + piece : piece };
}

/** A failed run may tell why in an event of its own only, and end with exit 0. */
function seeResult({ omen, ...seen }: Seen, event: JsonObject, now: Date): Seen {
  const tokens = tokensIn(objectAt(event, 'stats'), counts);
  const known: Seen = { ...seen, ...(tokens && { tokens }) };
  const error = objectAt(event, 'error');
  if (event['status'] !== 'error' && error === undefined) return known;
  const { text: _pieces, ...rest } = known;
  const said = error && textAt(error, 'message');
  return { ...rest, trouble: (said === undefined ? omen : undefined) ?? troubleIn(said, now) };
}

/** `[API Error: {"error":{"code":401,…}}]`, or the words of it. */
function troubleIn(said: string | undefined, now: Date): Trouble {
  const message = (said ?? 'it reported an error').replace(/^\[API Error: /, '');
  const answer = parseObject(message.slice(0, message.lastIndexOf('}') + 1));
  if (answer === undefined) {
    // What a quota that comes back is called here: else its words would be taken for an unpaid bill.
    const code = /quota|rate limit/i.test(message) ? 'quota' : undefined;
    return troubleOf({ code, message: message.replace(/\]$/, '').replace(/\]\n/, '\n') }, now);
  }
  const reasons = listAt(answer, 'error', 'details').map((detail) => textAt(detail, 'reason'));
  const status = numberAt(answer, 'error', 'code');
  const detail = textAt(answer, 'error', 'message') ?? message;
  if (reasons.includes('API_KEY_INVALID')) return { kind: 'signed-out', detail };
  return troubleOf({ status, code: textAt(answer, 'error', 'status'), message: detail }, now);
}

const ofExit: Readonly<Record<number, Trouble>> = {
  41: { kind: 'signed-out', detail: 'no way to sign in is set up (exit 41)' },
  53: { kind: 'limit', detail: 'its own limit of turns (exit 53)' },
  55: { kind: 'error', detail: 'the folder is not trusted (exit 55): --skip-trust' },
};
const httpStatuses = [400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504, 529];

/** Told while it retries, on standard error only. */
const attempt =
  /^Attempt \d+ failed(?: with status \d+\. Retrying with backoff\.\.\.|:) (?:_?ApiError: )?([^\n]+)/gm;

function blame({ exit, stderrTail }: ClientExit, now: Date): Trouble | undefined {
  if (exit === null) {
    const attempts = [...stderrTail.matchAll(attempt)];
    const last = attempts.at(-1)?.[1];
    return last === undefined ? undefined : troubleIn(last, now);
  }
  const status = httpStatuses.find((candidate) => candidate % 256 === exit);
  if (status !== undefined) return troubleOf({ status, message: `HTTP ${status}` }, now);
  return ofExit[exit];
}
