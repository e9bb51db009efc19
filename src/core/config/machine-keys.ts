import type { ConfigKey } from './key.ts';
import { everywhere } from './places.ts';

const why = 'a repository does not choose where history and code go';

/** Where several machines meet (`skeleton run --ledger … --remote …`). */
export const keysOfMachines: readonly ConfigKey[] = [
  {
    name: 'ledger',
    type: { kind: 'ledger' },
    places: ['user'],
    why,
    doc: 'Where the history is that several machines share: postgres://USER@HOST/DATABASE; local: the file in the repository.',
  },
  {
    name: 'remote',
    type: { kind: 'name' },
    places: ['user'],
    why,
    doc: 'The git remote by which code travels between machines that share a ledger.',
  },
  {
    name: 'push_attempts',
    type: { kind: 'boolean' },
    places: everywhere,
    doc: 'Rejected attempts too go to the remote that machines share; they may hold secrets.',
  },
];
