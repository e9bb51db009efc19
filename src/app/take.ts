import { assertTemporary, openHouse, planPathIn, stoppingWith, type House } from '../compose.ts';
import type { TaskOutcome } from '../core/events.ts';
import type { Phase } from '../core/machine.ts';
import type { Task } from '../core/plan/plan.ts';
import { findTask, select } from '../core/schedule.ts';
import { settingsOf } from '../core/settings.ts';
import { Refusal } from '../ports.ts';
import { refuseProblems } from '../run/prepare.ts';
import { tagStart } from '../run/start-run.ts';
import { person, takeTask } from '../run/take-task.ts';
import type { Session } from '../run/session.ts';
import { filesAt } from './files-at.ts';
import { inCleanGround, interruption, openSession, type RunResult } from './carry-out.ts';
import { withBase } from './open-base.ts';
import { problemLine, readPlan, type PlanReading } from './read-plan.ts';
import { isUntouched, noCommit } from './refuse-no-commit.ts';
import { refuseSharedTake } from './refuse-shared.ts';
import type { OpenBase, RunIo } from './run-base.ts';

export interface TakeOptions {
  /** Absolute. */
  readonly cwd: string;
  readonly planPath?: string;
  /** Id or number. */
  readonly task: string;
}

/**
 * Judges the work tree, as a person has mended it, as the task's next attempt, without an agent (contract, "Commands": `take`).
 * Plan and configuration are HEAD's. Red is kept as TASK#N and leaves work tree, index and HEAD alone. Throws Refusal (2, 3:
 * nothing was touched; 4), and Interrupted where the signal aborts before anything is judged.
 */
export async function take(options: TakeOptions, io: RunIo): Promise<RunResult> {
  return stoppingWith(io.signal, () => takeUp(options, io));
}

async function takeUp(options: TakeOptions, io: RunIo): Promise<RunResult> {
  const house = await openHouse(options.cwd, io.env);
  refuseSharedTake(house, planPathIn(house.facts.top, options.cwd, options.planPath));
  if (house.facts.head === undefined && (await isUntouched(house))) throw noCommit();
  assertTemporary();
  const planPath = planPathIn(house.facts.top, options.cwd, options.planPath);
  const { onEvent, onEarlier, env } = io;
  const opening = { house, env, planPath, onEvent, onEarlier, asItLies: true };
  return withBase(opening, async (base) => {
    const head = await headOf(base);
    const reading = await readAtHead(head, base, io);
    const task = pendingTask(reading, options.task);
    await base.workspace.assertReady(base.slug);
    await refuseNothing(base, task);
    const session = await openSession({ ...base, io }, await tools(reading, base.house));
    return inCleanGround(session, () => judgeTree({ head, task, reading }, session, base, io));
  });
}

async function headOf({ workspace }: OpenBase): Promise<string> {
  const head = await workspace.resolve('HEAD');
  if (head !== undefined) return head;
  throw noCommit();
}

async function readAtHead(head: string, base: OpenBase, io: RunIo): Promise<PlanReading> {
  const { workspace, planPath } = base;
  if ((await workspace.readAt(head, planPath)) === undefined)
    throw new Refusal(
      2,
      `no plan: HEAD has no ${planPath}`,
      `git add ${planPath} && git commit, or skeleton take --plan PATH`,
    );
  const files = filesAt(head, workspace);
  const reading = await readPlan({ workspace: files, planPath, flags: {}, env: io.env });
  refuseProblems(reading.problems.map(problemLine));
  return reading;
}

function pendingTask({ plan }: PlanReading, name: string): Task {
  const { tasks, problems } = select(plan, { named: [name], from: undefined, limit: Infinity });
  refuseProblems(problems);
  const [task] = tasks;
  if (task !== undefined) return task;
  const state = findTask(plan, name)?.state ?? 'done';
  throw new Refusal(2, `'${name}' is ${state} in ${plan.path} at HEAD already`, 'skeleton status');
}

/** An attempt of nothing would only be counted. */
async function refuseNothing({ workspace }: OpenBase, task: Task): Promise<void> {
  if (task.config.allowEmpty === true || (await workspace.dirt()).length > 0) return;
  throw new Refusal(
    3,
    'the work tree is as HEAD has it: there is nothing to judge',
    'mend it, without committing; then take it',
  );
}

type Tools = Parameters<typeof openSession>[1];

async function tools(reading: PlanReading, house: House): Promise<Tools> {
  const settings = { ...settingsOf(reading.config), judged: true, stagnation: Infinity };
  return {
    reading,
    settings,
    agents: { name: person.name, of: () => [person] },
    gates: await house.gates(reading.config),
  };
}

interface Taking {
  readonly head: string;
  readonly task: Task;
  readonly reading: PlanReading;
}

async function judgeTree(
  { head, task, reading }: Taking,
  session: Session,
  base: OpenBase,
  io: RunIo,
): Promise<RunResult> {
  const { journal } = session;
  await journal.append('', {
    type: 'run.started',
    schema: 1,
    plan: reading.plan.path,
    base: head,
    branch: base.workspace.facts.branch ?? '',
    start: await tagStart(head, session),
    options: { take: task.id },
  });
  const { phase } = await takeTask(task, reading.bytes, session);
  const { status, why } = endOf(phase, io.signal);
  const pending = reading.plan.tasks.filter(({ state }) => state === 'pending').length;
  const counts = { ...nothing, pending: pending - 1, [outcomes[status] ?? 'pending']: 1 };
  await journal.append('', { type: 'run.finished', status, why, counts });
  return { status, why };
}

const nothing = { passed: 0, failed: 0, blocked: 0, skipped: 0, unjudged: 0, pending: 0 };
const outcomes: Readonly<Partial<Record<number, Exclude<TaskOutcome, 'stopped'>>>> = {
  0: 'passed',
  1: 'failed',
};

function endOf(
  phase: Phase,
  signal: AbortSignal,
): { readonly status: RunResult['status']; readonly why: string } {
  if (phase === 'passed') return { status: 0, why: 'done' };
  if (phase === 'failed') return { status: 1, why: 'failed' };
  if (signal.aborted) return { status: interruption(signal), why: 'interrupted' };
  return { status: 4, why: 'gate-error' };
}
