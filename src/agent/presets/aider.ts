import type { Preset } from '../preset.ts';
import { optional } from './optional.ts';
import { wordsOnStderr } from './words-on-stderr.ts';

/** aider, with `--message-file`. */
export const aider: Preset = {
  name: 'aider',
  programs: ['aider'],
  checked: { how: 'documentation', source: 'https://aider.chat/docs/scripting.html' },
  command: ({ model, promptFile, permissions }) => ({
    args: [
      ...['--message-file', promptFile],
      ...['--no-pretty', '--no-stream', '--no-check-update', '--no-show-release-notes'],
      // It would write to .gitignore, commit what it found there, and keep a history in the work tree.
      ...['--no-gitignore', '--no-dirty-commits', '--no-auto-commits'],
      ...['--input-history-file', '/dev/null', '--chat-history-file', '/dev/null'],
      ...(permissions === 'bypass' ? aider.permissions.flags : []),
      ...optional('--model', model),
    ],
    stdin: 'nothing',
  }),
  env: () => ({ AIDER_ANALYTICS: 'false' }),
  permissions: {
    flags: ['--yes-always'],
    meaning:
      'It edits any file of the repository without asking; commands that its model suggests it does not run.',
  },
  version: ['--version'],
  signIn: {
    variables: ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'OPENROUTER_API_KEY', 'GEMINI_API_KEY'],
    files: [],
    // A key may also be in a .env file, its configuration, or not be needed by a local model.
    otherwise: 'unknown',
    how: 'set the API key of its model, such as OPENAI_API_KEY or ANTHROPIC_API_KEY',
  },
  reader: { see: (seen) => seen, blame: wordsOnStderr, isText: true },
  reports: { tokens: false, usd: false, session: false },
  notes: [
    'Its output is text: a limit, a missing key and a refusal cannot be told from an answer, and it ends with exit 0 after them; the gates judge.',
    'It runs no commands and finds its files by name: name them in the task.',
    'It reports tokens and cost in words only, which are not read: a budget needs max_time.',
  ],
};
