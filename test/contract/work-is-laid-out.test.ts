import { chmodSync, existsSync, readlinkSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Snapshot } from '../../src/core/events.ts';
import { openWorkspace } from '../../src/git/workspace.ts';
import type { Workspace } from '../../src/ports.ts';
import {
  allFiles,
  anAttempt,
  makeFurnishedLab,
  planTicked,
  someRules,
} from '../support/git-lab.ts';
import type { Lab } from '../support/git-lab.ts';

let lab: Lab;
let workspace: Workspace;
beforeEach(async () => {
  lab = makeFurnishedLab();
  workspace = await openWorkspace({ cwd: lab.top });
});
afterEach(() => {
  lab.remove();
});

describe('what an earlier attempt had left', () => {
  const next = { ...anAttempt, number: 2 };

  /** Rejected after a gate has left a file; gives the tree that the gate was given. */
  async function leave(): Promise<{ tree: string; snapshot: Snapshot }> {
    await workspace.begin(anAttempt, someRules());
    lab.write('made.sh', '#!/bin/sh\n');
    chmodSync(lab.path('made.sh'), 0o755);
    symlinkSync('made.sh', lab.path('new-link'));
    rmSync(lab.path('src/deep/b.txt'));
    const seen = await workspace.inspect(anAttempt, someRules());
    if (seen.kind !== 'candidate') throw new Error(JSON.stringify(seen));
    lab.write('of-a-gate', 'x');
    const { snapshot } = await workspace.rollBack(anAttempt);
    await workspace.end(anAttempt);
    return { tree: seen.tree, snapshot };
  }

  test('is laid out as it was, without the tick, and judged as the same tree', async () => {
    const { tree, snapshot } = await leave();
    const before = allFiles(lab);
    await workspace.begin(next, someRules());
    expect(await workspace.layOut(next, { tree, snapshot })).toEqual([]);
    expect(lab.read('PLAN.md')).not.toBe(planTicked);
    const lies = ['made.sh', 'new-link', 'src/deep/b.txt', 'of-a-gate'].map((path) =>
      existsSync(lab.path(path)),
    );
    expect(lies).toEqual([true, true, false, false]);
    expect(statSync(lab.path('made.sh')).mode & 0o111).toBe(0o111);
    expect(readlinkSync(lab.path('new-link'))).toBe('made.sh');
    expect(await workspace.inspect(next, someRules())).toMatchObject({ kind: 'candidate', tree });
    await workspace.rollBack(next);
    expect(allFiles(lab)).toEqual(before);
  });

  test('goes over the files of a rejected attempt that lie there already', async () => {
    const { tree, snapshot } = await leave();
    await workspace.begin(next, someRules());
    expect(await workspace.reapply(next, snapshot)).toBe(true);
    expect(await workspace.layOut(next, { tree, over: snapshot })).toEqual([]);
    expect(await workspace.inspect(next, someRules())).toMatchObject({ kind: 'candidate', tree });
  });

  test('is not there where git has pruned it, and nothing is touched then', async () => {
    await leave();
    await workspace.begin(next, someRules());
    const before = lab.git('status', '--porcelain');
    const tree = '0123456789'.repeat(4);
    expect(await workspace.layOut(next, { tree })).toBeUndefined();
    expect(lab.git('status', '--porcelain')).toBe(before);
  });
});
