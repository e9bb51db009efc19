import { objectAt, textAt, usdAt, type JsonObject } from '../json-fields.ts';
import type { Preset } from '../preset.ts';
import type { Seen, Trouble } from '../reading.ts';
import { troubleOf } from '../trouble.ts';
import { optional } from './optional.ts';
import { tokensIn } from './tokens-in.ts';
import { pointerTo } from './pointer.ts';

/** Cline's command line. */
export const cline: Preset = {
  name: 'cline',
  programs: ['cline'],
  checked: { how: 'run offline', version: '3.0.65' },
  command: ({ model, session, promptFile, permissions }) => ({
    args: [
      '--json',
      ...(permissions === 'bypass' ? cline.permissions.flags : []),
      ...optional('--model', model),
      ...optional('--id', session),
      pointerTo(promptFile),
    ],
    stdin: 'nothing',
  }),
  env: () => ({ CLINE_NO_AUTO_UPDATE: '1' }),
  permissions: {
    flags: ['--auto-approve', 'true'],
    meaning: 'It edits any file and runs any command that you could, without asking.',
  },
  version: ['--version'],
  signIn: {
    variables: ['CLINE_API_KEY'],
    files: ['.cline/data/settings/providers.json'],
    elsewhere: { variables: ['CLINE_DIR', 'CLINE_DATA_DIR'], settings: [] },
    otherwise: 'no',
    how: 'cline auth',
  },
  reader: { see },
  reports: { tokens: true, usd: true, session: false },
  notes: [
    'With --json it reads nothing from standard input: it is told to read its task from the file of the prompt.',
    'Cost is unknown for a model that has no price.',
    'It leaves a daemon running after each run, which has to be ended.',
    'A refusal is an exit 0 with an answer; a stream that breaks off it does not retry.',
    'It does not tell its session in its output, so an attempt cannot go on with the last one.',
  ],
};

const counts = { input: 'inputTokens', output: 'outputTokens', cached: 'cacheReadTokens' };

function see(seen: Seen, event: JsonObject, now: Date): Seen {
  switch (event['type']) {
    case 'agent_event':
      return seeAgent(seen, event, now);
    case 'run_result':
      return seeResult(seen, event, now);
    case 'error':
      return seen.trouble ? seen : { ...seen, trouble: troubleIn(textAt(event, 'message'), now) };
    default:
      return seen;
  }
}

function seeAgent(seen: Seen, event: JsonObject, now: Date): Seen {
  const type = textAt(event, 'event', 'type');
  if (type === 'error') return { ...seen, omen: failureIn(event, now) };
  if (type !== 'content_end') return seen;
  const { omen: _over, ...rest } = seen;
  return rest;
}

function failureIn(event: JsonObject, now: Date): Trouble {
  const message = textAt(event, 'event', 'error', 'message') ?? textAt(event, 'event', 'message');
  const known = textAt(event, 'event', 'errorClass');
  const code = known === 'unknown' ? textAt(event, 'event', 'error', 'name') : known;
  return troubleOf({ code, message: message ?? '' }, now);
}

function seeResult({ omen, ...seen }: Seen, event: JsonObject, now: Date): Seen {
  const known: Seen = { ...seen, ...countsOf(event) };
  const text = textAt(event, 'text');
  const reason = textAt(event, 'finishReason') ?? 'error';
  if (reason === 'completed') return text === undefined ? known : { ...known, text };
  if (/max_?(?:iterations|turns)|mistake/.test(reason))
    return { ...known, trouble: { kind: 'limit', detail: reason } };
  const told = troubleIn(text ?? reason, now);
  return { ...known, trouble: omen === undefined || omen.kind === 'error' ? told : omen };
}

function countsOf(event: JsonObject): Pick<Seen, 'tokens' | 'usd'> {
  const tokens = tokensIn(objectAt(event, 'usage'), counts);
  const cost = usdAt(event, 'usage', 'totalCost') ?? 0;
  return { ...(tokens && { tokens }), ...(cost > 0 && { usd: cost }) };
}

function troubleIn(message: string | undefined, now: Date): Trouble {
  return troubleOf({ message: message ?? 'it reported an error' }, now);
}
