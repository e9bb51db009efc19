import type { Config, GateConfig } from '../core/config.ts';
import type { Plan, Task } from '../core/plan/plan.ts';
import { defaultGateTimeout } from '../core/settings.ts';

import { Refusal, type Gate } from '../ports.ts';
import { draftGate, draftScript, type Draft, type DraftedGate, type Ground } from './draft-gate.ts';
import { markOf, readGateFolder, type Look } from './gate-folder.ts';
import { isScript } from './gate-script.ts';
import { uniqueNames } from './unique-names.ts';

/** By path, a word each on what lay there (see `markOf`). */
export type Marks = ReadonlyMap<string, string>;

/** A gate, and what its verdict rests on: the bytes that lay there when it was found. */
export interface Found {
  readonly gate: Gate;
  readonly step: DraftedGate['step'];
  /** Of everything under gates/, since a gate may source any of it. */
  readonly marks: Marks;
  readonly shipped: DraftedGate['shipped'];
}

const defaultRetries = 2;

/**
 * The gates of a task in the order of the contract ("Gates"): those of `gates:`, else the scripts under gates/ by the bytes
 * of their names; then the task's own; of all these, those that may change the tree first. Without a task: the plan's.
 * Throws Refusal(2), all problems at once: no gate, an empty gate file, a name of nothing, bytes that nobody can vouch for.
 */
export async function findGates(
  ground: Omit<Ground, 'looks'> & {
    readonly config: Config;
    /** In place of all others; may be none. */
    readonly only?: readonly (string | GateConfig)[] | undefined;
  },
  plan: Plan,
  task: Task | undefined,
): Promise<readonly Found[]> {
  const { config, only } = ground;
  const looks = await readGateFolder(ground.top);
  const on = { ...ground, looks };
  const gates = accept(
    await (only === undefined
      ? draftsOf(config, task, on)
      : draftsOf({ gates: only }, undefined, on)),
  );
  if (only === undefined && gates.length === 0 && (task !== undefined || !everyTaskHasItsOwn(plan)))
    throw noGate(config, looks);
  const names = uniqueNames(gates.map(({ name }) => name));
  const marks = marksOf(looks);
  const found = gates.map((draft, nth) => ({
    gate: gateOf({ ...draft, name: names[nth] ?? draft.name }, config),
    step: draft.step,
    marks,
    shipped: draft.shipped,
  }));
  return [...found.filter(({ gate }) => gate.fix), ...found.filter(({ gate }) => !gate.fix)];
}

async function draftsOf(
  { gates }: Pick<Config, 'gates'>,
  task: Task | undefined,
  on: Ground,
): Promise<readonly Draft[]> {
  const asked = gates?.map((entry) => draftGate(entry, on)) ?? discover(on);
  const own = (task?.config.gate ?? []).map((entry) => draftGate(entry, on));
  return Promise.all([...asked, ...own]);
}

/** Marks of everything under a work tree's gates/ now. */
export async function readMarks(top: string): Promise<Marks> {
  return marksOf(await readGateFolder(top));
}

function marksOf(looks: ReadonlyMap<string, Look>): Marks {
  return new Map([...looks].map(([path, look]) => [path, markOf(look)]));
}

/** Odd things (a FIFO, a link out of the repository) are not left out in silence: somebody counts on them. */
function discover(on: Ground): readonly Draft[] {
  return [...on.looks]
    .filter(([path, look]) => {
      const isAtHand = /^gates\/[^/_.][^/]*$/.test(path);
      return isAtHand && (look.kind === 'odd' || (look.kind === 'file' && isScript(path, look)));
    })
    .map(([path]) => draftScript(path, {}, on));
}

function accept(drafts: readonly Draft[]): readonly DraftedGate[] {
  const problems = drafts.flatMap((draft) => ('problem' in draft ? [draft.problem] : []));
  if (problems.length > 0) throw new Refusal(2, problems.join('\n'), 'skeleton check');
  return drafts.flatMap((draft) => ('problem' in draft ? [] : [draft]));
}

function everyTaskHasItsOwn(plan: Plan): boolean {
  const pending = plan.tasks.filter(({ state }) => state === 'pending');
  return pending.length > 0 && pending.every((task) => (task.config.gate ?? []).length > 0);
}

function noGate(config: Config, looks: ReadonlyMap<string, Look>): Refusal {
  const folder = looks.get('gates');
  const why = folder?.kind === 'odd' ? `gates is ${folder.what}` : 'gates/ holds no script';
  return new Refusal(
    2,
    `no gate would judge the work: ${config.gates === undefined ? why : '`gates:` is empty'}`,
    'put a script into gates/ that exits 0 on good work, or name a command: gates: ["npm test"]; --no-gates goes without judgement',
  );
}

function gateOf({ name, command, script, settings }: DraftedGate, config: Config): Gate {
  return {
    name,
    command,
    ...(script !== undefined && { script }),
    timeout: settings.timeout ?? config.gateTimeout ?? defaultGateTimeout,
    only: settings.only ?? [],
    soft: settings.soft ?? false,
    fix: settings.fix ?? false,
    retries: settings.retries ?? defaultRetries,
  };
}
