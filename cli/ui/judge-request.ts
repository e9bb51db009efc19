import { createHash, timingSafeEqual } from 'node:crypto';

/** What of a request decides whether it is answered. */
export interface RequestFacts {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly url: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

export type Place = 'page' | 'main' | 'events';

/**
 * What is asked for, or the status of a refusal. A name that leads here but is not ours (DNS rebinding) and a page of another site
 * (Origin) are refused whatever they know; who has not the token learns nothing of what there is.
 */
export function judgeRequest(facts: RequestFacts, token: string, port: number): Place | number {
  if (!isFromHere(facts, port)) return 403;
  if (facts.method !== 'GET' && facts.method !== 'HEAD') return 405;
  const [, given = '', ...rest] = (facts.url.split('?')[0] ?? '').split('/');
  if (!isSame(given, token)) return 403;
  // Without its last slash, the page's relative addresses would lead elsewhere.
  return (rest.length === 0 ? undefined : places.get(rest.join('/'))) ?? 404;
}

function isFromHere({ host = '', origin }: RequestFacts, port: number): boolean {
  const names = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!names.includes(host.toLowerCase())) return false;
  return origin === undefined || names.some((name) => origin === `http://${name}`);
}

const places: ReadonlyMap<string, Place> = new Map([
  ['', 'page'],
  ['main', 'main'],
  ['events', 'events'],
]);

/** In a time that tells nothing of how much of it is right. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
