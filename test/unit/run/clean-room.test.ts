import { expect, test } from 'vitest';
import type { Config } from '../../../src/core/config.ts';
import type { Gates, LinkedTree } from '../../../src/ports.ts';
import { openCleanRoom } from '../../../src/run/clean-room.ts';
import { aPlan, aTask } from '../../support/plans.ts';

test("the setup's command gets what `env:` lets through, as the gates do", async () => {
  const seen: Config[] = [];
  const gates: Gates = {
    find: () => Promise.resolve([]),
    hash: () => Promise.resolve(''),
    run: () => Promise.resolve({ results: [], verdict: 'ungated' }),
  };
  const linked: LinkedTree = {
    top: '/linked',
    layOut: () => Promise.resolve(),
    extras: () => Promise.resolve([]),
    changed: () => Promise.resolve([]),
    remove: () => Promise.resolve(),
  };
  const room = openCleanRoom({
    worktrees: {
      add: () => Promise.resolve(linked),
      mix: () => Promise.resolve('tree'),
      sweep: () => [],
    },
    checkpoints: { files: () => Promise.resolve(new Map()) },
    gatesIn: (config) => {
      seen.push(config);
      return Promise.resolve(gates);
    },
  });
  const env = { deny: ['SECRET'] };
  await room.judge({
    ...{ tree: 'tree', head: 'head', run: 'r', token: 't', logFolder: '/logs', changed: [] },
    ...{ plan: aPlan([aTask('one')]), task: undefined, attempt: undefined, failFast: false },
    config: { setup: { run: 'npm ci' }, env },
    fixes: false,
    signal: new AbortController().signal,
    onResult: () => Promise.resolve(),
    onStart: () => undefined,
  });
  expect(seen[0]).toMatchObject({ gates: [{ name: 'setup', run: 'npm ci' }], env });
});
