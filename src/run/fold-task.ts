import { decide, evolve, replay, type Effect, type Outcome, type State } from '../core/machine.ts';
import { attemptId, type Life } from './life.ts';
import type { Session } from './session.ts';
import type { Step } from './stages.ts';

/** What differs between a run and `take`. */
export interface Course {
  /** Whether the next effect must not be begun; the task then stays where it is. `nth` counts effects from 0. */
  readonly isHeldBack: (
    effect: Effect,
    life: Omit<Life, 'id'>,
    nth: number,
  ) => boolean | Promise<boolean>;
  /** What of the task is another at each of its stages. */
  readonly stepIn?: (state: State, events: Life['events']) => Step | undefined;
  /** Performs an effect, and appends what came of it; nothing came of it where a stop or a limit cut it off. */
  readonly carryOut: (effect: Effect, life: Life) => Promise<readonly Outcome[]>;
}

/** One effect after the other, each decided from the events so far, until nothing is left to do for the task. */
export async function foldTask(
  work: Pick<Life, 'task' | 'plan' | 'gates'>,
  course: Course,
  session: Session,
): Promise<State> {
  const { task } = work;
  const events = await session.journal.open(task.id);
  let state = replay(events);
  for (let nth = 0; ; nth += 1) {
    const effect = decide(state);
    const life = { ...work, ...course.stepIn?.(state, events), state, events };
    if (effect === undefined || (await course.isHeldBack(effect, life, nth))) return state;
    const id = await attemptId(task, state, session);
    const outcomes = await course.carryOut(effect, { ...life, id });
    if (outcomes.length === 0) return state;
    for (const event of outcomes) state = evolve(state, event);
  }
}
