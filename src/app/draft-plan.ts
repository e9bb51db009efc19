import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  assertTemporary,
  clock,
  deadlineAfter,
  inScratchFolder,
  openHouse,
  openPlanFile,
  planPathIn,
  stoppingWith,
  type Environment,
  type House,
} from '../compose.ts';
import { unmeasured } from '../core/budget.ts';
import type { Config } from '../core/config.ts';
import type { Plan } from '../core/plan/plan.ts';
import { settingsOf } from '../core/settings.ts';
import { shellWord } from '../core/shell-word.ts';
import { oneLine } from '../core/text.ts';
import { Interrupted, Refusal, type Scribe } from '../ports.ts';
import { draftInRounds, type DraftRound, type Drafted } from './draft-rounds.ts';
import { isPlanHeld } from './plan-holder.ts';
import { readDocument } from './read-document.ts';
import { problemLine, readPlan } from './read-plan.ts';
import { pictureOf, spellChanges } from './tree-picture.ts';

export interface DraftOptions {
  /** Absolute. */
  readonly cwd: string;
  readonly env: Environment;
  readonly planPath?: string;
  /** DOC as it was typed. */
  readonly document: string;
  /** Flags as a layer of configuration; they win. */
  readonly flags: Config;
  readonly signal: AbortSignal;
  readonly onRound: (round: { readonly number: number; readonly agent: string }) => void;
  readonly onRoundEnd: (round: DraftRound) => void;
  readonly onAgentOutput?: (chunk: Uint8Array) => void;
}

export interface DraftResult {
  readonly drafted: Drafted;
  /** Relative to the top. */
  readonly path: string;
  /** How the plan that is there would change; undefined where there is none. */
  readonly diff: string | undefined;
  /** What the agent changed in the work tree, for people; '' where that is nothing. */
  readonly touched: string;
  /** Writes the plan. Throws Refusal(3), with nothing touched, where somebody has changed it meanwhile, or a run goes on. */
  readonly write: () => Promise<void>;
}

/**
 * Lets the configured agent draft a plan from a document (docs/plan-drafting.md), outside of the repository, and checks it with our
 * own parser; nothing is written yet. Throws Refusal: 2 for the document, the configuration or an agent that is not known, 3 where
 * the plan has uncommitted changes, a run goes on or the agent is not ready; and Interrupted.
 */
export async function draftPlan(options: DraftOptions): Promise<DraftResult> {
  return stoppingWith(options.signal, async () => {
    const house = await openHouse(options.cwd, options.env);
    try {
      return await draftIn(house, options);
    } finally {
      await house.close();
    }
  });
}

async function draftIn(house: House, options: DraftOptions): Promise<DraftResult> {
  const { cwd, env, signal } = options;
  const document = await readDocument(options.document, cwd, signal);
  const path = planPathIn(house.facts.top, cwd, options.planPath);
  const there = await planThere(house, path);
  await refuseHeld(house, path);
  const { config, before } = await configFor(house, path, options);
  assertTemporary(3);
  const scribe = await house.scribe(config, options.onAgentOutput);
  refuseUnmeasured(scribe, config);
  await scribe.assertReady();
  const picture = await pictureOf(cwd, env);
  const run = clock.id();
  const drafted = await inScratchFolder(house.facts.top, (folder) =>
    draftInRounds({
      ...{ scribe, document, folder, run, path, before, config, mask: house.mask },
      ...{ top: house.facts.top, onRound: options.onRound, onRoundEnd: options.onRoundEnd },
      there: there === undefined ? undefined : new TextDecoder().decode(there),
      token: () => randomUUID(),
      signal: AbortSignal.any([signal, deadlineAfter(settingsOf(config).maxTime)]),
      logFolder: (round) => join(house.stateFolder, 'logs', run, 'plan', String(round)),
    }),
  );
  if (signal.aborted) throw new Interrupted('drafting was interrupted');
  const touched = spellChanges(picture, await pictureOf(cwd, env));
  const text = drafted.kind === 'ready' ? drafted.text : undefined;
  const diff = await diffOf(path, there, text);
  return { drafted, path, diff, touched, write: () => write(house, path, { there, text }) };
}

/** Its bytes. Uncommitted changes of it are a person's, and in no history. */
async function planThere(house: House, path: string): Promise<Uint8Array | undefined> {
  const workspace = await house.workspace();
  const file = await workspace.readWorkFile(path);
  if (file.kind === 'missing') return undefined;
  if (file.kind === 'other')
    throw new Refusal(2, `${oneLine(path)} is ${file.what}`, 'skeleton plan DOC --plan PATH');
  const isDirty = (await workspace.dirt()).some((one) => one.path === path);
  if (!isDirty && !file.ignored) return file.bytes;
  const quoted = shellWord(path);
  throw new Refusal(
    3,
    `${oneLine(path)} ${file.ignored ? 'is ignored, so no history has it' : 'has changes that are not committed'}: it is not replaced`,
    `git add ${quoted} && git commit -m 'the plan so far' -- ${quoted}\nskeleton plan DOC --plan ANOTHER.md`,
  );
}

async function refuseHeld(house: House, path: string): Promise<void> {
  if (!(await isPlanHeld(house, path))) return;
  const what = `a run of ${oneLine(path)} goes on: what changes in its tree would count as the attempt's`;
  throw new Refusal(3, what, 'skeleton status');
}

/** What is wrong with the plan that is there does not matter: it is to be replaced. */
async function configFor(
  house: House,
  path: string,
  { env, flags }: DraftOptions,
): Promise<{ readonly config: Config; readonly before: Plan | undefined }> {
  const workspace = await house.workspace();
  const nothing = { kind: 'file', bytes: new Uint8Array(), ignored: false } as const;
  const file = await workspace.readWorkFile(path);
  const files = {
    readWorkFile: (name: string) =>
      name === path && file.kind === 'missing'
        ? Promise.resolve(nothing)
        : workspace.readWorkFile(name),
  };
  const { config, plan, problems } = await readPlan({
    workspace: files,
    planPath: path,
    flags,
    env,
  });
  const elsewhere = problems.filter((problem) => problem.file !== path);
  if (elsewhere.length > 0)
    throw new Refusal(2, elsewhere.map(problemLine).join('\n'), 'skeleton check');
  return { config, before: file.kind === 'missing' ? undefined : plan };
}

function refuseUnmeasured(scribe: Scribe, { budget }: Config): void {
  const problem = budget && unmeasured(budget, scribe);
  if (problem !== undefined) throw new Refusal(2, problem, 'skeleton plan DOC --timeout 10m');
}

async function diffOf(
  path: string,
  there: Uint8Array | undefined,
  text: string | undefined,
): Promise<string | undefined> {
  if (there === undefined || text === undefined) return undefined;
  const { diffTexts } = await openPlanFile();
  return diffTexts(path, new TextDecoder().decode(there), text);
}

async function write(
  house: House,
  path: string,
  { there, text }: { readonly there: Uint8Array | undefined; readonly text: string | undefined },
): Promise<void> {
  if (text === undefined) throw new Error('there is no plan to write');
  await refuseHeld(house, path);
  const { replaceFile, writeNew } = await openPlanFile();
  const { facts } = house;
  const isWritten =
    there === undefined
      ? writeNew(facts, { path, text, executable: false })
      : replaceFile(facts.top, path, { before: there, text });
  if (isWritten) return;
  const what = `${oneLine(path)} was changed meanwhile, or something is in its way: it is left as it is`;
  throw new Refusal(3, what, `git diff -- ${shellWord(path)}`);
}
