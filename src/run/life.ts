import type { TaskEvent } from '../core/events.ts';
import type { Attempt, Phase, State } from '../core/machine.ts';
import type { Task } from '../core/plan/plan.ts';
import type { AttemptId, AttemptRules, Feedback, Gate } from '../ports.ts';
import { scriptNamedBy } from '../core/gate-holes.ts';
import { repeatsIn } from '../core/stagnation.ts';
import { openFindings } from '../core/stages/past.ts';
import { replayNotice } from '../core/recorded-result.ts';
import { attemptRef, taskSlug } from '../core/refs.ts';
import type { Session } from './session.ts';
import type { Staged } from './staged.ts';

/** A task as one effect sees it. */
export interface Life {
  readonly task: Task;
  /** The plan's bytes where the attempt begins. */
  readonly plan: Uint8Array;
  readonly gates: readonly Gate[];
  readonly state: State;
  readonly events: readonly TaskEvent[];
  readonly id: AttemptId;
  /** Absent where the task has no stages. */
  readonly staged?: Staged;
}

/**
 * The attempt under way, or the one about to begin: a number that no kept attempt has, whatever became of the ledger that
 * counted them.
 */
export async function attemptId(task: Task, state: State, session: Session): Promise<AttemptId> {
  const { workspace } = session.ports;
  const { plan } = session.journal;
  const slug = taskSlug(task.id);
  const isKept = async (number: number): Promise<boolean> =>
    (await workspace.resolve(attemptRef(plan, slug, number))) !== undefined;
  let { number } = state;
  if (state.phase === 'pending') {
    number += 1;
    while (await isKept(number)) number += 1;
  }
  return { plan, task: slug, id: task.id, number };
}

/** Where a rollback is the next thing to do, with how the attempt ended. */
export function withEnd(id: AttemptId, state: State): AttemptId {
  return state.phase === 'rolling-back' ? { ...id, ended: state.ended } : id;
}

/** The state's attempt; throws where there is none, which the machine rules out. */
export function attemptOf(state: State): Attempt & { readonly phase: Phase } {
  if (!('base' in state)) throw new Error(`no attempt is under way in phase ${state.phase}`);
  return state;
}

export function rulesFor(
  { task, plan, gates, staged }: Pick<Life, 'task' | 'plan' | 'gates' | 'staged'>,
  session: Session,
): AttemptRules {
  const { protect, protectNew, maxFile, keepCommits, env } = session.settings;
  return {
    plan: {
      path: session.plan.path,
      before: plan,
      ticked: session.tick(plan, task.id),
      differsInMarksOnly: session.differsInMarksOnly,
    },
    protect,
    protectNew,
    maxFile,
    keepCommits,
    notSecret: env?.notSecret ?? [],
    judges: [...gates, ...(staged?.all ?? [])].flatMap(
      ({ command }) => scriptNamedBy(command) ?? [],
    ),
    mayChange: task.config.mayChange ?? [],
    allowEmpty: task.config.allowEmpty ?? false,
    // With more than one job most work is elsewhere, and the tree of the branch is free between two turns.
    followsBranch:
      (session.seat !== undefined || session.followsBranch === true) && session.isAhead !== true,
  };
}

/** What the last charged attempt died of, with what its gates said. */
export function feedbackOf(state: State, events: readonly TaskEvent[]): Feedback | undefined {
  if (state.lastFailure === undefined) return undefined;
  const { failure, number } = state.lastFailure;
  const start = events.findLastIndex((e) => e.type === 'attempt.started' && e.number === number);
  const rest = events.slice(start + 1);
  const end = rest.findIndex((event) => event.type === 'attempt.started');
  const within = end === -1 ? rest : rest.slice(0, end);
  const gates = within.filter((event) => event.type === 'gate.finished');
  const notices = within.flatMap((event) => (event.type === 'notice' ? [event.message] : []));
  const told = notices.filter((message) => !message.startsWith(replayNotice));
  const begun = events.findLast((event) => event.type === 'attempt.started');
  // A reviewer is told what it found itself, and where.
  const findings = begun?.stage?.reviews === undefined ? openFindings(events) : [];
  const repeats = repeatsIn(events);
  return { failure, gates, notices: told, repeats, ...(findings.length > 0 && { findings }) };
}
