import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { openEvents, type Events } from '../../../cli/ui/events.ts';

/** Server-sent events over a real connection, whose other end reads only when it is told to. */
const open: (() => void)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const close of open.splice(0)) close();
});

interface Listener {
  readonly events: Events;
  readonly response: ServerResponse;
  readonly socket: Socket;
}

async function listen(version: () => string): Promise<Listener> {
  const events = openEvents(version);
  const server: Server = createServer((_, response) => {
    events.add(response, {});
    server.emit('answered', response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answered = once(server, 'answered');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  open.push(() => {
    events.close();
    socket.destroy();
    server.close();
  });
  const [response] = (await answered) as [ServerResponse];
  return { events, response, socket };
}

async function read(socket: Socket, until: string): Promise<string> {
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) {
    text += chunk as string;
    if (text.includes(until)) break;
  }
  return text;
}

test('the version now, and each one after it', async () => {
  let version = 7;
  const { events, socket } = await listen(() => String(version));
  version = 8;
  events.changed();
  const text = await read(socket, '"8"');
  expect(text).toContain('content-type: text/event-stream');
  expect(text).toContain('event: changed\nid: 7\ndata: {"version":"7"}\n\n');
  expect(text).toContain('event: changed\nid: 8\ndata: {"version":"8"}\n\n');
});

test('who does not read is let go before much waits for it', async () => {
  const { events, response } = await listen(() => '1');
  let [most, sent] = [0, 0];
  while (!response.destroyed && sent < 1_000_000) {
    events.changed();
    sent += 1;
    most = Math.max(most, response.writableLength);
    if (sent % 1000 === 0) await new Promise(setImmediate);
  }
  expect(response.destroyed).toBe(true);
  expect(most).toBeLessThan(20_000);
});

test('a sign of life keeps the connection open', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { socket } = await listen(() => '1');
  vi.advanceTimersByTime(15_000);
  expect(await read(socket, '\n:\n\n')).toContain('\n:\n\n');
});

test('more than 32 listeners are refused', () => {
  const events = openEvents(() => '1');
  open.push(events.close);
  const response = {
    writeHead: () => undefined,
    once: () => undefined,
    write: () => true,
    destroy: () => undefined,
    writableLength: 0,
  } as unknown as ServerResponse;
  const added = Array.from({ length: 33 }, () =>
    events.add(Object.create(response) as ServerResponse, {}),
  );
  expect(added.filter(Boolean)).toHaveLength(32);
});
