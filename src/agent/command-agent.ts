import { basename, join, relative } from 'node:path';
import type { Config } from '../core/config.ts';
import { defaultTimeout } from '../core/settings.ts';
import { clip, oneLine } from '../core/text.ts';
import { assertAllEnded } from '../exec/assert-all-ended.ts';
import { runStep } from '../exec/run-step.ts';
import { isInstalled, programOf } from '../exec/shell-program.ts';
import { stepEnvironment } from '../exec/step-environment.ts';
import type { Watcher } from '../exec/watcher.ts';
import { writeAnew } from '../exec/write-anew.ts';
import { Refusal, type Agent, type AgentEnd, type AgentJob } from '../ports.ts';
import { agentEnd } from './agent-end.ts';
import { renderPrompt } from './prompt.ts';
import { readTemplate } from './read-template.ts';

export interface CommandAgentOptions {
  /** Absolute; the agent's current directory. */
  readonly top: string;
  /** Absolute; of the repository. Logs are named relative to its `skeleton` folder. */
  readonly commonDir: string;
  /** Absolute; its templates/ holds the prompt of those who have none of their own. */
  readonly packageRoot: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Merged of all its sources. */
  readonly config: Config;
  /** Gets what the agent prints, as it comes. */
  readonly sink?: ((chunk: Uint8Array) => void) | undefined;
  readonly watcher?: Watcher | undefined;
}

/** Any shell command as the agent: the prompt on its standard input, its exit status the end (contract, "Agent step"). */
export function openCommandAgent(options: CommandAgentOptions): Agent {
  const { top, packageRoot, config } = options;
  const stateFolder = join(options.commonDir, 'skeleton');
  const template = (): Promise<string> => readTemplate({ top, packageRoot, prompt: config.prompt });
  const prompt = async (job: AgentJob): Promise<string> =>
    renderPrompt(await template(), job, stateFolder);
  return {
    name: nameOf(config),
    assertReady: async () => {
      await template();
      await assertInstalled(commandOf(config), options);
    },
    prompt,
    run: async (job) => runAgent(job, await prompt(job), options),
  };
}

async function runAgent(
  job: AgentJob,
  prompt: string,
  options: CommandAgentOptions,
): Promise<AgentEnd> {
  const { top, commonDir, config, sink, watcher } = options;
  const promptFile = join(job.logFolder, 'prompt.md');
  const logPath = join(job.logFolder, 'agent.log');
  await writeAnew(promptFile, prompt);
  const { run, plan, task, base } = job;
  const attempt = { attempt: job.attempt.attempt, attempts: job.attempt.attempts, base };
  const idleTimeoutMs = task.config.idleTimeout ?? config.idleTimeout;
  const step = await runStep({
    command: commandOf(config),
    cwd: top,
    env: stepEnvironment(options.env, { run, plan: plan.path, task, attempt, promptFile }),
    input: prompt,
    token: job.token,
    timeoutMs: task.config.timeout ?? config.timeout ?? defaultTimeout,
    ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
    logPath,
    ...(config.maxLog !== undefined && { maxLogBytes: config.maxLog }),
    signal: job.signal,
    ...(sink && { onOutput: sink }),
    ...(watcher && { watcher }),
  });
  assertAllEnded(step.leftovers);
  const seconds = Math.round(step.durationMs) / 1000;
  return agentEnd(step.end, { seconds, log: relative(join(commonDir, 'skeleton'), logPath) });
}

function commandOf(config: Config): string {
  if (config.agentCommand !== undefined) return config.agentCommand;
  const which =
    config.agent === undefined
      ? 'no agent is named'
      : `how to call ${oneLine(config.agent)} is not known`;
  throw new Refusal(
    3,
    which,
    "skeleton run --agent-command 'COMMAND', or agent: {command: …} in the front matter; it gets the prompt on its standard input",
  );
}

async function assertInstalled(command: string, { top, env }: CommandAgentOptions): Promise<void> {
  const program = programOf(command);
  if (program === undefined || (await isInstalled(program, { cwd: top, env }))) return;
  const where = program.includes('/') ? 'is not there, or may not be executed' : 'is not on PATH';
  throw new Refusal(
    3,
    `the agent's command ${program} ${where}`,
    `install ${program}, or name another command with --agent-command`,
  );
}

const LONGEST_NAME = 40;

function nameOf({ agent, agentCommand }: Config): string {
  const program =
    agentCommand === undefined ? agent : basename(programOf(agentCommand) ?? 'command');
  return clip(oneLine(program ?? 'none'), LONGEST_NAME);
}
