import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWorkspace } from '../../../src/git/workspace.ts';
import type { Workspace } from '../../../src/ports.ts';
import {
  anAttempt,
  makeFurnishedLab,
  planBefore,
  planTicked,
  someRules,
} from '../../support/git-lab.ts';
import type { Lab } from '../../support/git-lab.ts';

let lab: Lab;
let workspace: Workspace;
let log: string;

/** A `git` in front of git that notes each call. */
beforeEach(async () => {
  lab = makeFurnishedLab();
  const bin = join(lab.top, '..', 'bin');
  log = join(lab.top, '..', 'calls');
  mkdirSync(bin);
  const path = process.env['PATH'] ?? '';
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh\nfor a; do case $a in -c|*=*|*.*) ;; *) echo "$a" >> '${log}'; break;; esac; done\nPATH='${path}' exec git "$@"\n`,
  );
  chmodSync(join(bin, 'git'), 0o755);
  workspace = await openWorkspace({
    cwd: lab.top,
    env: { ...process.env, PATH: `${bin}:${path}` },
  });
  await workspace.assertReady();
});
afterEach(() => {
  lab.remove();
});

function calls(): readonly string[] {
  const noted = readFileSync(log, 'utf8').trim().split('\n');
  rmSync(log);
  return noted;
}

const planWith = (text: string) => ({ ...someRules().plan, before: Buffer.from(text) });

async function pass(number: number): Promise<void> {
  const rules = someRules(
    number === 1
      ? {}
      : { plan: { ...planWith(planTicked), ticked: Buffer.from(`${planTicked}\n`) } },
  );
  const attempt = { ...anAttempt, number };
  const base = await workspace.begin(attempt, rules);
  lab.write(`new-${number}`, 'n\n');
  lab.write('README.md', `${number}\n`);
  const seen = await workspace.inspect(attempt, rules);
  if (seen.kind !== 'candidate') throw new Error(JSON.stringify(seen));
  await workspace.settle(attempt, seen.tree);
  const message = { subject: 'One', body: '', trailers: [] };
  const commit = await workspace.commitObject(seen.tree, base, message);
  const proofObject = await workspace.proofObject(commit, 'p', '{}');
  const tag = `refs/tags/skeleton/plan/000${number}-one`;
  const proof = `refs/skeleton/proof/plan/000${number}`;
  await workspace.checkpoint(attempt, { commit, base, tag, proof, proofObject });
}

test('a passed attempt costs six calls of git', async () => {
  await pass(1);
  calls();
  await pass(2);
  expect(calls()).toEqual([
    'status',
    'status',
    'update-index',
    'write-tree',
    'status',
    'update-ref',
  ]);
});

test('a rejected attempt costs eleven', async () => {
  for (const number of [1, 2]) {
    calls();
    const attempt = { ...anAttempt, number };
    await workspace.begin(attempt, someRules());
    lab.write('new', 'n\n');
    lab.write('README.md', `${number}\n`);
    await workspace.inspect(attempt, someRules());
    await workspace.rollBack(attempt);
  }
  expect(lab.read('PLAN.md')).toBe(planBefore);
  expect(calls()).toEqual([
    'status',
    ...['status', 'update-index', 'write-tree'],
    ...['status', 'update-index', 'write-tree', 'diff-tree', 'update-ref', 'read-tree', 'status'],
  ]);
});
