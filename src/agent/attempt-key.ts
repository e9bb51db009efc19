import { createHash } from 'node:crypto';
import { keyText, steady, type KeyTrees, type Unsteady } from '../core/attempt-key.ts';
import type { Config } from '../core/config.ts';
import type { AgentJob, Feedback } from '../ports.ts';
import type { Caller } from './caller.ts';

/** The SHA-256 of all that decides what the agent does. `prompt`: rendered of `steadyJob`. */
export function attemptKey(
  { job, prompt, trees }: { job: AgentJob; prompt: string; trees: KeyTrees },
  caller: Caller,
  { permissions, env, push }: Config,
): string {
  const text = keyText({
    task: job.task.text,
    prompt,
    attempt: job.attempt.attempt,
    trees,
    agent: caller.name,
    model: job.model,
    options: { call: caller.identity, permissions, env, push, stage: job.stage?.name },
  });
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** The job without what differs each time: see `steady`. What was merely noticed of the last attempt does not count. */
export function steadyJob(job: AgentJob, { here, temporary }: Unsteady): AgentJob {
  const { feedback } = job;
  if (feedback === undefined) return job;
  const unsteady = { here: [...here, job.run], temporary };
  return { ...job, feedback: steadyFeedback(feedback, unsteady) };
}

function steadyFeedback({ failure, gates }: Feedback, unsteady: Unsteady): Feedback {
  const { detail } = failure;
  const still = (text: string): string => steady(text, unsteady);
  return {
    failure: { ...failure, ...(detail !== undefined && { detail: still(detail) }) },
    gates: gates.map((gate) => ({ ...gate, tail: still(gate.tail), log: '' })),
    notices: [],
  };
}
