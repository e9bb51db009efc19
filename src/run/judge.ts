import { broughtIn, wasSentBack } from '../core/ahead.ts';
import { agentName } from '../core/agent-name.ts';
import type { GateResult } from '../core/events.ts';
import type { Failure } from '../core/failure.ts';
import type { Outcome } from '../core/machine.ts';
import {
  checkpointMessage,
  proofText,
  type CheckpointFacts,
  type Message,
} from '../core/checkpoint.ts';
import { maskTexts } from '../core/mask-texts.ts';
import { checkpointTag, proofRef } from '../core/refs.ts';
import { spentOn } from '../core/spending.ts';
import { isReported } from '../core/usage.ts';
import { judgementOf } from '../core/verdict.ts';
import { Refusal, type Gate, type GateRun, type Inspection } from '../ports.ts';
import { judgeClean, judgeOldTests } from './judge-clean.ts';
import { attemptOf, rulesFor, type Life } from './life.ts';
import { compareReplay } from './replay.ts';
import { concludeReview } from './review.ts';
import type { Session } from './session.ts';
import { stagnated } from './stagnated.ts';
import { isIntermediate, isReviewing } from './stages.ts';
import { voided } from './void.ts';

type Candidate = Extract<Inspection, { kind: 'candidate' }>;
type Outcomes = readonly Outcome[];

/**
 * Looks at what the attempt left, lets the gates judge exactly the tree to be tagged, and writes its commit.
 * No ref moves here: the commit counts only once the ledger has it (architecture.md, "Order of writes").
 */
export async function judge(life: Life, session: Session): Promise<Outcomes> {
  if (isReviewing(life)) return concludeReview(life);
  const { workspace } = session.ports;
  const rules = rulesFor(life, session);
  const seen = await workspace.inspect(life.id, rules);
  await tell(life, session, seen.notices);
  if (seen.kind === 'refused')
    return refused(seen.failure, life).map((outcome) => stagnated(outcome, life, session));
  await compareReplay(life, seen.tree, session);
  const known = await knownResults(life, seen, session);
  const outcomes =
    known === undefined
      ? await judgeLeft(life, seen, session)
      : await commitPassed(life, known, session);
  return outcomes
    .map((outcome) => withLeft(outcome, seen.tree))
    .map((outcome) => sentBack(outcome, life))
    .map((outcome) => stagnated(outcome, life, session));
}

/** With the tree that the gates were given: what they do to it is not the agent's (`--replay`). */
function withLeft(outcome: Outcome, left: string): Outcome {
  const isStage = outcome.type === 'attempt.voided' && outcome.why === 'stage';
  const isJudged = outcome.type === 'gates.passed' || outcome.type === 'attempt.rejected';
  return isJudged || isStage ? { ...outcome, left } : outcome;
}

async function judgeLeft(life: Life, left: Candidate, session: Session): Promise<Outcomes> {
  const { workspace } = session.ports;
  const rules = rulesFor(life, session);
  let seen: Inspection = left;
  const parent = seen.commits ?? attemptOf(life.state).base;
  const isUngated = isIntermediate(life) && life.gates.length === 0;
  if (!session.settings.judged || isUngated)
    return commitPassed(life, { tree: seen.tree, results: [], parent }, session);

  const fixing = life.gates.filter((gate) => gate.fix);
  const fixed = await runGates(life, { gates: fixing, candidate: seen }, session);
  if (fixed.verdict === 'interrupted') return [voided(session)];
  if (fixing.length > 0) seen = await workspace.reinspect(life.id, rules);
  if (seen.kind === 'refused') return rejected(seen.failure);

  const judged = await judgeCandidate(life, seen, session);
  if (judged.verdict === 'interrupted') return [voided(session)];
  if (judged.changed.length > 0)
    return rejected({ kind: 'gate-changed-tree', paths: judged.changed });
  const results = [...fixed.results, ...judged.results];
  return conclude(life, { candidate: seen, tree: seen.tree, results, parent }, session);
}

/** What the same gates have said already of exactly this tree, when it was made ahead of its turn and nothing has moved since. */
async function knownResults(
  life: Life,
  seen: Candidate,
  session: Session,
): Promise<Judged | undefined> {
  const ahead = broughtIn(life.events);
  if (ahead?.judged.tree !== seen.tree) return undefined;
  const hash = session.settings.judged ? await session.ports.gates.hash(life.gates) : 'none';
  if (ahead.judged.gatesHash !== hash) return undefined;
  return { tree: seen.tree, results: ahead.gates, parent: attemptOf(life.state).base };
}

/** Work that was made ahead and does not pass on the branch as it is now begins anew there; the first time that is free. */
function sentBack(outcome: Outcome, { events }: Life): Outcome {
  if (outcome.type !== 'attempt.rejected') return outcome;
  if (broughtIn(events) === undefined || wasSentBack(events)) return outcome;
  return { type: 'attempt.voided', why: 'sent-back', failure: outcome.failure };
}

function refused(failure: Failure, life: Life): Outcomes {
  return rejected(failure).map((outcome) => sentBack(outcome, life));
}

interface TreeRun extends GateRun {
  /** Tracked paths that a gate changed where it ran; in the work tree, `settle` finds them. */
  readonly changed: readonly string[];
}

/** With `setup:` in a clean worktree, else in place. */
async function judgeCandidate(life: Life, seen: Candidate, session: Session): Promise<TreeRun> {
  const { clean } = session;
  if (clean?.isWhole === true) return judgeClean(life, { seen, ground: clean }, session);
  const gates = life.gates.filter((gate) => !gate.fix);
  return { ...(await runGates(life, { gates, candidate: seen }, session)), changed: [] };
}

interface Judged {
  /** Undefined where nothing judged it. */
  readonly candidate?: Candidate;
  readonly tree: string;
  readonly results: readonly GateResult[];
  /** Where the attempt began, or the agent's own commits on top of it. */
  readonly parent: string;
}

async function conclude(
  life: Life,
  judged: Judged & { readonly candidate: Candidate },
  session: Session,
): Promise<Outcomes> {
  const judgement = judgementOf(judged.results);
  if (judgement.verdict === 'error') return [{ type: 'attempt.voided', why: 'gate-error' }];
  if (judgement.verdict === 'fail') return rejected(judgement.failure);
  const old = await judgeOldTests(life, judged.candidate, session);
  if (old.kind === 'interrupted') return [voided(session)];
  if (old.kind === 'error') return [{ type: 'attempt.voided', why: 'gate-error' }];
  if (old.kind === 'fail') return rejected(old.failure);
  await tell(life, session, old.notices);
  const changed = await session.ports.workspace.settle(life.id, judged.tree);
  if (changed !== undefined) return rejected(changed);
  try {
    return await commitPassed(life, judged, session);
  } catch (error) {
    // The work is good and only its commit could not be written: it is judged again on resume, and costs nothing.
    if (!(error instanceof Refusal)) throw error;
    await tell(life, session, [error.message]);
    return [{ type: 'attempt.voided', why: 'gate-error' }];
  }
}

async function runGates(
  life: Life,
  work: { readonly gates: readonly Gate[]; readonly candidate: Candidate },
  session: Session,
): Promise<GateRun> {
  const { task, state } = life;
  const { attempt, attempts, base, token } = attemptOf(state);
  return session.ports.gates.run({
    gates: work.gates,
    tree: work.candidate.tree,
    changed: work.candidate.changed,
    run: session.journal.run,
    plan: session.plan.path,
    task: { id: task.id, title: task.title },
    attempt: { attempt, attempts, base },
    slot: session.seat,
    stage: life.staged?.stage.name,
    token,
    logFolder: session.logFolder(life.id.task, state.number),
    failFast: session.settings.failFast,
    signal: session.signal,
    onResult: (result) => session.journal.append(task.id, { type: 'gate.finished', ...result }),
    onStart: (name) => {
      session.onProgress({ type: 'step', task: task.id, attempt, attempts, step: 'gate', name });
    },
  });
}

async function commitPassed(life: Life, judged: Judged, session: Session): Promise<Outcomes> {
  const { workspace, gates } = session.ports;
  if (isIntermediate(life)) return [{ type: 'attempt.voided', why: 'stage' }];
  const gatesHash = session.settings.judged ? await gates.hash(life.gates) : 'none';
  if (session.isAhead === true) {
    const judgedTree = { tree: judged.tree, gatesHash };
    return [{ type: 'attempt.voided', why: 'ahead', judged: judgedTree }];
  }
  const who = attemptOf(life.state);
  const usage = spentOn(life.events);
  const facts: CheckpointFacts = {
    run: session.journal.run,
    task: life.task,
    attempt: who.attempt,
    number: life.state.number,
    planPath: session.plan.path,
    agent: agentName(who),
    gates: session.mask === undefined ? judged.results : maskTexts(judged.results, session.mask),
    isClean: session.clean?.isWhole ?? false,
    base: who.base,
    gatesHash,
    ...(isReported(usage) && { usage }),
  };
  const message = masked(checkpointMessage(facts, session.settings.commit), session);
  const commit = await workspace.commitObject(judged.tree, judged.parent, message);
  const { tag, proof } = await freeName(life, session);
  const text = proofText({ ...facts, tree: judged.tree });
  const proofObject = await workspace.proofObject(commit, proof, text);
  return [{ type: 'gates.passed', commit, tag, proof, proofObject, gates: judged.results }];
}

/** Trailers stay: a lost ledger is rebuilt from the names in them. */
function masked(message: Message, { mask }: Session): Message {
  if (mask === undefined) return message;
  const { subject, body } = message;
  return { ...message, subject: mask.text(subject), body: mask.text(body) };
}

/** The next number that was never used; a foreign tag in the way is stepped over. */
async function freeName(life: Life, session: Session): Promise<{ tag: string; proof: string }> {
  const { ledger, workspace } = session.ports;
  const { plan, task } = life.id;
  for (;;) {
    const number = await ledger.takeNumber(plan, session.highestProof);
    const tag = checkpointTag(plan, number, task);
    if ((await workspace.resolve(tag)) === undefined) return { tag, proof: proofRef(plan, number) };
  }
}

async function tell(life: Life, session: Session, notices: readonly string[]): Promise<void> {
  for (const message of notices)
    await session.journal.append(life.task.id, { type: 'notice', message });
}

function rejected(failure: Failure): Outcomes {
  return [{ type: 'attempt.rejected', failure }];
}
