import type { Client } from 'pg';
import type { Queryable } from './migrations.ts';
import type { Timings } from './timings.ts';
import { endsConnection } from './trouble.ts';

/** The connection is gone; whether the statement was carried out is not known. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** What a client does for us. `query` is asked one at a time, and throws ConnectionLost where the connection is lost. */
export interface Line extends Queryable {
  /** It is dead already, or to be: no good-bye. */
  readonly destroy: () => void;
  readonly end: () => Promise<void>;
}

export interface Listeners {
  /** Once, when the connection is lost; never after `destroy` or `end`. */
  readonly lost: () => void;
  /** Another session has told (`LISTEN`). */
  readonly told: (payload: string) => void;
}

/** The client's loss told once; its answers awaited no longer than they may take. */
export function lineOf(client: Client, listeners: Listeners, timings: Timings): Line {
  const end = endingOf(client, listeners);
  client.on('error', end.lose);
  client.on('end', end.lose);
  client.on('notification', ({ processId, payload = '' }) => {
    if (processId !== ownPid(client)) listeners.told(payload);
  });
  return {
    query: async (text, values = []) => {
      const timer = setTimeout(end.lose, timings.deadline + timings.ping);
      try {
        const { rows } = await client.query<Readonly<Record<string, unknown>>>(text, [...values]);
        return rows;
      } catch (error) {
        if (!(error instanceof Error) || !(end.isOver() || endsConnection(error))) throw error;
        end.lose();
        throw new ConnectionLost(error.message, { cause: error });
      } finally {
        clearTimeout(timer);
      }
    },
    destroy: end.destroy,
    end: async () => {
      if (end.isOver()) return;
      end.begin();
      const timer = setTimeout(end.destroy, timings.deadline);
      await client.end().catch(() => undefined);
      clearTimeout(timer);
    },
  };
}

/** The driver keeps it to cancel statements; its types do not tell. */
export function ownPid(client: Client): number | null | undefined {
  return (client as Client & { readonly processID?: number | null }).processID;
}

interface Ending {
  readonly isOver: () => boolean;
  readonly begin: () => void;
  readonly destroy: () => void;
  readonly lose: () => void;
}

function endingOf(client: Client, { lost }: Listeners): Ending {
  let isOver = false;
  const destroy = (): void => {
    isOver = true;
    client.connection.stream.destroy();
  };
  return {
    isOver: () => isOver,
    begin: () => {
      isOver = true;
    },
    destroy,
    lose: () => {
      if (isOver) return;
      destroy();
      lost();
    },
  };
}
