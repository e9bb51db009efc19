import { join } from 'node:path';
import {
  assertTemporary,
  clock,
  openHouse,
  planPathIn,
  stoppingWith,
  type Environment,
} from '../compose.ts';
import { nearest } from '../core/config/nearest.ts';
import type { GateResult } from '../core/events.ts';
import { parsePlan } from '../core/plan/parse-plan.ts';
import type { Plan } from '../core/plan/plan.ts';
import { settingsOf } from '../core/settings.ts';
import { judgementOf } from '../core/verdict.ts';
import { Refusal, type Gate, type Gates, type Workspace } from '../ports.ts';
import { refuseProblems } from '../run/prepare.ts';
import { interruption, type Interruption } from './carry-out.ts';
import { gatesOf, problemLine, readPlan, type PlanReading, type ReadingJob } from './read-plan.ts';

export interface GateOptions {
  /** Absolute. */
  readonly cwd: string;
  /** `--plan`, relative to `cwd`. */
  readonly planPath?: string;
  /** Names of gates, with or without their extension; empty for all that judge every task. */
  readonly names: readonly string[];
}

export interface GateIo {
  readonly onStart: (gate: string) => void;
  readonly onResult: (result: GateResult) => void;
  readonly signal: AbortSignal;
  readonly env: Environment;
}

export interface GateCheck {
  readonly run: string;
  /** `ungated`: nothing rejected, and nothing that is not soft passed. */
  readonly verdict: 'pass' | 'fail' | 'error' | 'ungated' | 'interrupted';
  readonly status: 0 | 1 | 4 | Interruption;
  readonly gates: readonly GateResult[];
}

const statusOf = { pass: 0, fail: 1, ungated: 1, error: 4 } as const;

/**
 * Runs the gates on the work tree as it lies there: no agent, no lock, no cached verdict, nothing of git changes (contract,
 * "Commands": `gate`). Without a plan file, configuration and `gates/` say what the gates are. Throws Refusal(2) where there
 * is no gate, or none of that name.
 */
export async function runGates(options: GateOptions, io: GateIo): Promise<GateCheck> {
  return stoppingWith(io.signal, () => judge(options, io));
}

async function judge(options: GateOptions, io: GateIo): Promise<GateCheck> {
  const house = await openHouse(options.cwd, io.env);
  assertTemporary();
  const planPath = planPathIn(house.facts.top, options.cwd, options.planPath);
  const workspace = await house.workspace();
  try {
    const job = { workspace, planPath, flags: {}, env: io.env };
    const reading = await readPlanOrNone(job, options.planPath !== undefined);
    refuseProblems(reading.problems.map(problemLine));
    const gates = await house.gates(reading.config);
    const run = clock.id();
    const found = await gates.find(reading.plan, undefined);
    const chosen = await choose(options.names, { found, gates, plan: reading.plan });
    const { results, verdict } = await gates.run({
      gates: chosen,
      tree: '',
      changed: [],
      run,
      plan: planPath,
      task: undefined,
      attempt: undefined,
      token: run,
      logFolder: join(house.stateFolder, 'logs', run, 'gate'),
      failFast: settingsOf(reading.config).failFast,
      signal: io.signal,
      onResult: (result) => {
        io.onResult(result);
        return Promise.resolve();
      },
      onStart: io.onStart,
    });
    return checked(run, results, verdict === 'interrupted' ? io.signal : undefined);
  } finally {
    await house.close();
  }
}

function checked(
  run: string,
  gates: readonly GateResult[],
  cutOff: AbortSignal | undefined,
): GateCheck {
  const judgement = judgementOf(gates);
  const isUngated = judgement.verdict === 'fail' && judgement.failure.kind === 'ungated';
  const judged = isUngated ? 'ungated' : judgement.verdict;
  if (cutOff !== undefined)
    return { run, verdict: 'interrupted', status: interruption(cutOff), gates };
  return { run, verdict: judged, status: statusOf[judged], gates };
}

/** The gates of a repository may be wanted where no plan is: a plan that was asked for by name has to be there. */
async function readPlanOrNone(job: ReadingJob, isAsked: boolean): Promise<PlanReading> {
  const { kind } = await job.workspace.readWorkFile(job.planPath);
  if (kind !== 'missing' || isAsked) return readPlan(job);
  const bytes = new Uint8Array();
  const readWorkFile: Workspace['readWorkFile'] = (path) =>
    path === job.planPath
      ? Promise.resolve({ kind: 'file', bytes, ignored: false })
      : job.workspace.readWorkFile(path);
  const reading = await readPlan({ ...job, workspace: { readWorkFile } });
  return { ...reading, plan: parsePlan(bytes, job.planPath), problems: notOf(job, reading) };
}

/** That an absent plan has no task is no problem here. */
function notOf({ planPath }: ReadingJob, { problems }: PlanReading): PlanReading['problems'] {
  return problems.filter(({ file }) => file !== planPath);
}

interface Choice {
  readonly found: readonly Gate[];
  readonly gates: Gates;
  readonly plan: Plan;
}

/** Without names, those that judge every task; by name, also those that a pending task has for itself. */
async function choose(names: readonly string[], choice: Choice): Promise<readonly Gate[]> {
  const { found, gates, plan } = choice;
  if (names.length === 0) {
    if (found.length === 0)
      throw new Refusal(2, 'every gate belongs to a task', 'skeleton gate NAME');
    return found;
  }
  const pending = plan.tasks.filter((task) => task.state === 'pending');
  const { all } = await gatesOf(gates, plan, pending);
  const known = [...new Map([...all, ...found].map((gate) => [gate.name, gate])).values()];
  const chosen = new Set(names.map((name) => byName(name, known)));
  return known.filter((gate) => chosen.has(gate));
}

function byName(name: string, known: readonly Gate[]): Gate {
  const alike = known.filter((gate) => gate.name.replace(/\.[^.]+$/, '') === name);
  const gate =
    known.find((one) => one.name === name) ?? (alike.length === 1 ? alike[0] : undefined);
  if (gate !== undefined) return gate;
  const names = known.map((one) => one.name);
  const near = nearest(name, names);
  const hint = near === undefined ? '' : `; did you mean '${near}'?`;
  throw new Refusal(
    2,
    `no gate is called '${name}'${hint} (${names.join(', ')})`,
    'skeleton check',
  );
}
