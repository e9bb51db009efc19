import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { byteLength } from '../core/text.ts';
import { defaultTimeout } from '../core/settings.ts';
import { assertAllEnded } from '../exec/assert-all-ended.ts';
import { keepLast } from '../exec/output-record.ts';
import { readPlainFile } from '../exec/read-plain-file.ts';
import { runStep, type StepSpec } from '../exec/run-step.ts';
import { stepEnvironment } from '../exec/step-environment.ts';
import { writeAnew } from '../exec/write-anew.ts';
import type { Scribe, ScribeJob, Written } from '../ports.ts';
import { agentEnd } from './agent-end.ts';
import { assertModel, mainCaller, permitted } from './agents.ts';
import type { Caller } from './caller.ts';
import { plainStart } from './plain-start.ts';
import { openReader, type OpenReader } from './reading.ts';
import type { AgentHouse } from './run-agent.ts';
import { openStepCut } from './step-cut.ts';
import { withoutPush } from './without-push.ts';

/** Bytes of an answer. A reader keeps 64 KiB, and of a file no more than this is read. */
const MOST_ANSWER = 512 * 1024;
const MOST_READ = 65_536;

/** Throws Refusal as `openAgents`. */
export async function openScribe(given: AgentHouse): Promise<Scribe> {
  const house = permitted({ ...given, config: { ...given.config, permissions: 'configured' } });
  const caller = await mainCaller(house);
  if (house.config.agentApi !== undefined) assertModel(house.config);
  return {
    name: caller.name,
    reports: caller.reports,
    assertReady: caller.assertReady,
    write: (job) => write(job, caller, house),
  };
}

async function write(job: ScribeJob, caller: Caller, house: AgentHouse): Promise<Written> {
  await rm(join(job.folder, 'PLAN.md'), { recursive: true, force: true });
  const settings = await house.pushOff?.();
  const { env, close } = await withoutPush(house.env, settings, join(job.logFolder, 'git-config'));
  try {
    return await perform(job, caller, { ...house, env });
  } finally {
    await close();
  }
}

async function perform(job: ScribeJob, caller: Caller, house: AgentHouse): Promise<Written> {
  const { commonDir, secrets, sink, watcher } = house;
  const promptFile = join(job.logFolder, 'prompt.md');
  const logPath = join(job.logFolder, 'agent.log');
  const prompt = caller.takesCommands === true ? plainStart(job.prompt) : job.prompt;
  await writeAnew(promptFile, prompt);
  const reader = caller.reader && openReader({ reader: caller.reader }, { now: () => new Date() });
  const printed = keepLast(MOST_ANSWER);
  const cut = openStepCut(job, reader);
  const step = await runStep({
    ...stepOf(job, caller, { house, promptFile, prompt }),
    logPath,
    signal: cut.signal,
    onOutput: (chunk) => {
      reader?.take(chunk);
      printed.take(Buffer.from(chunk));
      cut.look();
    },
    ...(secrets && { secrets }),
    ...(sink && { sink }),
    ...(watcher && { watcher }),
  });
  assertAllEnded(step.leftovers);
  const seconds = Math.round(step.durationMs) / 1000;
  const log = relative(join(commonDir, 'skeleton'), logPath);
  const listening = reader && keptBy(reader);
  const end = cut.endOf(agentEnd(step.end, { seconds, log }, listening, caller.signIn));
  const said = listening === undefined ? decode(printed.bytes()) : listening.text();
  return { end, ...answerOf(fileIn(job.folder), said, reader !== undefined) };
}

function stepOf(
  job: ScribeJob,
  caller: Caller,
  { house, promptFile, prompt }: { house: AgentHouse; promptFile: string; prompt: string },
): Pick<StepSpec, 'command' | 'cwd' | 'env' | 'input' | 'token' | 'timeoutMs' | 'idleTimeoutMs'> & {
  readonly maxLogBytes?: number;
} {
  const { model, models = [], timeout, idleTimeout, maxLog } = house.config;
  const chosen = model ?? models[0];
  const { command, env, stdin } = caller.call({ model: chosen, session: undefined, promptFile });
  const { run, plan } = job;
  return {
    command,
    cwd: job.folder,
    env: { ...env, ...stepEnvironment(house.env, { run, plan, promptFile }) },
    ...(stdin === 'prompt' && { input: prompt }),
    token: job.token,
    timeoutMs: timeout ?? defaultTimeout,
    ...(idleTimeout !== undefined && { idleTimeoutMs: idleTimeout }),
    ...(maxLog !== undefined && { maxLogBytes: maxLog }),
  };
}

/** A reader whose last answer is kept. */
function keptBy(reader: OpenReader): OpenReader & { readonly text: () => string } {
  let text = '';
  return {
    ...reader,
    finish: (end) => {
      const reading = reader.finish(end);
      text = reading.text ?? '';
      return reading;
    },
    text: () => text,
  };
}

function answerOf(
  file: string | undefined,
  said: string,
  isRead: boolean,
): Pick<Written, 'text' | 'isCut'> {
  if (file !== undefined && file.trim() !== '') return { text: file, isCut: false };
  const most = isRead ? MOST_READ : MOST_ANSWER;
  return { text: said, isCut: byteLength(said) > most - 4 };
}

function fileIn(folder: string): string | undefined {
  try {
    const bytes = readPlainFile(join(folder, 'PLAN.md'));
    return bytes === undefined || bytes.length > MOST_ANSWER ? undefined : decode(bytes);
  } catch {
    return undefined;
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
