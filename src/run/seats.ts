/** Numbers for those who work at once. */
export interface Seats {
  readonly isFree: () => boolean;
  /** The lowest that is free. */
  readonly take: () => number;
  /** The next that is free, before anybody who only asks `isFree`. */
  readonly wait: () => Promise<number>;
  readonly release: (seat: number) => void;
}

/** So many: 0, 1, 2… */
export function openSeats(count: number): Seats {
  const free = Array.from({ length: count }, (_, seat) => seat);
  const waiting: ((seat: number) => void)[] = [];
  const take = (): number => {
    const seat = free.shift();
    if (seat === undefined) throw new Error('all seats are taken');
    return seat;
  };
  return {
    isFree: () => free.length > 0,
    take,
    wait: () =>
      free.length > 0 ? Promise.resolve(take()) : new Promise((sit) => waiting.push(sit)),
    release: (seat) => {
      const next = waiting.shift();
      if (next !== undefined) return next(seat);
      free.push(seat);
      free.sort((a, b) => a - b);
    },
  };
}
