import type { Preset } from '../preset.ts';
import { optional } from './optional.ts';
import { wordsOnStderr } from './words-on-stderr.ts';

/** Kiro's command line, `kiro-cli chat`. */
export const kiro: Preset = {
  name: 'kiro',
  // `kiro` alone starts the editor.
  programs: ['kiro-cli'],
  checked: { how: 'documentation', source: 'https://kiro.dev/docs/cli/headless' },
  command: ({ model, permissions }) => ({
    args: [
      ...['chat', '--no-interactive'],
      ...(permissions === 'bypass' ? kiro.permissions.flags : []),
      ...optional('--model', model),
    ],
    stdin: 'prompt',
  }),
  env: () => ({}),
  permissions: {
    flags: ['--trust-all-tools'],
    meaning: 'It edits any file and runs any command that you could, without asking.',
  },
  version: ['--version'],
  signIn: {
    variables: ['KIRO_API_KEY'],
    files: [],
    // `kiro-cli whoami` asks the network, and does not promise what it answers without.
    otherwise: 'unknown',
    how: 'kiro-cli login, or set KIRO_API_KEY',
  },
  reader: { see: (seen) => seen, blame: wordsOnStderr, isText: true },
  reports: { tokens: false, usd: false, session: false },
  notes: [
    'Its output is text, and exit 1 stands for every failure: a limit cannot be told from an error, but for its message on standard error.',
    'It reports neither tokens nor cost: a budget needs max_time.',
  ],
};
