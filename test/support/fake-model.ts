import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the model does when it is asked; one turn a request, the last one again and again. */
export type Turn =
  | { readonly text: string }
  /** It calls one of the agent's tools. */
  | { readonly tool: string; readonly input: object }
  /** The provider's filter stops the answer. */
  | { readonly refused: true }
  | {
      readonly status: number;
      readonly error?: {
        readonly code?: string | number;
        readonly type?: string;
        readonly message: string;
      };
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** It never answers. */
  | { readonly hang: true }
  /** It breaks the connection off. */
  | { readonly drop: true }
  /** It begins to answer, then breaks the connection off. */
  | { readonly breakOff: true }
  /** It begins to answer, then sends this error as an event. */
  | { readonly begunThen: object };

export interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface FakeModel {
  /** `http://127.0.0.1:PORT`; below it `/v1/chat/completions` and `/anthropic/v1/messages`. */
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Requests that are answered neither way: their clients still wait. */
  readonly waiting: () => number;
  readonly close: () => Promise<void>;
}

/** Each answer counts so many tokens. */
const tokensOfTurn = { input: 100, output: 10 };

/** A model on this machine that plays a script. `models` is the status of its list of models. */
export async function startFakeModel(
  turns: readonly Turn[],
  { models = 200 }: { readonly models?: number } = {},
): Promise<FakeModel> {
  const asked: Asked[] = [];
  const waiting = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    waiting.add(response);
    response.once('close', () => waiting.delete(response));
    void bodyOf(request).then((body) => {
      const path = request.url ?? '';
      if (path.endsWith('/models')) return send(response, models, { data: [{ id: 'm' }] });
      const turn = turns[Math.min(asked.length, turns.length - 1)];
      asked.push({ path, headers: request.headers, body });
      if (turn !== undefined) play(turn, path.includes('/anthropic/'), response);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port.toString()}`,
    asked,
    waiting: () => waiting.size,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, status: number, body: object, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function play(turn: Turn, isAnthropic: boolean, response: ServerResponse): void {
  if ('hang' in turn) return;
  if ('drop' in turn) response.destroy();
  else if ('breakOff' in turn || 'begunThen' in turn) begin(turn, isAnthropic, response);
  else if ('status' in turn)
    send(response, turn.status, { type: 'error', error: turn.error ?? {} }, turn.headers);
  else if (isAnthropic) stream(response, message(turn), '');
  else stream(response, completion(turn), 'data: [DONE]\n\n');
}

type Begun = Extract<Turn, { breakOff: true } | { begunThen: object }>;
type Answer = Exclude<Turn, { hang: true } | { drop: true } | { status: number } | Begun>;

function begin(turn: Begun, isAnthropic: boolean, response: ServerResponse): void {
  const events = isAnthropic ? message({ text: 'Well' }) : completion({ text: 'Well' });
  const begun = events.slice(0, isAnthropic ? 3 : 1);
  if ('begunThen' in turn) return stream(response, [...begun, turn.begunThen], '');
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(begun.map((event) => textOf(event)).join(''), () =>
    setTimeout(() => response.destroy(), 50),
  );
}

function stream(response: ServerResponse, events: readonly object[], last: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(textOf(event));
  response.end(last);
}

function textOf(event: object): string {
  const name = 'type' in event ? `event: ${String(event.type)}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}

/** https://platform.openai.com/docs/api-reference/chat-streaming */
function completion(turn: Answer): readonly object[] {
  const call = 'tool' in turn && { name: turn.tool, arguments: JSON.stringify(turn.input) };
  const delta = {
    role: 'assistant',
    ...('text' in turn && { content: turn.text }),
    ...(call && { tool_calls: [{ index: 0, id: 'call-1', type: 'function', function: call }] }),
  };
  const finish_reason = 'refused' in turn ? 'content_filter' : call ? 'tool_calls' : 'stop';
  const { input, output } = tokensOfTurn;
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  return [
    { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
    { ...chunk, choices: [], usage },
  ];
}

/** https://docs.anthropic.com/en/docs/build-with-claude/streaming */
function message(turn: Answer): readonly object[] {
  const { input: input_tokens, output: output_tokens } = tokensOfTurn;
  const usage = { input_tokens, output_tokens: 1 };
  const head = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage };
  const stop_reason = 'refused' in turn ? 'refusal' : 'tool' in turn ? 'tool_use' : 'end_turn';
  return [
    { type: 'message_start', message: { ...head, stop_reason: null, stop_sequence: null } },
    ...blockOf(turn),
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens },
    },
    { type: 'message_stop' },
  ];
}

function blockOf(turn: Answer): readonly object[] {
  if ('refused' in turn) return [];
  const isCall = 'tool' in turn;
  const content_block = isCall
    ? { type: 'tool_use', id: 'call-1', name: turn.tool, input: {} }
    : { type: 'text', text: '' };
  const delta = isCall
    ? { type: 'input_json_delta', partial_json: JSON.stringify(turn.input) }
    : { type: 'text_delta', text: turn.text };
  return [
    { type: 'content_block_start', index: 0, content_block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
  ];
}
