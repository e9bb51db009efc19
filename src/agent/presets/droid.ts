import { textAt, type JsonObject } from '../json-fields.ts';
import type { Preset } from '../preset.ts';
import type { Seen } from '../reading.ts';
import { troubleOf } from '../trouble.ts';
import { optional } from './optional.ts';
import { wordsOnStderr } from './words-on-stderr.ts';

/** Factory's Droid, `droid exec`. */
export const droid: Preset = {
  name: 'droid',
  programs: ['droid'],
  checked: { how: 'documentation', source: 'https://docs.factory.ai/droid-exec/overview' },
  command: ({ model, session, promptFile, permissions }) => ({
    args: [
      ...['exec', '--output-format', 'stream-json'],
      ...(permissions === 'bypass' ? droid.permissions.flags : []),
      ...optional('--model', model),
      ...optional('--session-id', session),
      ...['--file', promptFile],
    ],
    stdin: 'nothing',
  }),
  env: () => ({}),
  permissions: {
    flags: ['--skip-permissions-unsafe'],
    meaning:
      'It edits any file and runs any command that you could, without asking; otherwise it may only read.',
  },
  version: ['--version'],
  signIn: {
    variables: ['FACTORY_API_KEY'],
    files: ['.factory/auth.json', '.factory/auth.encrypted', '.factory/auth.v2.file'],
    otherwise: 'unknown',
    how: 'droid, then /login; or set FACTORY_API_KEY',
  },
  reader: { see, blame: wordsOnStderr },
  reports: { tokens: false, usd: false, session: true },
  notes: [
    'Whether its count of tokens includes cached ones is not documented, so it is not read: a budget needs max_time.',
    'The end of a rate limit is not documented.',
  ],
};

function see(seen: Seen, event: JsonObject, now: Date): Seen {
  const session = textAt(event, 'session_id');
  const known = session === undefined ? seen : { ...seen, session };
  switch (event['type']) {
    case 'message': {
      const text = event['role'] === 'assistant' ? textAt(event, 'text') : undefined;
      return text === undefined ? known : { ...known, text };
    }
    case 'completion': {
      const { omen: _over, ...rest } = known;
      const text = textAt(event, 'finalText');
      return text === undefined ? rest : { ...rest, text };
    }
    case 'error': {
      const message = textAt(event, 'message') ?? textAt(event, 'error', 'message');
      return { ...known, trouble: troubleOf({ message: message ?? 'it reported an error' }, now) };
    }
    default:
      return known;
  }
}
