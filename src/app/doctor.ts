import {
  assertTemporary,
  clock,
  openHouse,
  readTools,
  type Environment,
  type House,
} from '../compose.ts';
import { isAtLeast, type DoctorLine, type DoctorSection } from '../core/doctor.ts';
import type { OwnKind, OwnThing } from '../core/own-things.ts';
import { isRef } from '../core/own-things.ts';
import { shortRef } from '../core/refs.ts';
import { spellBytes } from '../core/size.ts';
import { Refusal, type Pruner } from '../ports.ts';
import { agentsSection } from './doctor-agents.ts';
import { machinesSection } from './doctor-machines.ts';
import { underWay } from './gc-facts.ts';
import { findOld, readThings, refsAmong } from './gc-things.ts';

export interface DoctorOptions {
  /** Absolute. */
  readonly cwd: string;
  readonly env: Environment;
  /** The git remote that a run would be given; the user's own file says it unless given. */
  readonly remote?: string;
  /** ISO 8601; the clock's unless given. */
  readonly now?: string;
}

/** Milliseconds for the weight of all refs: it is good to know, no more. */
const WEIGHING = 5000;

/** What a check of a repository gets. */
interface Ward {
  readonly house: House;
  readonly pruner: Pruner;
  readonly things: readonly OwnThing[];
  readonly now: string;
}

type Check = (ward: Ward) => Promise<DoctorSection> | DoctorSection;

/** In the order in which they are told; one more matter is one more check. */
const checks: readonly Check[] = [repository, weights, old, leavings];

/** Looks, takes no lock and changes nothing. What it cannot find out is a line too. */
export async function doctor(options: DoctorOptions): Promise<readonly DoctorSection[]> {
  const { cwd, env, now = clock.now() } = options;
  const sections = [await programs(cwd, env)];
  try {
    const house = await openHouse(cwd, env);
    sections.push(await agentsSection(cwd, env, house));
    sections.push(await machinesSection(house, options));
    const pruner = await house.pruner();
    const ward = { house, pruner, things: await readThings(pruner), now };
    for (const check of checks) sections.push(await explained(check, ward));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (sections.length === 1) sections.push(await agentsSection(cwd, env));
    const state = error.status === 2 ? 'problem' : 'notice';
    sections.push({ title: 'repository', lines: [{ state, text: wordsOf(error) }] });
  }
  return sections;
}

async function explained(check: Check, ward: Ward): Promise<DoctorSection> {
  try {
    return await check(ward);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { title: check.name, lines: [{ state: 'problem', text: wordsOf(error) }] };
  }
}

function wordsOf({ message, mend }: Refusal): string {
  return mend === '' ? message : `${message}: ${mend.split('\n')[0] ?? ''}`;
}

async function programs(cwd: string, env: Environment): Promise<DoctorSection> {
  const { git, node, sqlite } = await readTools(cwd, env);
  return {
    title: 'programs',
    lines: [
      toolLine('git', git, [2, 30]),
      toolLine('node', node, [20, 19]),
      sqlite === undefined
        ? { state: 'problem', text: 'no SQLite for the ledger: install skeleton again' }
        : { state: 'ok', text: `sqlite: ${sqlite}`, data: { name: 'sqlite', version: sqlite } },
      ...temporary(),
    ],
  };
}

/** Every step needs it; where all is well, there is nothing to say. */
function temporary(): readonly DoctorLine[] {
  try {
    assertTemporary();
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [{ state: 'problem', text: wordsOf(error), data: { name: 'temporary folder' } }];
  }
}

function toolLine(
  name: string,
  version: string | undefined,
  wanted: readonly number[],
): DoctorLine {
  if (version === undefined)
    return { state: 'problem', text: `${name} is not installed`, data: { name, version: null } };
  const data = { name, version };
  if (isAtLeast(version, wanted)) return { state: 'ok', text: `${name} ${version}`, data };
  const text = `${name} ${version} is too old: ${wanted.join('.')} or newer is needed`;
  return { state: 'problem', text, data };
}

function repository({ house: { facts }, pruner }: Ward): DoctorSection {
  const linked = pruner.worktrees().length - 1;
  const { top, branch, head } = facts;
  const where =
    branch === undefined ? 'HEAD is detached: a run needs --branch or --isolate' : shortRef(branch);
  return {
    title: 'repository',
    lines: [
      { state: 'ok', text: `work tree ${top}`, data: { top, worktrees: linked + 1 } },
      { state: branch === undefined ? 'notice' : 'ok', text: `branch: ${where}` },
      head === undefined
        ? { state: 'problem', text: 'no commit yet: git commit what is there' }
        : { state: 'ok', text: `HEAD: ${head.slice(0, 10)}`, data: { head } },
      ...(linked > 0
        ? [{ state: 'ok', text: `${linked} linked worktree${linked === 1 ? '' : 's'}` } as const]
        : []),
    ],
  };
}

async function weights({ pruner, things, house }: Ward): Promise<DoctorSection> {
  const files = things.filter((thing) => !isRef(thing));
  const refs = refsAmong(things);
  const held = await pruner.weighTogether(refs, WEIGHING);
  const groups = [
    ['logs', files.filter(({ kind }) => kind === 'logs')],
    ['quarantine', files.filter(({ kind }) => kind === 'quarantine')],
    ['ledger', files.filter(({ name }) => /^ledger\.db(?:-|$)/.test(name))],
  ] as const;
  const rows = groups.map(([name, some]) => weightLine(name, some));
  const objects = held === undefined ? 'not measured' : spellBytes(held);
  return {
    title: 'disk',
    lines: [
      weightLine(house.stateFolder, files, 'state folder'),
      ...rows,
      {
        state: 'ok',
        text: `refs: ${countsOf(refs) || 'none'}; objects that only they hold: ${objects}`,
        data: { name: 'refs', count: refs.length, bytes: held ?? null },
      },
    ],
  };
}

function weightLine(what: string, things: readonly OwnThing[], name = what): DoctorLine {
  const bytes = sumOf(things);
  return {
    state: 'ok',
    text: `${what}: ${spellBytes(bytes)}`,
    data: { name, count: things.length, bytes },
  };
}

function sumOf(things: readonly OwnThing[]): number {
  return things.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
}

function countsOf(refs: readonly OwnThing[]): string {
  const counts = new Map<OwnKind, number>();
  for (const { kind } of refs) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
}

async function old({ house, pruner, now }: Ward): Promise<DoctorSection> {
  const things = await findOld(house, pruner, { now });
  const bytes = sumOf(things.filter((thing) => !isRef(thing)));
  const refs = things.filter(isRef).length;
  const data = { name: 'old', count: things.length, refs, bytes };
  const lines: readonly DoctorLine[] =
    things.length === 0
      ? [{ state: 'ok', text: 'nothing that skeleton gc would take', data }]
      : [
          {
            state: 'notice',
            text: `${things.length} old things, ${refs} of them refs: skeleton gc frees ${spellBytes(bytes)}`,
            data,
          },
        ];
  return { title: 'old', lines };
}

async function leavings({ house, pruner, things }: Ward): Promise<DoctorSection> {
  const trees = pruner.worktrees();
  const used = await underWay(house, pruner);
  const lines: DoctorLine[] = [
    ...trees
      .filter(({ isGone }) => isGone)
      .map(({ folder }) => ({
        state: 'notice' as const,
        text: `the worktree ${folder} is gone, its entry is not: git worktree prune`,
      })),
    ...trees
      .filter(({ id }) => used.has(id))
      .map(({ folder }) => ({
        state: 'notice' as const,
        text: `an attempt is under way in ${folder}, or was when its run died: skeleton status`,
      })),
    ...things.flatMap((thing) => leavingLine(thing, used)),
  ];
  if (lines.length === 0) lines.push({ state: 'ok', text: 'nothing damaged, nothing left behind' });
  return { title: 'leavings', lines };
}

function leavingLine(
  { kind, name, worktree = '' }: OwnThing,
  used: ReadonlySet<string>,
): DoctorLine[] {
  const notice = (text: string): DoctorLine[] => [{ state: 'notice', text, data: { kind, name } }];
  if (kind === 'anchor' && !used.has(worktree))
    return notice(
      `${name} holds all refs, and no attempt is under way: skeleton gc takes it in time`,
    );
  if (kind === 'damaged-ledger')
    return notice(`${name} was damaged and is kept beside its successor`);
  if (kind === 'trash') return notice(`${name} was left by a gc that was ended: skeleton gc`);
  if (kind === 'autostash')
    return notice(`work of yours is set aside at ${name}: git stash apply ${name}`);
  return [];
}
