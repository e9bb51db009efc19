import type { Outcome } from '../core/machine.ts';
import type { AgentEnd, AgentJob } from '../ports.ts';
import { attemptOf, feedbackOf, type Life } from './life.ts';
import type { Session } from './session.ts';
import { voided } from './void.ts';

/** The agent's step. Its exit status decides only whether the tree is worth looking at. */
export async function runAgent(life: Life, session: Session): Promise<readonly Outcome[]> {
  const { agent } = session.ports;
  const { attempt, attempts } = attemptOf(life.state);
  session.onProgress({
    type: 'step',
    task: life.task.id,
    attempt,
    attempts,
    step: 'agent',
    name: agent.name,
  });
  const end = await agent.run(agentJob(life, session));
  return outcomes(end, session);
}

function agentJob(life: Life, session: Session): AgentJob {
  const { state, task } = life;
  const { attempt, attempts, base, token } = attemptOf(state);
  return {
    plan: session.plan,
    task,
    attempt: { number: state.number, attempt, attempts },
    run: session.journal.run,
    base,
    token,
    gates: life.gates.map((gate) => gate.name),
    protect: session.settings.protect,
    feedback: feedbackOf(state, life.events),
    logFolder: session.logFolder(life.id.task, state.number),
    signal: session.signal,
  };
}

function outcomes(end: AgentEnd, session: Session): readonly Outcome[] {
  if (end.kind === 'interrupted') return [voided(session)];
  const finished: Outcome = {
    type: 'agent.finished',
    seconds: end.seconds,
    ended: end.ended,
    exit: end.kind === 'finished' ? 0 : end.exit,
    log: end.log,
  };
  if (end.kind === 'finished') return [finished];
  return [finished, { type: 'attempt.rejected', failure: end.failure }];
}
