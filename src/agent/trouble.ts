import type { Trouble, TroubleKind } from './reading.ts';
import { resetIn, type Reset } from './reset-time.ts';

/** What a client says of an error in its structured fields. */
export interface Said {
  /** The HTTP status that the provider answered with. */
  readonly status?: number | undefined;
  /** A word for machines: `rate_limit_exceeded`, `APIError`. */
  readonly code?: string | undefined;
  readonly message: string;
  /** When it is over, where that has a field of its own. */
  readonly reset?: Reset | undefined;
}

const kindOfCode: readonly (readonly [TroubleKind, RegExp])[] = [
  ['context-overflow', /context_?(?:length|window|overflow)|prompt_too_long|request_too_large/],
  ['unknown-model', /model_?not_?found|unknown_model|invalid_model/],
  ['account', /billing|insufficient_quota|payment|credit|disabled|suspended/],
  ['refused', /refusal|content_?filter|safety/],
  ['throttled', /rate_?limit|usage_?limit|too_many_requests|resource_exhausted|quota/],
  ['overloaded', /overloaded|server_error|unavailable|timeout|network|connection/],
  ['signed-out', /auth|invalid_api_key|not_logged_in|login/],
];

/** These tell more than the status that they come with: 400, 403, 404 and 429 mean many things. */
const kindOfWords: readonly (readonly [TroubleKind, RegExp])[] = [
  [
    'context-overflow',
    /prompt is too long|context (?:length|window)|maximum context|input token count|too many (?:input )?tokens|exceeds? the (?:maximum|model's)[^.]{0,40}tokens/i,
  ],
  [
    'unknown-model',
    /\bmodels?\b[^\n]{0,120}\b(?:not (?:found|exist|supported|available)|may not exist|unknown|does not exist)|(?:unknown|invalid|no such) model|^model: /i,
  ],
];
const noMoney =
  /credit balance|insufficient (?:credits?|quota|balance|funds)|out of credits|exceeded your current quota|check your plan and billing|billing to be enabled|payment required/i;
const noAccess =
  /\b(?:organi[sz]ation|account|workspace|project|subscription)\b[^.\n]{0,60}\b(?:disabled|deactivated|suspended|restricted|revoked|not have access)|disabled (?:organi[sz]ation|account)/i;
const busy = /usage limit|rate.?limit|too many requests|hit your [a-z- ]*limit|quota|\bthrottl/i;

const kindOfOtherWords: readonly (readonly [TroubleKind, RegExp])[] = [
  ['throttled', busy],
  [
    'signed-out',
    /not (?:logged|signed) in|unauthori[sz]ed|(?:invalid|incorrect|missing|no) api key|api key (?:not valid|is (?:invalid|missing))|failed to authenticate|authentication (?:failed|required|error)|\/login\b|please (?:log|sign) in|missing environment variable|no auth(?:entication)? (?:type|method|information)/i,
  ],
  ['refused', /usage policy|content filter|unable to respond to this request/i],
  [
    'overloaded',
    /overloaded|service unavailable|server error|connection (?:error|refused|reset|to the api)|econn(?:refused|reset)|fetch failed|network error|transport error|timed out|stream (?:ended|disconnected|closed)|terminated|error sending request/i,
  ],
];

const statusInWords = /(?:^|\bstatus(?: code)?:? |\berror:? |[[(])([45]\d\d)\b/i;

/** What an error comes to. The provider's own code and status decide; the words of the error, where these leave it open. */
export function troubleOf(said: Said, now: Date): Trouble {
  const reset = said.reset ?? resetIn(said.message, now);
  const kind = kindOf(said, Object.keys(reset).length > 0);
  const waits = kind === 'throttled' || kind === 'overloaded';
  const detail = said.message === '' ? (said.code ?? `status ${said.status}`) : said.message;
  return { kind, detail, ...(waits && reset) };
}

function kindOf({ status, code = '', message }: Said, isOverOnce: boolean): TroubleKind {
  const byCode = firstOf(kindOfCode, code.replace(/[ -]/g, '_').toLowerCase());
  const kinds = [
    byCode !== undefined && speaksForItself.has(byCode) ? byCode : undefined,
    firstOf(kindOfWords, message),
    // A free quota that comes back is told in the words of one that was never paid for.
    accountIn(message, isOverOnce || byCode === 'throttled'),
    kindOfStatus(status ?? Number(statusInWords.exec(message)?.[1] ?? 0)),
    byCode,
    firstOf(kindOfOtherWords, message),
  ];
  return kinds.find((kind) => kind !== undefined) ?? 'error';
}

function accountIn(message: string, comesBack: boolean): TroubleKind | undefined {
  if (!comesBack && noMoney.test(message)) return 'account';
  return noAccess.test(message) && !busy.test(message) ? 'account' : undefined;
}

const speaksForItself: ReadonlySet<TroubleKind> = new Set<TroubleKind>([
  'context-overflow',
  'unknown-model',
  'account',
  'refused',
]);

function kindOfStatus(status: number): TroubleKind | undefined {
  if (status >= 500) return 'overloaded';
  switch (status) {
    case 401:
      return 'signed-out';
    case 402:
    case 403:
      return 'account';
    case 408:
      return 'overloaded';
    case 413:
      return 'context-overflow';
    case 429:
      return 'throttled';
    default:
      return undefined;
  }
}

function firstOf(
  rules: readonly (readonly [TroubleKind, RegExp])[],
  text: string,
): TroubleKind | undefined {
  return rules.find(([, pattern]) => pattern.test(text))?.[0];
}
