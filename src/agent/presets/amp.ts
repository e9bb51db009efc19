import type { Preset } from '../preset.ts';
import { optional } from './optional.ts';
import { resultReader } from './result-reader.ts';

/** Amp, `amp --execute`. */
export const amp: Preset = {
  name: 'amp',
  programs: ['amp'],
  checked: { how: 'documentation', source: 'https://ampcode.com/manual' },
  command: ({ model, session, permissions }) => ({
    args: [
      ...(session === undefined ? [] : ['threads', 'continue', session]),
      ...['--execute', '--stream-json'],
      ...(permissions === 'bypass' ? amp.permissions.flags : []),
      ...optional('--mode', model),
    ],
    stdin: 'prompt',
  }),
  env: () => ({ AMP_SKIP_UPDATE_CHECK: '1' }),
  permissions: {
    flags: ['--dangerously-allow-all'],
    meaning: 'It edits any file and runs any command that you could, without asking.',
  },
  version: ['--version'],
  signIn: {
    variables: ['AMP_API_KEY'],
    files: ['.local/share/amp/secrets.json'],
    otherwise: 'no',
    how: 'amp login, or set AMP_API_KEY',
  },
  reader: resultReader,
  reports: { tokens: false, usd: false, session: true },
  notes: [
    'It chooses its models itself: `model` is its --mode (smart, rush, deep …).',
    'It reports the tokens of single answers only, and no cost: a budget needs max_time.',
    'It works with its own service alone, which answers for no other model endpoint.',
  ],
};
