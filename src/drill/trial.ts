import type { Comparison, Trial } from '../core/drill.ts';
import type { ScriptedKind } from './kinds.ts';
import { countLeft, honest, runLoop } from './loop.ts';
import type { LoopEnd } from './loop.ts';
import { copyPlace } from './stage.ts';
import type { Deed } from './orders.ts';
import type { Place, Stage } from './stage.ts';
import { openWitness } from './witness.ts';
import type { Witness } from './witness.ts';

/** What is found out about one kind. */
type Findings = Pick<Trial, 'reasons' | 'told' | 'left' | 'isByNextRun'> & {
  /** Why the damage could not be done in full. */
  readonly notDone?: string | undefined;
};

interface Scene {
  readonly stage: Stage;
  readonly place: Place;
  readonly witness: Witness;
  readonly kind: ScriptedKind;
}

/** Does one kind of damage to a copy of its own, through a real `skeleton run`, and looks at what became of it. */
export async function tryKind(stage: Stage, kind: ScriptedKind, name: string): Promise<Trial> {
  const begun = performance.now();
  const place = await copyPlace(stage, name);
  const scene: Scene = { stage, place, witness: openWitness(place), kind };
  const { notDone, ...found } = await ways[kind.group](scene);
  const outcome = outcomeOf(found.reasons.length > 0 || found.left > 0, notDone);
  const reasons = outcome === 'not-tried' && notDone !== undefined ? [notDone] : found.reasons;
  const seconds = (performance.now() - begun) / 1000;
  return { name: kind.name, group: kind.group, ...found, outcome, reasons, seconds };
}

function outcomeOf(isBroken: boolean, notDone: string | undefined): Trial['outcome'] {
  if (isBroken) return 'failed';
  return notDone === undefined ? 'held' : 'not-tried';
}

const ways: Readonly<Record<Trial['group'], (scene: Scene) => Promise<Findings>>> = {
  damage: undoDamage,
  processes: undoDamage,
  forgery: refuseForgery,
  kill: surviveKill,
};

const rejected = { tasks: ['one'], attempts: 1 };

/** The gate rejects whatever the vandal does, so everything has to come back. */
async function undoDamage({ stage, place, witness, kind }: Scene): Promise<Findings> {
  const before = await witness.photograph();
  const { deed, ...end } = await runLoop(stage, place, { ...rejected, script: kind.script });
  const left = await countLeft(place);
  const isStopped = end.status === stopped;
  const next = isStopped ? await runLoop(stage, place, { ...rejected, script: ':' }) : end;
  const { differences, told } = await looked(() => witness.compare(before));
  const lost = await lostOf(witness, deed, [...end.snapshots, ...next.snapshots]);
  const reasons = [...strange(next), ...differences, ...lost];
  return { reasons, told, left, notDone: undone(deed), isByNextRun: isStopped };
}

/** Resumable: the next run has to put everything back (contract, "Exit status"). */
const stopped = 4;

async function looked(look: () => Promise<Comparison>): Promise<Comparison> {
  try {
    return await look();
  } catch (error) {
    return { differences: [messageOf(error)], told: [] };
  }
}

async function lostOf(
  witness: Witness,
  deed: Deed | undefined,
  snapshots: readonly string[],
): Promise<readonly string[]> {
  if (deed === undefined || deed.left.length === 0) return [];
  if (snapshots.length === 0) return ['nothing says where the work of the attempt was kept'];
  try {
    const lost = await witness.lost(deed.left, snapshots);
    return lost.map((path) => `${path}, as the vandal left it, is kept nowhere`);
  } catch (error) {
    return [messageOf(error)];
  }
}

function strange({ status, said, hasPassed }: Omit<LoopEnd, 'deed'>): readonly string[] {
  if (hasPassed) return ['it passed, although its gate rejects'];
  return status === 1 ? [] : [`skeleton run ended with ${status ?? 'a signal'}: ${said}`];
}

function undone(deed: Deed | undefined): string | undefined {
  if (deed === undefined) return 'the vandal was not called';
  if (deed.code === 0) return undefined;
  const why = deed.stderr.trim().split('\n').at(-1) ?? '';
  return `the damage could not be done here in full: ${why === '' ? `exit ${deed.code}` : why}`;
}

/** A pass is what the run says, a tag, a ticked box, or a later run that has nothing to do. */
async function refuseForgery({ stage, place, witness, kind }: Scene): Promise<Findings> {
  const killedIn = kind.killed === 'agent' ? { killedIn: kind.killed } : {};
  const end = await runLoop(stage, place, { ...rejected, script: kind.script, ...killedIn });
  const left = await countLeft(place);
  const later = await runLoop(stage, place, { ...rejected, script: ':' });
  const passes = [
    ...(end.hasPassed || later.hasPassed ? ['the run says that it passed'] : []),
    ...(later.status === 0 ? ['a later run takes it for done'] : []),
    ...(await marksOf(witness)),
  ];
  return { reasons: passes, told: [], left, isByNextRun: false, notDone: undone(end.deed) };
}

async function marksOf({ git }: Witness): Promise<readonly string[]> {
  try {
    const tags = await git('for-each-ref', '--format=%(refname)', 'refs/tags/skeleton/');
    const plan = await git('show', 'HEAD:PLAN.md');
    return [
      ...(/-one$/m.test(tags) ? ['a checkpoint tag stands'] : []),
      ...(plan.includes('- [ ] One') ? [] : ['the box is ticked in HEAD']),
    ];
  } catch (error) {
    return [messageOf(error)];
  }
}

const everything = { tasks: [], attempts: 5, script: honest };

/** Whatever a kill left, the next run carries on, and each task is checkpointed exactly once. */
async function surviveKill({ stage, place, witness, kind }: Scene): Promise<Findings> {
  const killedIn = kind.killed === 'gate' ? 'gate' : 'agent';
  const script = killedIn === 'gate' ? honest : kind.script;
  const first = await runLoop(stage, place, { ...everything, script, killedIn });
  const left = [await countLeft(place)];
  if (kind.killed === 'twice') {
    await runLoop(stage, place, { ...everything, killedIn: 'gate' });
    left.push(await countLeft(place));
  }
  const last = await runLoop(stage, place, everything);
  left.push(await countLeft(place));
  const reasons = [
    ...(first.status === null ? [] : [`the loop was not killed: it ended with ${first.status}`]),
    ...(last.status === 0
      ? []
      : [`the next run ended with ${last.status ?? 'a signal'}: ${last.said}`]),
    ...(await checkpointsOf(witness)),
  ];
  const sum = left.reduce((all, one) => all + one, 0);
  return { reasons, told: [], left: sum, isByNextRun: true };
}

async function checkpointsOf({ git }: Witness): Promise<readonly string[]> {
  try {
    const format = '--format=%(trailers:key=Skeleton-Task,valueonly)';
    const commits = (await git('log', '-n', '50', format)).split('\n').filter((one) => one !== '');
    const tags = await git('for-each-ref', '--format=%(refname)', 'refs/tags/skeleton/');
    const status = await git('status', '--porcelain');
    const wrong = ['one', 'two'].flatMap((task) => {
      const made = commits.filter((one) => one === task).length;
      const tagged = tags.split('\n').filter((tag) => tag.endsWith(`-${task}`)).length;
      const isOnce = made === 1 && tagged === 1;
      return isOnce ? [] : [`task ${task} has ${made} commits and ${tagged} tags, not one of each`];
    });
    return [...wrong, ...(status === '' ? [] : [`the work tree is not clean: ${status}`])];
  } catch (error) {
    return [messageOf(error)];
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
