import { numberAt, textAt, type JsonObject } from '../json-fields.ts';
import type { Preset } from '../preset.ts';
import type { Seen, Trouble } from '../reading.ts';
import { troubleOf } from '../trouble.ts';
import { optional } from './optional.ts';
import { wordsOnStderr } from './words-on-stderr.ts';

/** GitHub Copilot CLI. */
export const copilot: Preset = {
  name: 'copilot',
  programs: ['copilot'],
  checked: { how: 'run offline', version: '1.0.102' },
  command: ({ model, session, permissions }) => ({
    args: [
      ...['--output-format', 'json', '--no-ask-user'],
      ...(permissions === 'bypass' ? copilot.permissions.flags : []),
      ...optional('--model', model),
      ...(session === undefined ? [] : [`--resume=${session}`]),
    ],
    stdin: 'prompt',
  }),
  env: () => ({ COPILOT_AUTO_UPDATE: 'false' }),
  permissions: {
    flags: ['--allow-all-tools', '--allow-all-paths'],
    meaning: 'It edits any file and runs any command that you could, without asking.',
  },
  version: ['--version'],
  signIn: {
    variables: [
      ...['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'],
      ...['COPILOT_PROVIDER_API_KEY', 'COPILOT_PROVIDER_BASE_URL'],
    ],
    files: [],
    // It keeps its token in the keyring of the system, and takes that of `gh` too.
    otherwise: 'unknown',
    how: 'copilot login, or set COPILOT_GITHUB_TOKEN',
  },
  reader: { see, blame: wordsOnStderr },
  reports: { tokens: false, usd: false, session: true },
  notes: [
    'It reports no tokens and no cost: a budget needs max_time.',
    'It retries a used-up quota for minutes, telling so in its output.',
    'A refusal is an exit 0 with an answer.',
    'Each new home folder costs 235 MB: it unpacks itself into ~/.cache/copilot.',
  ],
};

function see(seen: Seen, event: JsonObject, now: Date): Seen {
  switch (event['type']) {
    case 'model.call_failure':
      return { ...seen, omen: failureIn(event, now) };
    case 'assistant.message':
      return seeAnswer(seen, event);
    case 'session.error':
      return { ...seen, trouble: troubleIn(event, now) };
    case 'result': {
      const session = textAt(event, 'sessionId');
      return session === undefined ? seen : { ...seen, session };
    }
    default:
      return seen;
  }
}

function failureIn(event: JsonObject, now: Date): Trouble {
  const status = numberAt(event, 'data', 'statusCode');
  const said = textAt(event, 'data', 'errorMessage') ?? '';
  const code = /"code"\s*:\s*"([a-z_]+)"/.exec(said)?.[1];
  const message = /"message"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(said)?.[1] ?? said;
  return troubleOf({ status, code, message }, now);
}

function seeAnswer(seen: Seen, event: JsonObject): Seen {
  const { omen: _over, trouble: _told, ...rest } = seen;
  const text = textAt(event, 'data', 'content');
  return text === undefined ? rest : { ...rest, text };
}

function troubleIn(event: JsonObject, now: Date): Trouble {
  const type = textAt(event, 'data', 'errorType');
  const status = numberAt(event, 'data', 'statusCode');
  const message = textAt(event, 'data', 'message') ?? type ?? 'it reported an error';
  return troubleOf({ status, code: type, message }, now);
}
