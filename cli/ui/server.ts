/**
 * The live page's server: the same page as `skeleton report --format html`, for one person at this machine.
 *
 * What it serves, all below `http://127.0.0.1:PORT/TOKEN/`, so that every address in the page is relative:
 * - `GET ./` the page (src/report/html/page.ts, renderPage with `live: { events: 'events', main: 'main' }`); where no run is there
 *   yet, a page of its own that says so and looks again (live-site.ts);
 * - `GET ./main` its `<main>` alone (renderMain), which the page puts in place of its own; 404 where no run is there yet;
 * - `GET ./events` server-sent events: `changed` with `{"version":"N"}` at once and after each change. A version says nothing but
 *   "another one". Comments keep the connection alive; when the server ends, the stream does.
 * Everything else is 403 (no token, another site), 404 or 405.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { openGuests, type Guests } from './guests.ts';
import { openEvents, type Events } from './events.ts';
import { judgeRequest } from './judge-request.ts';

/** What there is to serve now. */
export interface Site {
  readonly version: string;
  readonly page: () => Answer;
  /** Undefined where no run is there yet. */
  readonly main: () => Answer | undefined;
}

export interface Answer {
  readonly html: string;
  /** Content-Security-Policy. */
  readonly policy: string;
}

export interface SiteServer {
  /** `http://127.0.0.1:PORT/TOKEN/`. */
  readonly address: string;
  /** Tells every page that is open that there is something new. */
  readonly changed: () => void;
  /** Ends every connection, at once. */
  readonly close: () => Promise<void>;
}

/** A token has 192 bits: it is not guessed. */
const TOKEN_BYTES = 24;
const MOST_CONNECTIONS = 64;
/** Milliseconds that a request may take to be told, and between two looks whether it has. */
const TELLING = { headersTimeout: 5000, requestTimeout: 5000, connectionsCheckingInterval: 1000 };
/** Milliseconds after which a connection on which nothing moves is ended. */
const IDLE = 60_000;

/** Listens on 127.0.0.1 only; port 0: any that is free. Throws what `listen` does, such as EADDRINUSE. */
export async function openSiteServer(port: number, site: () => Site): Promise<SiteServer> {
  const token = randomBytes(TOKEN_BYTES).toString('hex');
  const events = openEvents(() => site().version);
  const guests = openGuests(MOST_CONNECTIONS);
  const server = createServer(TELLING, (request, response) => {
    const { port: own } = server.address() as AddressInfo;
    answer(request, response, { token, port: own, site, events, guests });
  });
  server.on('connection', guests.add);
  server.setTimeout(IDLE);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const { port: own } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${own}/${token}/`,
    changed: events.changed,
    close: async () => {
      events.close();
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}

interface House {
  readonly token: string;
  readonly port: number;
  readonly site: () => Site;
  readonly events: Events;
  readonly guests: Guests;
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { token, port, site, events, guests }: House,
): void {
  const { method = '', url = '', headers } = request;
  const judged = judgeRequest(
    { method, url, host: headers.host, origin: headers.origin },
    token,
    port,
  );
  if (typeof judged === 'number') return refuse(response, judged);
  guests.know(request.socket);
  if (judged === 'events') {
    if (method === 'HEAD') return refuse(response, 405);
    return events.add(response, always) ? undefined : refuse(response, 503);
  }
  const found = judged === 'page' ? site().page() : site().main();
  if (found === undefined) return refuse(response, 404);
  const body = Buffer.from(found.html);
  response.writeHead(200, {
    ...always,
    'content-type': 'text/html; charset=utf-8',
    'content-length': body.length,
    'content-security-policy': `${found.policy}; frame-ancestors 'none'`,
  });
  response.end(method === 'HEAD' ? undefined : body);
}

/** A page of a run is nobody else's: it is not stored, framed, sniffed or told of in a referrer. */
const always = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const;

function refuse(response: ServerResponse, status: number): void {
  const allow = status === 405 ? { allow: 'GET, HEAD' } : {};
  response.writeHead(status, {
    ...always,
    ...allow,
    'content-length': 0,
    'content-security-policy': "default-src 'none'",
  });
  response.end();
}
