import { replay, type Effect, type Outcome, type State } from '../core/machine.ts';
import type { Task } from '../core/plan/plan.ts';
import type { Agent } from '../ports.ts';
import { attemptFacts, createCheckpoint, rollBack } from './effects.ts';
import { judge } from './judge.ts';
import { leavingOff } from './leave-off.ts';
import { foldTask, type Course } from './fold-task.ts';
import { rulesFor, type Life } from './life.ts';
import type { Session } from './session.ts';
import { wait } from './wait.ts';
import { appendAll, withStop } from './with-stop.ts';

/** Who performs the step of an attempt that `take` judges: it is over before it begins. */
export const person: Agent = {
  name: 'person',
  reports: { tokens: false, usd: false },
  assertReady: () => Promise.resolve(),
  prompt: () => Promise.resolve(''),
  key: () => Promise.resolve(''),
  run: () => Promise.resolve({ kind: 'finished', seconds: 0, ended: 'by hand', log: '' }),
};

/** The work tree as a person left it, as the task's next attempt (contract, "Git": `take`). One attempt, and no more. */
export async function takeTask(task: Task, plan: Uint8Array, session: Session): Promise<State> {
  const { journal, ports } = session;
  const gates = await ports.gates.find(session.plan, task);
  const before = replay(await journal.open(task.id));
  await journal.append(task.id, { type: 'task.started', title: task.title, line: task.line });
  if (before.phase !== 'pending')
    await journal.append(task.id, { type: 'task.reopened', anew: before.phase === 'passed' });
  const state = await leavingOff(task, session, () =>
    foldTask({ task, plan, gates }, once(session), session),
  );
  const outcome = state.phase === 'passed' || state.phase === 'failed' ? state.phase : 'stopped';
  await journal.append(task.id, { type: 'task.finished', state: outcome });
  return state;
}

/** One attempt, and no more. */
function once(session: Session): Course {
  return {
    isHeldBack: (effect, _, nth) => effect === 'start-attempt' && nth > 0,
    carryOut: (effect, life) => carryOut(effect, life, session),
  };
}

async function carryOut(effect: Effect, life: Life, session: Session): Promise<readonly Outcome[]> {
  if (effect === 'run-gates') return withStop(life, session, judgeByHand);
  return appendAll(life, session, await perform[effect](life, session));
}

type Perform = (life: Life, session: Session) => Promise<readonly Outcome[]>;

const perform: Readonly<Record<Exclude<Effect, 'run-gates'>, Perform>> = {
  'start-attempt': takeUp,
  'run-agent': () =>
    Promise.resolve([
      { type: 'agent.finished', seconds: 0, ended: 'by hand', exit: 0, log: '' },
    ] as const),
  'create-checkpoint': createCheckpoint,
  'roll-back': rollBack,
  wait,
};

/** It counts on from the last attempt, even beyond five, and is the last: what is red then is the person's to mend. */
async function takeUp(life: Life, session: Session): Promise<readonly Outcome[]> {
  const { workspace } = session.ports;
  const attempt = life.state.charged + 1;
  const facts = attemptFacts({ attempt, attempts: attempt, agent: person.name }, session);
  const base = await workspace.takeUp({ ...life.id, facts }, rulesFor(life, session));
  const { agent, token } = facts;
  const started: Outcome = {
    type: 'attempt.started',
    number: life.id.number,
    ...{ attempt, attempts: attempt, base, agent, token },
    worktree: workspace.id,
  };
  return [started];
}

async function judgeByHand(life: Life, session: Session): Promise<readonly Outcome[]> {
  const outcomes = await judge(life, session);
  return outcomes.map((outcome) => {
    if (outcome.type !== 'attempt.rejected' || outcome.failure.kind !== 'tampered') return outcome;
    return { ...outcome, failure: { ...outcome.failure, detail: 'commit that first' } };
  });
}
