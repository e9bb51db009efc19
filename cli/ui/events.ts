import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** The pages that are open, and how they hear of a change. */
export interface Events {
  /** False where too many are listening already. */
  readonly add: (response: ServerResponse, headers: OutgoingHttpHeaders) => boolean;
  readonly changed: () => void;
  /** Ends every stream. */
  readonly close: () => void;
}

const MOST_LISTENERS = 32;
/** Bytes that may wait for a page that does not read, before it is let go: it comes again by itself. */
const MOST_WAITING = 16 * 1024;
/** Milliseconds between two signs of life. */
const HEARTBEAT = 15_000;

/** Server-sent events (WHATWG HTML, "9.2 Server-sent events"). */
export function openEvents(version: () => string): Events {
  const listeners = new Set<ServerResponse>();
  const send = (response: ServerResponse, text: string): void => {
    if (response.writableLength > MOST_WAITING) response.destroy();
    else response.write(text);
  };
  const sendAll = (text: string): void => {
    for (const response of listeners) send(response, text);
  };
  const heartbeat = setInterval(() => sendAll(':\n\n'), HEARTBEAT).unref();
  return {
    add: (response, headers) => {
      if (listeners.size >= MOST_LISTENERS) return false;
      response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
      listeners.add(response);
      response.once('close', () => listeners.delete(response));
      send(response, `retry: 1000\n${changed(version())}`);
      return true;
    },
    changed: () => sendAll(changed(version())),
    close: () => {
      clearInterval(heartbeat);
      for (const response of listeners) response.destroy();
    },
  };
}

function changed(version: string): string {
  return `event: changed\nid: ${version}\ndata: ${JSON.stringify({ version })}\n\n`;
}
