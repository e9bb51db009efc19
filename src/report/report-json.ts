import type { AttemptSummary } from '../core/attempt-summary.ts';
import type { GateResult } from '../core/events.ts';
import {
  attemptName,
  type AttemptDetails,
  type ReportedTask,
  type RunReport,
} from '../core/run-report.ts';
import { attemptData } from './log.ts';

/**
 * A run as one object (docs/reports.md): `schema` goes up when a field changes its meaning or goes; new ones may come. What is
 * long (prompts, diffs, whole outputs) is not in it: `skeleton show TASK#N --json` has that, and `log` names the files.
 */
export function reportData(report: RunReport, details: AttemptDetails = new Map()): object {
  const { run, runs, tasks } = report;
  return {
    schema: 1,
    run: runData(run),
    ...(runs !== undefined && { runs: runs.map(runData) }),
    tasks: tasks.map((task) => taskData(task, details)),
  };
}

function runData(run: RunReport['run']): object {
  return {
    ...run,
    status: run.status ?? null,
    why: run.why ?? null,
    counts: run.counts ?? null,
    baseline: run.baseline ?? null,
  };
}

function taskData(task: ReportedTask, details: AttemptDetails): object {
  const { id, title, state, why, checkpoint, seconds, usage, waits, attempts } = task;
  return {
    id,
    title,
    state,
    why: why ?? null,
    checkpoint: checkpoint ?? null,
    seconds,
    usage,
    waits: waits.map(({ to, agent, ...wait }) => ({
      ...wait,
      to: to ?? null,
      agent: agent ?? null,
    })),
    attempts: attempts.map((attempt) => ofAttempt(attempt, details)),
  };
}

function ofAttempt(attempt: AttemptSummary, details: AttemptDetails): object {
  return {
    name: attemptName(attempt),
    ...attemptData(attempt),
    pruned: details.get(attemptName(attempt))?.pruned ?? null,
    gates: attempt.gates.map(gateData),
  };
}

function gateData(gate: GateResult): object {
  const { name, command, verdict, ended, exit, seconds, soft, digest, tail, log } = gate;
  return { name, command, verdict, ended, exit, seconds, soft, digest, tail, log };
}
