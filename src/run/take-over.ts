import { broughtIn } from '../core/ahead.ts';
import { evolve, isUnderWay, replay, type Outcome, type State } from '../core/machine.ts';
import { attemptRef, taskSlug } from '../core/refs.ts';
import type { Session } from './session.ts';
import type { Team } from './team.ts';

/**
 * Writes down how the attempt of a worker that is gone ended: its checkpoint stands where the remote has its tag, whoever made it;
 * else it crashed, which costs it. Work that had passed goes on to be judged again.
 */
export async function takeOver(
  id: string,
  session: Session,
  team: Pick<Team, 'look' | 'remote' | 'onEarlier'>,
): Promise<State> {
  const { journal, ports } = session;
  const events = await journal.open(id);
  let state = replay(events);
  if (!isUnderWay(state)) return state;
  (await ports.ledger.taskHistory(journal.plan, id)).forEach(team.onEarlier);
  // On this machine it may have left an agent.
  await ports.processes.endByToken(state.token);
  const number = state.number;
  while (isUnderWay(state)) {
    const isBroughtIn = broughtIn(events) !== undefined;
    const event = await endOf(state, { id, session, team, isBroughtIn });
    await journal.append(id, event);
    state = evolve(state, event);
  }
  const how = state.phase === 'passed' ? 'its checkpoint stands' : 'it goes on here';
  const message = `the machine that worked on ${id}#${number} is gone; ${how}`;
  await journal.append(id, { type: 'notice', message });
  return state;
}

interface Left {
  /** Of the task. */
  readonly id: string;
  readonly session: Session;
  readonly team: Pick<Team, 'look' | 'remote' | 'onEarlier'>;
  readonly isBroughtIn: boolean;
}

async function endOf(state: State, left: Left): Promise<Outcome> {
  const { id, session, isBroughtIn } = left;
  const { remote } = left.team;
  if (state.phase === 'checkpointing') {
    const { tag, commit } = state.passed;
    const isThere = (await remote.read(tag)) === commit || (await isTorn(state.passed, left));
    return isThere
      ? { type: 'checkpoint.created', tag, commit }
      : { type: 'attempt.voided', why: 'outpaced' };
  }
  if (state.phase === 'rolling-back') return { type: 'rollback.done', snapshot: await kept() };
  return isBroughtIn
    ? { type: 'attempt.voided', why: 'outpaced' }
    : { type: 'attempt.rejected', failure: { kind: 'crashed' } };

  /** Where it died in this very clone, what it had made was kept when this run began. */
  async function kept(): Promise<{ readonly ref: string; readonly commit: string }> {
    const { journal, ports } = session;
    const ref = attemptRef(journal.plan, taskSlug(id), state.number);
    const commit = await ports.workspace.resolve(ref);
    return commit === undefined ? { ref: '', commit: baseOf(state) } : { ref, commit };
  }
}

/** A push that was killed on the remote's side may have moved the branch and no more: its tag and proof are brought after. */
async function isTorn(
  { commit, tag, proof, proofObject }: Passed,
  { id, session, team }: Left,
): Promise<boolean> {
  const { workspace } = session.ports;
  const { done } = await team.look();
  if (!done.has(id) || (await workspace.resolve(commit)) === undefined) return false;
  const isHeld = await team.remote.give(tag, commit);
  if (isHeld && (await workspace.resolve(proofObject)) !== undefined)
    await team.remote.give(proof, proofObject);
  return isHeld;
}

type Passed = Extract<State, { phase: 'checkpointing' }>['passed'];

function baseOf(state: State): string {
  return 'base' in state ? state.base : '';
}
