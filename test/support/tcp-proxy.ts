import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A wire to a server on this machine that a test can cut. */
export interface TcpProxy {
  readonly port: number;
  /** The same address, through the wire. */
  through(url: string): string;
  /** Nothing gets across in either direction any more, and nobody is told: a network that is gone. */
  pause(): void;
  /** What was held back gets across. */
  resume(): void;
  /** Nothing gets across any more on what is connected now: a cable that was moved. */
  freeze(): void;
  /** Ends all connections with a reset; new ones are taken. */
  drop(): void;
  close(): Promise<void>;
}

export async function openTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isPaused = false;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.setNoDelay();
    socket.once('close', () => sockets.delete(socket));
    // Its other end is closed with it; there is nobody to tell.
    socket.on('error', () => undefined);
  };
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      keep(one);
      one.on('data', (bytes) => other.write(bytes));
      one.on('close', (wasReset) => (wasReset ? other.destroy() : other.end()));
      if (isPaused) one.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const drop = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port,
    drop,
    through: (url) => {
      const own = new URL(url);
      own.hostname = '127.0.0.1';
      own.port = String(port);
      return own.href;
    },
    pause: () => {
      isPaused = true;
      for (const socket of sockets) socket.pause();
    },
    freeze: () => {
      for (const socket of sockets) socket.pause();
    },
    resume: () => {
      isPaused = false;
      for (const socket of sockets) socket.resume();
    },
    close: async () => {
      drop();
      server.close();
      await once(server, 'close');
    },
  };
}
