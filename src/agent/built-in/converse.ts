import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  stepCountIs,
  streamText,
  type LanguageModel,
  type StreamTextResult,
  type ToolSet,
} from 'ai';
import { explainError } from './explain-error.ts';
import type { BuiltInLine, Tokens } from './line.ts';
import type { BuiltInSettings } from './endpoint.ts';
import { peekingFetch } from './peeking-fetch.ts';
import { openSum, type Sum } from './sum.ts';
import { shown, MOST_SHOWN } from './shown.ts';
import { clip } from '../../core/text.ts';

export interface Conversation {
  readonly settings: BuiltInSettings;
  readonly key: string | undefined;
  readonly prompt: string;
  readonly tools: ToolSet;
  readonly print: (line: BuiltInLine) => void;
  readonly now: () => number;
}

const system = `You are a coding agent that works alone: nobody answers questions. You change the files of the current folder, a git
work tree, with the tools you have. Read before you change, keep to the task, run the checks that judge it, and say in one or
two sentences at the end what you did.`;

/** A provider that asks to be let alone for longer is waited for by the run, not here. */
const RETRIES = 2;
/** Tokens. The Messages API wants to be told; what the SDK takes for a model that it does not know is too short for a file. */
const LONGEST_ANSWER = 16_000;

/** The model's answers and our tools' results, until it is done or a limit is reached: the last line that is printed says which. */
export async function converse(conversation: Conversation): Promise<void> {
  const { settings, print, now } = conversation;
  const sum = openSum();
  print({ type: 'start', api: settings.api, model: settings.model });
  try {
    const answers = ask(conversation, sum);
    for await (const part of answers.fullStream) {
      // What goes wrong is one of the parts; the last one is thrown.
      if (part.type === 'error') throw part.error;
      if (part.type === 'tool-call' && part.invalid === true) print(refusedCall(part));
    }
    const { length: turns } = await answers.steps;
    const finish = finishOf(await answers.finishReason, sum, settings);
    print({ type: 'result', text: await answers.text, finish, turns, tokens: sum.soFar() });
  } catch (error) {
    const explained = explainError(error, now);
    // Of an answer that broke off nobody knows what it took; one that was refused took nothing.
    if (explained.status === undefined) sum.add({});
    print({ type: 'error', ...explained, tokens: sum.soFar() });
  }
}

/** A call of a tool that is not there, or not as it wants to be called: the model is told, and the log. */
function refusedCall(call: {
  readonly toolName: string;
  readonly input: unknown;
  readonly error?: unknown;
}): BuiltInLine {
  const { toolName: name, input, error } = call;
  const output = `error: ${error instanceof Error ? error.message : 'no such call'}`;
  return { type: 'tool', name, input: shown(input), output: clip(output, MOST_SHOWN) };
}

/** Streamed, because a local model may take longer for an answer than a connection may be silent (5 minutes, Node's fetch). */
function ask(
  conversation: Conversation,
  sum: Sum,
): Pick<StreamTextResult<ToolSet, never>, 'fullStream' | 'steps' | 'finishReason' | 'text'> {
  const { settings, prompt, tools, print } = conversation;
  return streamText({
    model: modelOf(conversation),
    system,
    prompt,
    tools,
    maxRetries: RETRIES,
    ...(settings.protocol === 'anthropic' && { maxOutputTokens: LONGEST_ANSWER }),
    stopWhen: [stepCountIs(settings.turns), () => spent(sum.soFar()) >= settings.tokens],
    // By default it prints it.
    onError: () => undefined,
    onStepFinish: (step) => {
      if (step.text !== '') print({ type: 'text', text: step.text });
      sum.add(step.usage);
      print({ type: 'usage', tokens: sum.soFar() });
    },
  });
}

/** A model that still wants to call a tool was cut off by a limit of ours. */
function finishOf(reason: string, sum: Sum, { tokens }: BuiltInSettings): string {
  if (reason !== 'tool-calls') return reason;
  return spent(sum.soFar()) >= tokens ? 'tokens' : 'turns';
}

function modelOf({ settings, key }: Conversation): LanguageModel {
  const { api, model, protocol } = settings;
  const fetch = peekingFetch;
  if (protocol === 'anthropic')
    return createAnthropic({ baseURL: api, apiKey: key ?? 'none', fetch }).languageModel(model);
  const named = { name: 'endpoint', baseURL: api, includeUsage: true, fetch };
  return createOpenAICompatible({ ...named, ...(key !== undefined && { apiKey: key }) }).chatModel(
    model,
  );
}

function spent({ input, output }: Tokens): number {
  return (input ?? 0) + (output ?? 0);
}
