import type { Preset } from '../preset.ts';
import { optional } from './optional.ts';
import { resultReader } from './result-reader.ts';

/** Cursor's command line, `cursor-agent -p`. */
export const cursorAgent: Preset = {
  name: 'cursor-agent',
  // It also installs itself as `agent`, a name that others use too.
  programs: ['cursor-agent'],
  checked: { how: 'documentation', source: 'https://cursor.com/docs/cli/headless' },
  command: ({ model, session, permissions }) => ({
    args: [
      ...['-p', '--output-format', 'stream-json'],
      ...(permissions === 'bypass' ? cursorAgent.permissions.flags : []),
      ...optional('--model', model),
      ...optional('--resume', session),
    ],
    stdin: 'prompt',
  }),
  env: () => ({}),
  permissions: {
    flags: ['--force'],
    meaning:
      'It edits any file and runs any command that you could, but for what its own deny list or your team forbids, without asking.',
  },
  version: ['--version'],
  signIn: {
    variables: ['CURSOR_API_KEY', 'CURSOR_AUTH_TOKEN'],
    files: ['.config/cursor/auth.json'],
    // Its `status` goes to the network, and its exit status says nothing; elsewhere its token is in the keyring.
    otherwise: 'unknown',
    how: 'cursor-agent login, or set CURSOR_API_KEY',
  },
  reader: resultReader,
  reports: { tokens: false, usd: false, session: true },
  notes: [
    'A failed run prints no result, only a message on standard error.',
    'Its documentation promises neither tokens nor cost: a budget needs max_time.',
  ],
};
