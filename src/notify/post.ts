import { placeOf, variableOf, type Notification } from '../core/notification.ts';
import type { Delivery } from '../ports.ts';
import type { NotifierPlaces } from './places.ts';

/**
 * Posts the notification to an address, or to the one that the variable holds. Undefined where the answer is 2xx, else what is
 * wrong: in words that name the host or the variable and nothing more of the address, which is a secret. Redirects are not
 * followed: the next host was never asked for.
 */
export async function post(
  webhook: string,
  notification: Notification,
  { env, ...delivery }: Delivery & Pick<NotifierPlaces, 'env'>,
): Promise<string | undefined> {
  const variable = variableOf(webhook);
  if (variable === undefined) return postTo(webhook, notification, delivery);
  const address = (env[variable] ?? '').trim();
  if (address === '') return `$${variable} is not set`;
  if (/^https?:\/\//i.test(address) && URL.canParse(address))
    return postTo(address, notification, delivery);
  return `$${variable} holds no address that begins with http:// or https://`;
}

async function postTo(
  address: string,
  notification: Notification,
  { limitMs, signal }: Delivery,
): Promise<string | undefined> {
  const { url, headers } = withoutPassword(address);
  const limit = AbortSignal.timeout(limitMs);
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'skeleton', ...headers },
      body: JSON.stringify(notification),
      redirect: 'manual',
      signal: AbortSignal.any([limit, signal]),
    });
    // What it says is of no use to us, however long it is.
    await answer.body?.cancel();
    return answer.ok ? undefined : `${placeOf(address)} answered ${spellAnswer(answer.status)}`;
  } catch (error) {
    if (signal.aborted) return `${placeOf(address)} was not waited for: the run was interrupted`;
    if (limit.aborted) return `${placeOf(address)} did not answer within ${limitMs / 1000} s`;
    return `${placeOf(address)} cannot be reached${codeOf(error)}`;
  }
}

/** `fetch` takes no address with a password in it. */
function withoutPassword(address: string): {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
} {
  const url = new URL(address);
  const { username, password } = url;
  if (username === '' && password === '') return { url, headers: {} };
  [url.username, url.password] = ['', ''];
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
}

function spellAnswer(status: number): string {
  const isRedirect = status >= 300 && status < 400;
  return isRedirect ? `${status}, a redirect, which is not followed` : String(status);
}

/** Never its message, which may repeat the address. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
}
