import type { Config } from '../../src/core/config.ts';
import type { Verdict } from '../../src/core/events.ts';
import { evolve, initial } from '../../src/core/machine.ts';
import { isOfTask } from '../../src/core/history.ts';
import type { Task } from '../../src/core/plan/plan.ts';
import { Refusal } from '../../src/ports.ts';
import { chanceOf } from './chance.ts';
import { commitIn, lineOf, theBranch, tickedIn, type Files } from './memory-git.ts';
import type { Actor } from './memory-schedule.ts';
import { eventsOf } from './memory-server.ts';
import { aTeam, doneIn, type Conduct, type MemoryTeam, type MemoryWorker } from './memory-team.ts';
import { aTask } from './plans.ts';

/** FNV-1a: the same words always have the same fate, whoever asks. */
function fate(seed: number, words: string): number {
  let hash = 0x811c9dc5 ^ Math.imul(seed, 0x9e3779b1);
  for (const char of words) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return chanceOf(hash)();
}

interface Trouble {
  /** Chances at each step. */
  readonly death: number;
  readonly lost: number;
  readonly zombie: number;
  readonly stop: number;
  readonly remote: number;
  /** A person pushes something of their own. */
  readonly person: number;
}

export interface Story {
  readonly seed: number;
  readonly team: MemoryTeam;
  readonly conduct: Judging;
  /** Ends all trouble. */
  readonly calm: () => void;
  readonly config: () => Config;
  readonly pick: (below: number) => number;
}

type Judging = Conduct & Pick<Required<Conduct>, 'judges'>;

/** A plan, machines, agents and troubles, all from one number. */
export function tellStory(seed: number): Story {
  const chance = chanceOf(seed);
  const pick = (below: number): number => Math.floor(chance() * below);
  const tasks = planOf(chance);
  const trouble: Trouble = {
    death: chance() < 0.5 ? 0.004 : 0,
    lost: chance() < 0.6 ? 0.02 : 0,
    zombie: chance() < 0.6 ? 0.01 : 0,
    stop: chance() < 0.2 ? 0.002 : 0,
    remote: chance() < 0.2 ? 0.01 : 0,
    person: chance() < 0.3 ? 0.005 : 0,
  };
  const world = { isCalm: false };
  const conduct = conductOf(seed, chance, world);
  const late: { readonly actor: Actor; left: number }[] = [];
  const before = (actor: Actor): void => {
    for (const one of late) if ((one.left -= 1) === 0) team.server.drop(one.actor);
    if (!world.isCalm) strike(actor);
  };
  const strike = (actor: Actor): void => {
    if (chance() < trouble.person) pushByHand(team);
    if (chance() < trouble.lost) team.server.drop(actor);
    if (chance() < trouble.zombie) {
      team.server.drop(actor);
      actor.pausedUntil = team.schedule.now() + pick(chance() < 0.8 ? 400 : 20_000);
    }
    if (chance() < trouble.stop) team.workers.find((one) => one === actor)?.stop.abort();
    if (chance() >= trouble.death) return;
    const isNoticed = chance() < 0.5;
    team.kill(actor, isNoticed);
    if (!isNoticed) late.push({ actor, left: 1 + pick(200) });
  };
  const team: MemoryTeam = aTeam(tasks, conduct, { pick, before });
  team.origin.fails = () => {
    if (world.isCalm || chance() >= trouble.remote) return undefined;
    return chance() < 0.5 ? 'before' : 'after';
  };
  const refusing = chance() < 0.15 ? 0.1 : 0;
  team.origin.refuses = () =>
    !world.isCalm && chance() < refusing ? 'protected branch' : undefined;
  team.origin.onPublish = (by, commit, tag) => assertAwaited(team, { by, commit, tag });
  const config = (): Config => ({
    keepGoing: chance() < 0.5,
    failFast: chance() < 0.05,
    attempts: 5,
  });
  const calm = (): void => {
    world.isCalm = true;
    for (const { actor } of late) team.server.drop(actor);
  };
  return { seed, team, conduct, calm, config, pick };
}

function pushByHand({ origin }: MemoryTeam): void {
  const tip = origin.refs.get(theBranch) ?? '';
  const files = { ...origin.commits.get(tip)?.files, [`by hand/${origin.made}`]: '' };
  origin.refs.set(theBranch, commitIn(origin, files, tip));
}

function planOf(chance: () => number): readonly Task[] {
  const count = 1 + Math.floor(chance() * 6);
  const ids = Array.from({ length: count }, (_, nth) => `t${nth + 1}`);
  return ids.map((id, nth) => {
    const before = ids.slice(0, nth);
    if (chance() < 0.3) return aTask(id);
    const needs = before.filter(() => chance() < 0.25);
    return aTask(id, { explicitNeeds: true, needs });
  });
}

function conductOf(
  seed: number,
  chance: () => number,
  world: { readonly isCalm: boolean },
): Judging {
  const red = chance() < 0.3 ? 0.8 : chance() * 0.4;
  const [broken, shares, errs] = [chance() * 0.2, chance(), chance() * 0.03];
  return {
    works: (task, attempt): Files | undefined => {
      const drawn = fate(seed, `${task} ${attempt}`);
      if (drawn < broken) return drawn < broken / 2 ? undefined : {};
      const made = { [`src/${task}`]: `${task}#${attempt}` };
      const isShared = fate(seed, `shares ${task} ${attempt}`) < shares;
      return isShared ? { ...made, [`shared/${attempt % 2}`]: `${task}#${attempt}` } : made;
    },
    takes: (task) => Math.floor(fate(seed, task) * 300),
    judges: (task, files): Verdict => {
      if (!world.isCalm && chance() < errs) return 'error';
      return fate(seed, task + JSON.stringify(Object.entries(files).sort())) < red
        ? 'fail'
        : 'pass';
    },
  };
}

/** Nothing comes onto the branch that the ledger does not wait for: of a worker that has lost the task, nothing does. */
function assertAwaited(
  { server }: MemoryTeam,
  { by, commit, tag }: { readonly by: string; readonly commit: string; readonly tag: string },
): void {
  const passed = server.events.findLast(
    ({ event }) => event.type === 'gates.passed' && event.commit === commit,
  );
  if (passed === undefined)
    throw new Error(`${by} published ${tag}, which the ledger does not know`);
  const [last] = eventsOf({ events: server.ofTask(passed.task) }, 'gates.passed').slice(-1);
  const isAwaited =
    server.phaseOf(passed.task) === 'checkpointing' && last?.event.commit === commit;
  if (!isAwaited || last.run !== by)
    throw new Error(`${by} published ${tag} in phase ${server.phaseOf(passed.task)}`);
}

/** What has to hold whatever happened. */
export function assertSound({ team, conduct }: Story): void {
  for (const { name, error } of team.workers)
    if (error !== undefined && !(error instanceof Refusal && error.status === 3))
      throw new Error(`${name} ended with an error`, { cause: error });
  assertLine(team, conduct);
  assertHistories(team);
  for (const worker of team.workers) assertCounts(worker);
}

/** One commit for one task, each judged green, and its tag there. */
function assertLine({ origin }: MemoryTeam, { judges }: Judging): void {
  const line = [...lineOf(origin)].reverse();
  const seen = new Set<string>();
  const published = new Set(origin.published.map(({ commit }) => commit));
  for (const commit of line.filter((one) => published.has(one))) {
    const files = origin.commits.get(commit)?.files ?? {};
    const fresh = tickedIn(files).filter((task) => !seen.has(task));
    const [task = ''] = fresh;
    if (fresh.length !== 1) throw new Error(`${commit} ticks ${fresh.join(', ') || 'nothing new'}`);
    seen.add(task);
    if (files[`src/${task}`] === undefined) throw new Error(`${commit} holds nothing of ${task}`);
    if (judges(task, files) === 'fail') throw new Error(`${commit} is red`);
    assertTag(origin, commit, task);
  }
  const tags = [...origin.refs.keys()].filter((ref) => ref.startsWith('refs/tags/'));
  if (tags.length !== seen.size) throw new Error('a tag stands beside the branch');
}

function assertTag({ refs }: MemoryTeam['origin'], commit: string, task: string): void {
  const tags = [...refs].flatMap(([ref, at]) =>
    at === commit && ref.startsWith('refs/tags/') ? [ref] : [],
  );
  if (tags.length !== 1 || tags[0]?.endsWith(`-${task}`) !== true)
    throw new Error(`${commit} of ${task} has the tags ${tags.join(', ')}`);
}

const MOST = 5;

function assertHistories({ server }: MemoryTeam): void {
  const states = new Map<string, ReturnType<typeof evolve>>();
  for (const one of server.events.filter(isOfTask)) {
    const state = evolve(states.get(one.task) ?? initial, one.event);
    states.set(one.task, state);
    if (state.charged > MOST) throw new Error(`${one.task} was charged ${state.charged} attempts`);
  }
  for (const task of states.keys()) {
    const ends = eventsOf({ events: server.ofTask(task) }, 'task.finished');
    const settled = ends.filter(({ event }) => ['failed', 'blocked'].includes(event.state));
    if (settled.length > server.campaign())
      throw new Error(`${task} was settled ${settled.length} times by ${server.campaign()} teams`);
    const made = eventsOf({ events: server.ofTask(task) }, 'checkpoint.created');
    if (made.length > 1) throw new Error(`${task} has ${made.length} checkpoints in the ledger`);
  }
}

function assertCounts({ name, end }: MemoryWorker): void {
  if (end === undefined) return;
  const { passed, failed, blocked, pending } = end.counts;
  if (Math.min(passed, failed, blocked, pending) < 0) throw new Error(`${name} counts below 0`);
  if (end.why === 'done' && failed + blocked + pending > 0)
    throw new Error(`${name} is done, and has left ${JSON.stringify(end.counts)}`);
}

/** After the last worker, which nothing disturbed: each task has passed once, or has ended without that. */
export function assertAllEnded(story: Story, last: MemoryWorker, before: readonly string[]): void {
  const { team } = story;
  const { server } = team;
  const done = doneIn(team);
  const passed = done.filter((task) => !before.includes(task)).length;
  if (last.end === undefined) throw new Error('the last worker has no end', { cause: last.error });
  const { counts } = last.end;
  if (counts.passed !== passed || counts.pending !== 0)
    throw new Error(`${passed} passed, and it counts ${JSON.stringify(counts)}`);
  const ids = new Set(server.events.map(({ task }) => task).filter((task) => task !== ''));
  const left = [...ids].filter((task) => !done.includes(task));
  if (left.length !== counts.failed + counts.blocked)
    throw new Error(`left ${left.join(', ')}, and it counts ${JSON.stringify(counts)}`);
  for (const task of ids) {
    const state = server.phaseOf(task);
    if (done.includes(task) !== (state === 'passed'))
      throw new Error(
        `${task} is ${state} in the ledger, and ${done.join(', ')} are on the branch`,
      );
  }
}
