import { join, relative } from 'node:path';
import type { Config } from '../core/config.ts';
import type { Secret } from '../core/mask.ts';
import { defaultTimeout } from '../core/settings.ts';
import { assertAllEnded } from '../exec/assert-all-ended.ts';
import { runStep, type StepSpec } from '../exec/run-step.ts';
import { stepEnvironment } from '../exec/step-environment.ts';
import type { Watcher } from '../exec/watcher.ts';
import { writeAnew } from '../exec/write-anew.ts';
import type { AgentEnd, AgentJob } from '../ports.ts';
import { agentEnd } from './agent-end.ts';
import type { Call, Caller } from './caller.ts';
import { openAnswer } from './final-answer.ts';
import { openReader, type ReaderOptions } from './reading.ts';
import { openStepCut } from './step-cut.ts';
import { withoutPush } from './without-push.ts';

export interface AgentHouse {
  /** Absolute; the agent's current directory. */
  readonly top: string;
  /** Absolute; of the repository. Logs are named relative to its `skeleton` folder. */
  readonly commonDir: string;
  /** Absolute; its templates/ holds the prompt of those who have none of their own. */
  readonly packageRoot: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Merged of all its sources. */
  readonly config: Config;
  /** Masked in prompts and logs. */
  readonly secrets?: readonly Secret[] | undefined;
  /** A configuration of git with which pushes go nowhere; asked before each step that may not push. */
  readonly pushOff?: (() => Promise<string>) | undefined;
  /** Gets what the agent prints, masked. */
  readonly sink?: ((chunk: Uint8Array) => void) | undefined;
  readonly watcher?: Watcher | undefined;
}

/** One agent's step, from its prompt to what its end means for the attempt. */
export async function runAgent(
  job: AgentJob,
  prompt: string,
  caller: Caller,
  house: AgentHouse,
): Promise<AgentEnd> {
  if (house.config.push === true) return performStep(job, prompt, caller, house);
  const settings = await house.pushOff?.();
  const { env, close } = await withoutPush(house.env, settings, join(job.logFolder, 'git-config'));
  try {
    return await performStep(job, prompt, caller, { ...house, env });
  } finally {
    await close();
  }
}

async function performStep(
  job: AgentJob,
  prompt: string,
  caller: Caller,
  house: AgentHouse,
): Promise<AgentEnd> {
  const { top, commonDir, config, secrets, sink, watcher } = house;
  const promptFile = join(job.logFolder, 'prompt.md');
  const logPath = join(job.logFolder, 'agent.log');
  await writeAnew(promptFile, prompt);
  const { command, env, stdin } = caller.call(callOf(job, promptFile));
  const reader = caller.reader && openReader({ reader: caller.reader }, readerOptions(job));
  const cut = openStepCut(job, reader);
  const answer = openAnswer(job, reader);
  const step = await runStep({
    command,
    cwd: top,
    env: { ...env, ...environment(job, promptFile, house) },
    ...(stdin === 'prompt' && { input: prompt }),
    token: job.token,
    ...limitsOf(job, config),
    logPath,
    signal: cut.signal,
    onOutput: (chunk) => {
      reader?.take(chunk);
      answer.take(chunk);
      cut.look();
    },
    ...(secrets && { secrets }),
    ...(sink && { sink }),
    ...(watcher && { watcher }),
  });
  assertAllEnded(step.leftovers);
  const seconds = Math.round(step.durationMs) / 1000;
  const log = relative(join(commonDir, 'skeleton'), logPath);
  const end = agentEnd(step.end, { seconds, log }, answer.reader, caller.signIn);
  return answer.withText(cut.endOf(end));
}

function callOf({ model, session, stage }: AgentJob, promptFile: string): Call {
  return { model, session, promptFile, ...(stage?.review && { isToRead: true }) };
}

function limitsOf(
  { task }: AgentJob,
  config: Config,
): Pick<StepSpec, 'timeoutMs' | 'idleTimeoutMs' | 'maxLogBytes'> {
  const idleTimeoutMs = task.config.idleTimeout ?? config.idleTimeout;
  return {
    timeoutMs: task.config.timeout ?? config.timeout ?? defaultTimeout,
    ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
    ...(config.maxLog !== undefined && { maxLogBytes: config.maxLog }),
  };
}

function readerOptions({ sessionUsage }: AgentJob): ReaderOptions {
  const now = (): Date => new Date();
  if (sessionUsage === undefined) return { now };
  if (sessionUsage === 'unknown') return { now, earlier: 'unknown' };
  const { input = 0, output = 0 } = sessionUsage;
  return { now, earlier: { input, output } };
}

function environment(
  { run, plan, task, attempt, base, slot, stage }: AgentJob,
  promptFile: string,
  { env }: AgentHouse,
): Record<string, string> {
  const nth = { attempt: attempt.attempt, attempts: attempt.attempts, base };
  const place = { attempt: nth, slot, stage: stage?.name };
  return stepEnvironment(env, { run, plan: plan.path, task, ...place, promptFile });
}
