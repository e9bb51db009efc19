import { inspect } from 'node:util';
import type { ErrorKind } from './line.ts';

const byCode = new Map<string, ErrorKind>([
  ['insufficient_quota', 'account'],
  ['billing_not_active', 'account'],
  ['billing_error', 'account'],
  ['account_deactivated', 'account'],
  ['permission_error', 'account'],
  ['model_not_found', 'unknown-model'],
  ['not_found_error', 'unknown-model'],
  ['context_length_exceeded', 'context-overflow'],
  ['request_too_large', 'context-overflow'],
  ['invalid_api_key', 'signed-out'],
  ['authentication_error', 'signed-out'],
  ['rate_limit_error', 'throttled'],
  ['rate_limit_exceeded', 'throttled'],
  ['too_many_requests', 'throttled'],
  ['overloaded_error', 'overloaded'],
  ['api_error', 'overloaded'],
  ['timeout_error', 'overloaded'],
  ['server_error', 'overloaded'],
]);

const byStatus: Readonly<Record<number, ErrorKind>> = {
  401: 'signed-out',
  402: 'account',
  403: 'account',
  404: 'unknown-model',
  408: 'overloaded',
  413: 'context-overflow',
  429: 'throttled',
};

/** What an error means by its own words for machines (`codesIn`), else by its HTTP status. */
export function kindOf(status: number | undefined, codes: readonly string[]): ErrorKind {
  const named = codes.map((code) => byCode.get(code)).find((kind) => kind !== undefined);
  return named ?? byStatus[status ?? 0] ?? ((status ?? 0) >= 500 ? 'overloaded' : 'error');
}

/** `error.code` and `error.type`, as both APIs spell them; the error may stand alone, or in an object as its `error`. */
export function codesIn(told: unknown): readonly string[] {
  const { code, type } = innerOf(told);
  return [code, type].filter((word) => typeof word === 'string');
}

/** The HTTP status that some put into `code` or `status` of an error which comes after a 200. */
export function statusIn(told: unknown): number | undefined {
  const { code, status } = innerOf(told);
  const numbers = [code, status].map((value) => Number(value ?? NaN));
  return numbers.find((number) => Number.isInteger(number) && number >= 400 && number <= 599);
}

/** Its `message`, else all of it. */
export function messageIn(told: unknown): string {
  const { message } = innerOf(told);
  return typeof message === 'string' && message !== '' ? message : inspect(told);
}

interface Told {
  readonly code?: unknown;
  readonly type?: unknown;
  readonly status?: unknown;
  readonly message?: unknown;
}

function innerOf(told: unknown): Told {
  if (typeof told !== 'object' || told === null) return {};
  const { error } = told as { readonly error?: unknown };
  return typeof error === 'object' && error !== null ? error : told;
}
