import { APICallError, RetryError, TypeValidationError } from 'ai';
import { clip, oneLine } from '../../core/text.ts';
import { codesIn, kindOf, messageIn, statusIn } from './error-codes.ts';
import type { BuiltInLine } from './line.ts';

type Explained = Omit<Extract<BuiltInLine, { type: 'error' }>, 'type' | 'tokens'>;

const LONGEST_DETAIL = 500;
const SECOND = 1000;
const OK = 200;
/** Milliseconds: the limits of a month. What names a longer wait is asked again after that. */
const LONGEST_WAIT = 31 * 86_400_000;

/** What went wrong with an endpoint: by its HTTP status and the error's own code, never by how a text reads. */
export function explainError(error: unknown, now: () => number): Explained {
  const cause = RetryError.isInstance(error) ? error.lastError : error;
  const isRefusal = APICallError.isInstance(cause);
  const broken = isRefusal && cause.statusCode !== OK ? undefined : breakIn(cause);
  if (broken !== undefined) return { kind: 'overloaded', detail: detailOf(broken) };
  if (isRefusal) return explainRefusal(cause, now);
  // An event of the stream that is an error: as it came, or in what the SDK makes of one that it cannot read.
  const told = TypeValidationError.isInstance(cause) ? cause.value : cause;
  if (told instanceof Error) return { kind: 'error', detail: detailOf(told.message) };
  if (typeof told === 'string') return { kind: 'error', detail: detailOf(told) };
  return { kind: kindOf(statusIn(told), codesIn(told)), detail: detailOf(messageIn(told)) };
}

function explainRefusal(refusal: APICallError, now: () => number): Explained {
  const { statusCode: status, message, responseBody = '', responseHeaders = {} } = refusal;
  const afterMs = waitOf(responseHeaders, now);
  return {
    kind: status === undefined ? 'overloaded' : kindOf(status, codesIn(parsed(responseBody))),
    detail: detailOf(`${status ?? 'no answer'}: ${message}`),
    ...(status !== undefined && { status }),
    ...(afterMs !== undefined && { afterMs: Math.min(afterMs, LONGEST_WAIT) }),
  };
}

/** How the connection was lost in the midst of an answer; the SDK wraps it in an error with the status of the answer. */
function breakIn(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  if (lost.test(code)) return `the connection was lost: ${code}`;
  // Its cause may be missing (Node's fetch).
  return breakIn(error.cause) ?? (isTerminated(error) ? 'the answer broke off' : undefined);
}

const lost =
  /^(?:ECONN[A-Z]+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_(?:SOCKET|\w+_TIMEOUT))$/;

function isTerminated(error: Error): boolean {
  return error instanceof TypeError && error.message === 'terminated';
}

function detailOf(text: string): string {
  return clip(oneLine(text), LONGEST_DETAIL);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** RFC 9110, section 10.2.3: seconds or a date; `retry-after-ms` and Anthropic's reset are more exact. */
function waitOf(headers: Readonly<Record<string, string>>, now: () => number): number | undefined {
  const exact = Number(headers['retry-after-ms'] ?? NaN);
  if (exact >= 0) return exact;
  const reset = Number(headers['anthropic-ratelimit-unified-reset'] ?? NaN);
  if (reset > 0) return Math.max(0, reset * SECOND - now());
  const after = headers['retry-after'];
  if (after === undefined) return undefined;
  const seconds = Number(after);
  if (seconds >= 0) return seconds * SECOND;
  const date = Date.parse(after);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}
