import { expect, test } from 'vitest';
import { openTeam } from '../../../src/app/open-team.ts';
import type { Remote, Workspace } from '../../../src/ports.ts';

const plan = new TextEncoder().encode('# Plan\n\n- [x] Make a {#a}\n- [ ] Make b {#b}\n');

test('a plan that has not moved on the branch is not read anew, however often it is looked at', async () => {
  const read: string[] = [];
  let tip = 'c1';
  const readAt: Workspace['readAt'] = async (commit) => {
    read.push(commit);
    return plan;
  };
  const fetch: Remote['fetch'] = async () => tip;
  const parts = {
    base: {
      ...{ slug: 'plan', planPath: 'PLAN.md', workspace: { readAt } },
      keeper: { contains: async () => true },
      house: { checkpoints: async () => ({}) },
    },
    ...{ work: { reading: { bytes: plan, config: {} } }, session: {}, claims: {} },
    ...{ remote: { name: 'origin', fetch }, branch: 'refs/heads/skeleton/plan', owner: 'us' },
  };
  const { look } = openTeam(parts as unknown as Parameters<typeof openTeam>[0]);
  expect([...(await look()).done]).toEqual(['a']);
  await look();
  tip = 'c2';
  expect((await look()).commit).toBe('c2');
  await look();
  expect(read).toEqual(['c1', 'c2']);
});
