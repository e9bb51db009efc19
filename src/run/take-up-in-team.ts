import { aheadWork } from '../core/ahead.ts';
import type { Snapshot, TaskOutcome } from '../core/events.ts';
import type { State } from '../core/machine.ts';
import type { Task } from '../core/plan/plan.ts';
import { taskSlug } from '../core/refs.ts';
import type { Claim, Fence } from '../ports.ts';
import { giveUp, outcomeOf, passedIn } from './board.ts';
import { leavingOff } from './leave-off.ts';
import { reopen } from './reopen.ts';
import { runTask } from './run-task.ts';
import type { Session } from './session.ts';
import { takeOver } from './take-over.ts';
import { refuseUnseen } from './unseen.ts';
import type { Team, Tip } from './team.ts';
import { giveRejected, giveWork, workHere } from './team-work.ts';
import { whileHeld } from './while-held.ts';
import { whyLeft } from './why-left.ts';

export interface Claimed {
  readonly task: Task;
  readonly claim: Claim;
}

/**
 * One task from where any machine left it to where this one leaves it. Undefined where the claim was lost: another machine has
 * it then, and nothing was written; what was made here is kept here.
 */
export async function takeUpInTeam(
  claimed: Claimed,
  session: Session,
  team: Team,
): Promise<TaskOutcome | undefined> {
  return whileHeld(claimed.claim, session, team, (own) => workOn(claimed, own, team));
}

/** Writes down the end of what a worker that is gone had brought onto the branch, and could not tell any more. */
export async function finishInTeam(claim: Claim, session: Session, team: Team): Promise<void> {
  await whileHeld(claim, session, team, (own) => takeHold(claim, own, team));
}

interface Hold {
  readonly fence: Fence;
  /** Where whoever had it before has left it. */
  readonly before: State;
}

/** The fence first: what the one before pushes after it is refused, and what he has pushed is seen. */
async function takeHold({ task }: Claim, session: Session, team: Team): Promise<Hold> {
  const fence = await team.remote.takeFence(session.journal.plan, taskSlug(task), team.owner);
  return { fence, before: await takeOver(task, session, team) };
}

interface Holding extends Claimed {
  readonly team: Team;
  /** As of whileHeld. */
  readonly session: Session;
  tip: Tip;
  fence: Fence;
}

async function workOn(
  claimed: Claimed,
  session: Session,
  team: Team,
): Promise<TaskOutcome | undefined> {
  const { task, claim } = claimed;
  const { fence, before } = await takeHold(claim, session, team);
  const tip = await team.look();
  // It passed between the last look and the claim.
  if (tip.done.has(task.id)) return passedIn(session);
  if (claim.isContinued && before.phase === 'passed') await refuseUnseen(before, tip, team);
  if (claim.isContinued && before.phase === 'failed') return giveUp(task, session);
  await reopen(task, session);
  const holding: Holding = { ...claimed, team, session, tip, fence };
  const state = await inAttempts(holding);
  const outcome = holding.tip.done.has(task.id) ? passedIn(session) : outcomeOf(state, session);
  const why = whyLeft({ state, events: await session.journal.open(task.id) }, outcome, session);
  await session.journal.append(task.id, {
    ...{ type: 'task.finished', state: outcome },
    ...(why && { why }),
  });
  return outcome;
}

/** Ahead, then its turn on the branch, and again where it was sent back or outpaced. */
async function inAttempts(holding: Holding): Promise<State> {
  const isStopped = (): boolean => holding.session.signal.aborted;
  for (;;) {
    const state = await workAhead(holding);
    const work = await workOf(state, holding);
    if (work === undefined || isStopped()) return state;
    const after = await takeTurn(work, state, holding);
    const isBegun = after.number > state.number;
    if (!isBegun || after.phase !== 'pending' || isStopped()) return after;
  }
}

/** Work that has passed its gates on an earlier tip of the branch. */
async function workOf(state: State, { task, session }: Holding): Promise<Snapshot | undefined> {
  const judge = state.phase === 'pending' ? state.judge : undefined;
  return aheadWork(await session.journal.open(task.id), judge)?.snapshot;
}

async function workAhead({ task, tip, team, session }: Holding): Promise<State> {
  const laid = await team.layOut(tip.commit);
  const ahead = { ...heldIn(laid, session), isAhead: true };
  const state = await leavingOff(task, ahead, () => runTask(task, tip.plan, ahead));
  if (team.givesAttempts) await giveRejected(task, session, team);
  return state;
}

/** In the tree that was laid out, and under the claim. */
function heldIn(laid: Session, { signal, isInterrupted, journal }: Session): Session {
  return { ...laid, signal, isInterrupted, journal };
}

/** One attempt that judges what was made ahead, on the branch as it is now, while no other machine may move it. */
async function takeTurn(work: Snapshot, state: State, holding: Holding): Promise<State> {
  const { task, claim, team, session } = holding;
  await giveWork(work, session, team);
  const turn = await team.claims.turn(session.journal.plan, session.signal);
  if (turn === undefined) return state;
  try {
    holding.tip = await team.look();
    if (holding.tip.done.has(task.id)) return state;
    const laid = await team.layOut(holding.tip.commit);
    const { commit } = holding.tip;
    const here = await workHere(work, { commit, session: laid }, team);
    const onTurn = {
      work: here,
      publish: async (checkpoint: Parameters<NonNullable<Session['onTurn']>['publish']>[0]) => {
        await turn.assertHeld();
        await claim.assertHeld();
        return publish(checkpoint, holding);
      },
    };
    const onBranch = { ...heldIn(laid, session), onTurn };
    return await leavingOff(task, onBranch, () => runTask(task, holding.tip.plan, onBranch));
  } finally {
    await turn.release();
  }
}

async function publish(
  checkpoint: Parameters<NonNullable<Session['onTurn']>['publish']>[0],
  holding: Holding,
): Promise<'outpaced' | 'unpushed' | undefined> {
  const { task, claim, team, session, fence } = holding;
  const { branch, remote, owner } = team;
  const published = await remote.publish({ ...checkpoint, branch, fence });
  if (published.kind === 'done') return undefined;
  if (published.kind === 'outpaced') return 'outpaced';
  if (published.kind === 'fenced') {
    // Somebody that has lost the task may have been late to find out: the lock decides.
    await claim.assertHeld();
    holding.fence = await remote.takeFence(session.journal.plan, taskSlug(task.id), owner);
    return 'outpaced';
  }
  const { why, mend } = published;
  const message = [`the remote ${remote.name} does not take it: ${why}`, mend ?? []]
    .flat()
    .join('; ');
  await session.journal.append(task.id, { type: 'notice', message });
  return 'unpushed';
}
