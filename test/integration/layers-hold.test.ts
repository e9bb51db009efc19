import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Files, plantTree } from '../support/planted-tree.ts';

interface Cruise {
  readonly summary: {
    readonly violations: readonly { readonly from: string; readonly rule: { name: string } }[];
    readonly ruleSetUsed: { readonly forbidden: readonly { readonly name: string }[] };
  };
}

interface Findings {
  /** `RULE: FILE` */
  readonly found: readonly string[];
  /** Every rule there is. */
  readonly rules: readonly string[];
}

/** Every room, wired as the architecture has it. */
const clean: Files = {
  'cli/main.ts': `import { program } from './program.ts'; void program();`,
  'cli/program.ts': `import { Command } from 'commander';
    export const program = async () => [Command, await import('./commands/run.ts')];`,
  'cli/commands/run.ts': `import { compose } from '../../src/compose.ts'; import { run as use } from '../../src/index.ts';
    import { terminal } from '../../src/report/terminal.ts';
    export const run = () => terminal([compose, use]);`,
  'src/index.ts': `export { run } from './app/run.ts'; export type { Event } from './core/machine.ts';`,
  'src/app/run.ts': `import { compose } from '../compose.ts'; import { runPlan } from '../run/run-plan.ts';
    import type { Ledger } from '../ports.ts'; export const run = (l: Ledger) => [compose, runPlan(l)];`,
  'src/compose.ts': `import { agent } from './agent/command-agent.ts'; import { gate } from './gate/shell-gates.ts';
    import { git } from './git/workspace.ts'; import { notifier } from './notify/command-notifier.ts';
    export { ledger } from './compose/ledger-doors.ts'; export { forge } from './compose/outward.ts';
    export const compose = () => ({ agent, gate, git, notifier });`,
  'src/compose/ledger-doors.ts': `export { ledger } from '../ledger/sqlite-ledger.ts';`,
  'src/compose/outward.ts': `import { forge as ours } from '../forge/forge.ts'; export const forge = ours;`,
  'src/ports.ts': `import type { Event } from './core/machine.ts'; export type Ledger = Event[];`,
  'src/ports/forge.ts': `import type { Event } from '../core/machine.ts'; export type Forge = Event | unknown[];`,
  'src/core/machine.ts': `import { plan } from './plan/plan.ts'; export type Event = typeof plan;`,
  'src/core/plan/plan.ts': `import matter from 'gray-matter'; export const plan = matter;`,
  'src/run/run-plan.ts': `import type { Ledger } from '../ports.ts'; import type { Event } from '../core/machine.ts';
    export const runPlan = (ledger: Ledger): Event | undefined => ledger[0];`,
  'src/exec/command.ts': `import { execa } from 'execa'; import { spawn } from 'node:child_process';
    export const command = [execa, spawn];`,
  'src/git/workspace.ts': `import { simpleGit } from 'simple-git'; import { command } from '../exec/command.ts';
    export const git = [simpleGit, command];`,
  'src/ledger/sqlite-ledger.ts': `import sqlite from '@photostructure/sqlite'; export const ledger = sqlite;`,
  'src/agent/command-agent.ts': `export { command as agent } from '../exec/command.ts';`,
  'src/gate/shell-gates.ts': `export { command as gate } from '../exec/command.ts';`,
  'src/forge/forge.ts': `import type { Forge } from '../ports/forge.ts'; import { command } from '../exec/command.ts';
    export const forge = (): Forge => command;`,
  'src/notify/command-notifier.ts': `export { command as notifier } from '../exec/command.ts';`,
  'src/report/terminal.ts': `import type { Event } from '../core/machine.ts';
    export const terminal = (event: unknown) => event as Event;`,
  'test/unit/plan.test.ts': `import { plan } from '../../src/core/plan/plan.ts'; void plan;`,
};

/** A file with one line that does not belong there, and the rule that has to say so. */
const planted: readonly (readonly [rule: string, file: string, line: string])[] = [
  ['cli-uses-few-doors', 'cli/a.ts', `import '../src/git/workspace.ts';`],
  ['cli-uses-few-doors', 'cli/commands/b.ts', `import '../../src/run/run-plan.ts';`],
  ['cli-uses-few-doors', 'cli/bb.ts', `import '../src/compose/outward.ts';`],
  ['commands-load-on-demand', 'cli/c.ts', `import './commands/run.ts';`],
  ['app-strings-rooms-together', 'src/app/c.ts', `import '../report/terminal.ts';`],
  ['only-index-offers-app', 'src/run/c.ts', `import '../app/run.ts';`],
  ['only-compose-builds-adapters', 'src/app/d.ts', `import '../git/workspace.ts';`],
  ['only-compose-builds-adapters', 'src/d.ts', `import './ledger/sqlite-ledger.ts';`],
  ['only-compose-builds-adapters', 'cli/e.ts', `import '../src/agent/command-agent.ts';`],
  ['only-compose-builds-adapters', 'src/app/ee.ts', `import '../forge/forge.ts';`],
  ['app-strings-rooms-together', 'src/app/ef.ts', `import '../compose/outward.ts';`],
  ['only-index-offers-app', 'src/compose/eg.ts', `import '../app/run.ts';`],
  ['src-never-imports-cli', 'src/compose/eh.ts', `import '../../cli/program.ts';`],
  ['core-knows-only-core', 'src/core/f.ts', `import type { Ledger } from '../ports.ts';`],
  ['core-knows-only-core', 'src/core/g.ts', `import '../exec/command.ts';`],
  ['pure-rooms-use-no-node', 'src/core/h.ts', `import 'node:fs';`],
  ['pure-rooms-use-no-node', 'src/report/i.ts', `import 'path';`],
  ['pure-rooms-use-no-node', 'src/core/j.ts', `process.getBuiltinModule('node:fs');`],
  ['run-knows-core-and-ports', 'src/run/k.ts', `import type { git } from '../git/workspace.ts';`],
  ['run-knows-core-and-ports', 'src/run/l.ts', `import 'node:timers';`],
  ['run-knows-core-and-ports', 'src/run/m.ts', `import 'picomatch';`],
  ['report-knows-only-core', 'src/report/n.ts', `import '../ports.ts';`],
  ['adapters-know-no-sibling', 'src/gate/o.ts', `import '../git/workspace.ts';`],
  [
    'adapters-know-no-sibling',
    'src/git/p.ts',
    `import type { runPlan } from '../run/run-plan.ts';`,
  ],
  ['adapters-know-no-sibling', 'src/notify/q.ts', `import '../report/terminal.ts';`],
  ['adapters-know-no-sibling', 'src/forge/qf.ts', `import '../git/workspace.ts';`],
  ['adapters-know-no-sibling', 'src/git/qg.ts', `import '../forge/forge.ts';`],
  ['adapters-know-no-sibling', 'src/forge/qh.ts', `import '../compose/outward.ts';`],
  ['run-knows-core-and-ports', 'src/run/qi.ts', `import '../forge/forge.ts';`],
  ['run-knows-core-and-ports', 'src/run/qj.ts', `import '../compose/outward.ts';`],
  ['ports-know-only-core', 'src/ports/qk.ts', `import type { forge } from '../forge/forge.ts';`],
  ['exec-knows-core-and-ports', 'src/exec/r.ts', `import '../git/workspace.ts';`],
  ['adapters-know-no-sibling', 'src/drill/qq.ts', `import '../git/workspace.ts';`],
  ['src-never-imports-cli', 'src/agent/s.ts', `import '../../cli/program.ts';`],
  ['product-never-imports-test', 'src/gate/t.ts', `import '../../test/unit/plan.test.ts';`],
  ['home-of-@photostructure/sqlite', 'src/run/u.ts', `import '@photostructure/sqlite';`],
  ['home-of-@ai-sdk', 'src/agent/uu.ts', `import '@ai-sdk/anthropic';`],
  ['home-of-ai', 'src/run/vv.ts', `import type { Tool } from 'ai';`],
  ['home-of-zod', 'src/core/zz.ts', `import 'zod';`],
  ['home-of-commander', 'src/agent/v.ts', `import type { Command } from 'commander';`],
  ['home-of-execa', 'src/git/w.ts', `import 'execa';`],
  ['home-of-gray-matter', 'src/core/x.ts', `import 'gray-matter';`],
  ['home-of-js-yaml', 'src/core/config/y.ts', `import 'js-yaml';`],
  ['home-of-markdown-it', 'src/report/y.ts', `import 'markdown-it';`],
  ['home-of-pg', 'src/ledger/zz.ts', `import 'pg';`],
  ['home-of-picomatch', 'src/gate/z.ts', `import 'picomatch';`],
  ['home-of-simple-git', 'src/ledger/aa.ts', `await import('simple-git');`],
  ['home-of-node-child_process', 'src/git/bb.ts', `import { spawn } from 'node:child_process';`],
  ['home-of-node-child_process', 'cli/cc.ts', `import 'child_process';`],
  ['home-of-node-cluster', 'src/run/dd.ts', `import 'node:cluster';`],
  ['home-of-node-sqlite', 'src/git/ee.ts', `process.getBuiltinModule('node:sqlite');`],
  ['every-package-has-a-home', 'src/agent/ff.ts', `import 'yaml';`],
  ['every-package-has-a-home', 'cli/gg.ts', `import 'vitest';`],
  ['no-cycles', 'src/core/hh.ts', `import './hhh.ts';`],
  ['no-orphans', 'src/core/ii.ts', `export const nobodyAsks = 1;`],
  ['no-unresolvable', 'src/core/jj.ts', `import './gone.ts';`],
  ['no-junk-drawers', 'src/core/kk.ts', `import './utils.ts';`],
];

/** What some of the planted lines need beside them. */
const besides: Files = {
  'src/core/hhh.ts': `import type {} from './hh.ts';`,
  'src/core/utils.ts': `import './machine.ts';`,
};

describe('the layer rules', () => {
  const withPlanted = {
    ...clean,
    ...besides,
    ...Object.fromEntries(planted.map(([, file, line]) => [file, `${line}\n`])),
  };
  let caught: Findings;
  beforeAll(() => {
    caught = violations(withPlanted);
  });

  test('let a tree pass that keeps them', () => {
    expect(violations(clean).found).toEqual([]);
  });

  test.each(planted)('%s: %s', (rule, file) => {
    expect(caught.found).toContain(`${rule}: ${file}`);
  });

  test('are each shown to bite', () => {
    const shown = new Set(planted.map(([rule]) => rule));
    expect(shown).toEqual(new Set(caught.rules));
  });

  test('keep the ports free of what they hide', () => {
    const ports = `import type { git } from './git/workspace.ts'; export type Ledger = typeof git;`;
    const { found } = violations({ ...clean, 'src/ports.ts': ports });
    expect(found).toContain('ports-know-only-core: src/ports.ts');
  });
});

function violations(files: Files): Findings {
  const tree = plantTree(files);
  const cruiser = resolve('node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const options = ['--config', '.dependency-cruiser.mjs', '--output-type', 'json'];
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [cruiser, ...options, 'cli', 'src', 'test'],
    { cwd: tree.top, encoding: 'utf8' },
  );
  tree.remove();
  if (stdout === '') throw new Error(`dependency-cruiser gave no result: ${stderr}`);
  const { summary } = JSON.parse(stdout) as Cruise;
  return {
    found: summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`),
    rules: summary.ruleSetUsed.forbidden.map(({ name }) => name),
  };
}
