import type { ConfigKey } from './keys.ts';

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

export const agentKeys: readonly MapKey[] = [
  { name: 'command', type: { kind: 'command' }, doc: 'As agent_command.' },
];
