import { ClaimLost, StaleWrite, type Claim } from '../ports.ts';
import type { Session } from './session.ts';
import type { Team } from './team.ts';

/**
 * What is done with a claimed task; then it is let go, and all are told. Undefined where the claim was lost: another machine has
 * the task then, and what was made here is kept here. The work's session ends with the claim, too.
 */
export async function whileHeld<T>(
  claim: Claim,
  session: Session,
  team: Team,
  work: (own: Session) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work(heldBy(claim, session));
  } catch (error) {
    await team.leaveTree();
    if (!(error instanceof ClaimLost) && !(error instanceof StaleWrite)) throw error;
    team.say(
      `${claim.task}: another machine has it now (${error.message}); nothing of it was written`,
    );
    return undefined;
  } finally {
    await claim.release();
    await team.claims.tell(session.journal.plan);
  }
}

function heldBy(claim: Claim, session: Session): Session {
  const { journal, signal } = session;
  return {
    ...session,
    signal: AbortSignal.any([signal, claim.lost]),
    isInterrupted: () => session.isInterrupted() || claim.lost.aborted,
    journal: {
      ...journal,
      // Whoever has it meanwhile writes his own attempt there, and that must not be gone on with here.
      open: async (task) => {
        const events = await journal.open(task);
        await claim.assertHeld();
        return events;
      },
    },
  };
}
