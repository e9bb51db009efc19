import { notifyWords } from '../notify-words.ts';
import { mostRounds, severities } from '../stages/severity.ts';
import type { ConfigKey } from './key.ts';

/** Keys inside another key's map. */
export type MapKey = Pick<ConfigKey, 'name' | 'type' | 'doc'>;

export const gateKeys: readonly MapKey[] = [
  {
    name: 'name',
    type: { kind: 'line' },
    doc: 'Its name in reports; without `run`, the gate to use.',
  },
  { name: 'run', type: { kind: 'command' }, doc: 'Shell command; its exit status is the verdict.' },
  { name: 'timeout', type: { kind: 'duration' }, doc: 'Longest time of this gate.' },
  { name: 'only', type: { kind: 'globs' }, doc: 'Skip the gate when no changed path matches.' },
  { name: 'soft', type: { kind: 'boolean' }, doc: 'A rejection is a notice.' },
  {
    name: 'fix',
    type: { kind: 'boolean' },
    doc: 'What it changes becomes part of the checkpoint.',
  },
  {
    name: 'retries',
    type: { kind: 'count', least: 0, most: 10 },
    doc: 'More tries after an error of the gate itself (exit 75).',
  },
];

export const setupKeys: readonly MapKey[] = [
  { name: 'run', type: { kind: 'command' }, doc: 'Shell command.' },
  { name: 'files', type: { kind: 'globs' }, doc: 'It runs again where one of these differs.' },
];

export const shareKeys: readonly MapKey[] = [
  { name: 'path', type: { kind: 'path' }, doc: 'File or folder, from the top of the repository.' },
  {
    name: 'how',
    type: { kind: 'choice', of: ['copy', 'symlink'] },
    doc: 'A copy for each worktree, or a link to the one (copy).',
  },
];

export const notifyKeys: readonly MapKey[] = [
  {
    name: 'command',
    type: { kind: 'command' },
    doc: 'Shell command that gets the JSON on its standard input.',
  },
  {
    name: 'webhook',
    type: { kind: 'webhook' },
    doc: 'Address that the JSON is posted to, or $NAME: the environment variable that holds it.',
  },
  {
    name: 'on',
    type: { kind: 'choices', of: notifyWords },
    doc: 'Of what it is told (all but interrupted).',
  },
];

export const agentKeys: readonly MapKey[] = [
  { name: 'command', type: { kind: 'command' }, doc: 'As agent_command.' },
  {
    name: 'api',
    type: { kind: 'url' },
    doc: 'Base address of an OpenAI-compatible or Anthropic endpoint, for the built-in agent.',
  },
  { name: 'model', type: { kind: 'name' }, doc: 'As `model`.' },
  {
    name: 'protocol',
    type: { kind: 'choice', of: ['openai', 'anthropic'] },
    doc: 'What the endpoint speaks, where its address does not say it.',
  },
  { name: 'key_env', type: { kind: 'line' }, doc: 'Environment variable that holds its key.' },
  {
    name: 'turns',
    type: { kind: 'count', least: 1, most: 10_000 },
    doc: 'Most answers of the model in one attempt (100).',
  },
  { name: 'tokens', type: { kind: 'tokens' }, doc: 'Most tokens of one attempt (4M).' },
];

export const budgetKeys: readonly MapKey[] = [
  { name: 'usd', type: { kind: 'usd' }, doc: 'US dollars, as the agent reports them.' },
  { name: 'tokens', type: { kind: 'tokens' }, doc: 'Tokens, read and written, as 2M or 500k.' },
  {
    name: 'per',
    type: { kind: 'choice', of: ['attempt', 'task', 'run'] },
    doc: 'What it is for (run).',
  },
  {
    name: 'reached',
    type: { kind: 'choice', of: ['finish', 'cut'] },
    doc: 'Whether the attempt that reaches it is finished or cut (finish).',
  },
];

export const envKeys: readonly MapKey[] = [
  { name: 'allow', type: { kind: 'lines' }, doc: 'Only these, and what a shell needs.' },
  { name: 'deny', type: { kind: 'lines' }, doc: 'Not these.' },
  {
    name: 'not_secret',
    type: { kind: 'lines' },
    doc: 'Files may hold the values of these, whatever they look like; output is masked all the same.',
  },
];

export const stageKeys: readonly MapKey[] = [
  { name: 'name', type: { kind: 'name' }, doc: 'Its name in reports and in SKELETON_STAGE.' },
  {
    name: 'prompt',
    type: { kind: 'path' },
    doc: "Path of its prompt's template, from the top of the repository (the shipped one of its name).",
  },
  { name: 'agent', type: { kind: 'line' }, doc: 'The agent by its name.' },
  { name: 'model', type: { kind: 'name' }, doc: 'As `model`.' },
  {
    name: 'attempts',
    type: { kind: 'count', least: 1, most: 5 },
    doc: 'Rejected attempts that it may have (as many as the task, whose count they share).',
  },
  {
    name: 'gates',
    type: { kind: 'gates' },
    doc: 'What judges it where it is not the last one, which all gates of the task judge.',
  },
  {
    name: 'verdict',
    type: { kind: 'boolean' },
    doc: 'It reviews the work, changes nothing, and answers with findings.',
  },
  {
    name: 'block',
    type: { kind: 'choice', of: severities },
    doc: 'Findings as grave as this, or graver, reject (major).',
  },
  {
    name: 'rounds',
    type: { kind: 'count', least: 1, most: mostRounds },
    doc: 'So many rejections by this verdict stage end the task (3).',
  },
];
