import type { ConfigKey } from './key.ts';
import { everywhere, withTask } from './places.ts';

/** Who performs the agent's step, with what means and limits. */
export const keysOfAgents: readonly ConfigKey[] = [
  {
    name: 'agent',
    type: { kind: 'agent' },
    places: withTask,
    doc: 'The coding agent by its name (claude, codex, gemini …); or a map: `command`, as agent_command, or `api` for the built-in agent.',
  },
  {
    name: 'agent_command',
    type: { kind: 'command' },
    places: everywhere,
    doc: 'Shell command that performs the agent step: the prompt on its standard input, the work tree as its folder.',
  },
  {
    name: 'model',
    type: { kind: 'name' },
    places: withTask,
    doc: 'The model that the agent uses, in its own words.',
  },
  {
    name: 'models',
    type: { kind: 'lines' },
    places: everywhere,
    doc: 'Models by attempt: the first attempt uses the first, and so on; the last one serves the rest.',
  },
  {
    name: 'fallback',
    type: { kind: 'lines' },
    places: everywhere,
    doc: 'Agents by name that go on while the ones before them are limited by their providers.',
  },
  {
    name: 'permissions',
    type: { kind: 'choice', of: ['bypass', 'configured'] },
    places: everywhere,
    ceiling: true,
    doc: 'Whether an agent that is called by its name may do all that you could without asking (bypass), or what its own configuration allows (configured).',
  },
  {
    name: 'stages',
    type: { kind: 'stages' },
    places: withTask,
    doc: 'Steps of each task, in order: names (implement, review, tests, security, docs, simplify), or maps with `name`; a task names them: `stages: implement, review`.',
  },
  {
    name: 'retry',
    type: { kind: 'choice', of: ['fresh', 'continue'] },
    places: everywhere,
    doc: "Where an attempt begins: at the checkpoint (fresh), or with the rejected attempt's files put back (continue).",
  },
  {
    name: 'stagnation',
    type: { kind: 'count', least: 2, most: 5 },
    places: everywhere,
    doc: 'So many attempts in a row that leave the same files, or are rejected with the same output, end the task (default: 3).',
  },
  {
    name: 'budget',
    type: { kind: 'budget' },
    places: everywhere,
    ceiling: true,
    doc: 'Most USD, or a map: `usd`, `tokens`, `per` (attempt, task, run) and `reached` (finish or cut the attempt); then the run stops, resumable.',
  },
  {
    name: 'env',
    type: { kind: 'env' },
    places: everywhere,
    ceiling: true,
    doc: 'Environment variables that agents and gates get: `allow` and `deny`, names with `*`; `not_secret`: those whose values files may hold.',
  },
  {
    name: 'push',
    type: { kind: 'boolean' },
    places: everywhere,
    ceiling: true,
    doc: 'Agents may push: they keep the SSH agent and the push addresses of remotes.',
  },
  {
    name: 'replay',
    type: { kind: 'boolean' },
    places: everywhere,
    doc: 'Take the recorded result of an equal attempt instead of calling the agent.',
  },
];
