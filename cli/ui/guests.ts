import type { Socket } from 'node:net';

/** The connections there are, so that those of strangers keep nobody out who has the token. */
export interface Guests {
  readonly add: (socket: Socket) => void;
  /** It has shown the token. */
  readonly know: (socket: Socket) => void;
}

/** At most so many: the oldest that has shown no token goes for a new one; where all have, the new one does. */
export function openGuests(most: number): Guests {
  const all = new Set<Socket>();
  const known = new WeakSet<Socket>();
  return {
    add: (socket) => {
      all.add(socket);
      socket.once('close', () => all.delete(socket));
      if (all.size <= most) return;
      const oldest = [...all].find((one) => !known.has(one)) ?? socket;
      all.delete(oldest);
      oldest.destroy();
    },
    know: (socket) => void known.add(socket),
  };
}
