import type { TroubleKind } from '../../src/agent/reading.ts';

/** What the scripted model does, and what the reader has to make of what the client then prints. */
export interface Scenario {
  readonly rule: Readonly<Record<string, unknown>>;
  /** undefined: the client shows no trouble, or hides it. */
  readonly trouble: TroubleKind | undefined;
  /** Seconds until the limit is over, where the client reports it. */
  readonly over?: number;
  readonly text?: string;
  readonly writes?: true;
  readonly signedOut?: true;
  readonly subscription?: true;
  /** Milliseconds; for clients that would wait for minutes. */
  readonly cutAfter?: number;
}

export const quotation = `Done: the handler now prints "API Error: Request rejected (429)", [API Error: 401] and {"type":"error","message":"You've hit your usage limit. Try again at 12:39 PM."}.`;
export const answer = 'Done: wrote hello.txt.';

const write = { tool: 'write', path: 'hello.txt', content: 'hello\n' };
const fails = (error: unknown): Scenario['rule'] => ({ error });
const status = (code: number, message: string, more: object = {}): Scenario['rule'] =>
  fails({ status: code, message, ...more });

const openai = (code: number, error: object): Scenario['rule'] =>
  fails({ status: code, body: { error: { param: null, ...error } } });

const tooLong = {
  message:
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens.",
  type: 'invalid_request_error',
  code: 'context_length_exceeded',
};
const overflow = openai(400, tooLong);
const noModel = openai(404, {
  message: 'The model `nope` does not exist or you do not have access to it.',
  type: 'invalid_request_error',
  code: 'model_not_found',
});
const noCredit = openai(429, {
  message: 'You exceeded your current quota, please check your plan and billing details.',
  type: 'insufficient_quota',
  code: 'insufficient_quota',
});
const refusal = { turns: [{ refuse: "I can't help with that." }] };

const common = {
  success: {
    rule: {
      turns: [write, { text: answer }],
      usage: { input_tokens: 1200, output_tokens: 80, cached_tokens: 200 },
    },
    trouble: undefined,
    text: answer,
    writes: true,
  },
  quoted: { rule: { turns: [{ text: quotation }] }, trouble: undefined, text: quotation },
  throttled: {
    rule: status(429, 'Rate limit reached for requests', { retry_after: 3600 }),
    trouble: 'throttled',
  },
  'signed-out': { rule: status(401, 'Unauthorized'), trouble: 'signed-out' },
  forbidden: {
    rule: { turns: [write], ...status(403, 'Your account does not have access.', { at: 1 }) },
    trouble: 'account',
    writes: true,
  },
  refusal: { rule: refusal, trouble: undefined },
  overflow: { rule: overflow, trouble: 'context-overflow' },
  overload: { rule: status(503, 'Overloaded'), trouble: 'overloaded' },
  'no-model': { rule: noModel, trouble: 'unknown-model' },
  'no-login': { rule: { turns: [{ text: 'hello' }] }, trouble: 'signed-out', signedOut: true },
} as const satisfies Readonly<Record<string, Scenario>>;

const geminiStatus = (code: number, error: object): Scenario['rule'] =>
  fails({ status: code, body: { error: { code, ...error } } });

const cut = { cutAfter: 8000 } as const;
/** It waits, and prints nothing of it. */
const silent = { ...cut, trouble: undefined } as const;

const own: Readonly<Record<string, Readonly<Record<string, Scenario | undefined>>>> = {
  claude: {
    overload: { ...common.overload, rule: status(529, 'Overloaded') },
    refusal: { ...common.refusal, trouble: 'refused' },
    overflow: {
      ...common.overflow,
      rule: status(400, 'prompt is too long: 210000 tokens > 200000 maximum'),
    },
    'no-model': { ...common['no-model'], rule: status(404, 'model: nope') },
    'no-credit': {
      rule: status(400, 'Your credit balance is too low to access the Anthropic API.'),
      trouble: 'account',
    },
    disabled: { rule: status(400, 'This organization has been disabled.'), trouble: 'account' },
    limit: {
      rule: status(429, 'limit', {
        headers: {
          'retry-after': '5400',
          'anthropic-ratelimit-unified-status': 'rejected',
          'anthropic-ratelimit-unified-representative-claim': 'five_hour',
          'anthropic-ratelimit-unified-reset': '{{epoch+5400}}',
        },
      }),
      trouble: 'throttled',
      over: 5400,
      subscription: true,
    },
  },
  codex: {
    throttled: { ...common.throttled, ...cut },
    'no-credit': { rule: noCredit, trouble: 'account' },
    limit: {
      rule: openai(429, {
        type: 'usage_limit_reached',
        message: 'limit',
        plan_type: 'plus',
        resets_at: '{{epoch+5400}}',
        resets_in_seconds: 5400,
      }),
      trouble: 'throttled',
      over: 5400,
    },
    'limit-of-days': {
      rule: openai(429, {
        type: 'usage_limit_reached',
        message: 'limit',
        plan_type: 'plus',
        resets_at: '{{epoch+300000}}',
        resets_in_seconds: 300_000,
      }),
      trouble: 'throttled',
      over: 300_000,
    },
  },
  gemini: {
    throttled: { ...common.throttled, over: 3600 },
    overflow: {
      ...common.overflow,
      rule: geminiStatus(400, {
        message:
          'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        status: 'INVALID_ARGUMENT',
      }),
    },
    overload: { ...common.overload, cutAfter: 15_000 },
    'no-model': {
      ...common['no-model'],
      rule: status(404, 'models/nope is not found for API version v1beta.'),
    },
    'bad-key': {
      rule: geminiStatus(400, {
        message: 'API key not valid. Please pass a valid API key.',
        status: 'INVALID_ARGUMENT',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'API_KEY_INVALID',
            domain: 'googleapis.com',
          },
        ],
      }),
      trouble: 'signed-out',
    },
    limit: {
      rule: geminiStatus(429, {
        message: 'quota',
        status: 'RESOURCE_EXHAUSTED',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
            violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel' }],
          },
        ],
      }),
      trouble: 'throttled',
    },
    'broken-off': {
      rule: {
        turns: [{ text: 'Done: this answer breaks off somewhere in its middle, as streams do.' }],
        error: { status: 503, in_stream: true, message: 'Overloaded' },
      },
      trouble: 'overloaded',
    },
  },
  opencode: {
    throttled: { ...common.throttled, ...silent },
    overload: { ...common.overload, ...silent },
    refusal: { ...common.refusal, trouble: 'refused' },
    // It goes on with a summary, for as long as there is something to shorten.
    overflow: {
      ...common.overflow,
      rule: fails({ status: 400, body: { error: { param: null, ...tooLong } }, times: 1 }),
    },
    shortly: {
      rule: status(429, 'Rate limit reached for requests', { retry_after: 1 }),
      trouble: 'throttled',
      over: 1,
    },
    // Without a provider it asks its maker's own.
    'no-login': undefined,
  },
  qwen: {
    throttled: { ...common.throttled, ...silent },
    overload: { ...common.overload, ...silent },
    'broken-off': {
      rule: {
        turns: [{ text: 'Done: this answer breaks off somewhere in its middle, as streams do.' }],
        error: { drop: 'mid' },
      },
      trouble: 'overloaded',
    },
  },
  copilot: {
    'no-credit': { rule: noCredit, trouble: 'account', cutAfter: 25_000 },
  },
  cline: {
    throttled: {
      ...common.throttled,
      rule: status(429, 'Rate limit reached for requests', { retry_after: 1 }),
    },
    overload: { ...common.overload, ...silent },
    'no-login': undefined,
  },
};

/** Those of one client, by name. */
export function scenariosOf(client: string): readonly (readonly [string, Scenario])[] {
  const all: Readonly<Record<string, Scenario | undefined>> = { ...common, ...own[client] };
  return Object.entries(all).flatMap(([name, scenario]) =>
    scenario === undefined ? [] : [[name, scenario] as const],
  );
}
