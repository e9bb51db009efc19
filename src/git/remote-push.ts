import { Refusal } from '../ports.ts';
import { pauseAbout, patienceWith, persist } from './remote-patience.ts';
import type { RefMove, RemoteDoor, RemoteRef } from './remote-door.ts';
import type { Refused } from './remote-words.ts';

export type Moved =
  | { readonly kind: 'done'; readonly made: ReadonlySet<string> }
  /** One of the refs stands neither where it should have stood nor where it was to go; nothing of ours was done. */
  | { readonly kind: 'elsewhere'; readonly there: ReadonlyMap<string, RemoteRef> }
  | RefusedPush;

type RefusedPush = Pick<Refused, 'kind' | 'why' | 'mend'>;

/** Milliseconds, about; for locks that another push holds. */
const passingMs = [50, 150, 400, 1000];

export interface Target {
  readonly name: string;
  readonly door: RemoteDoor;
}

/**
 * Pushes until it is known what became of it. After each try that did not end well the remote's refs say so, not its words: an
 * answer may have been lost, and of two that push at once both may have been told of a lock. A push that a kill tore in two on
 * the remote (its files backend moves one ref after the other) is completed: what is in place already is leased no more.
 */
export async function pushMoves({ name, door }: Target, moves: readonly RefMove[]): Promise<Moved> {
  const patience = patienceWith(name);
  for (let tries = 0; ; tries += 1) {
    const end = await door.push(moves);
    if (end.kind === 'done') return end;
    const there = await persist(name, () => door.list(moves.map(({ ref }) => ref)));
    const standsAt = ({ ref }: RefMove): string => there.get(ref)?.oid ?? '';
    // The answer was lost.
    if (moves.every((move) => standsAt(move) === move.to))
      return { kind: 'done', made: new Set(moves.map(({ ref }) => ref)) };
    if (moves.some((move) => ![move.from, move.to].includes(standsAt(move))))
      return { kind: 'elsewhere', there };
    if (end.kind === 'lost') await patience.after(end.error);
    else if (isFinal(end, tries)) return withoutPassing(end);
    else await pauseAbout(passingMs[tries] ?? 0);
  }
}

function isFinal({ isPassing }: Refused, tries: number): boolean {
  return !isPassing || tries >= passingMs.length;
}

function withoutPassing({ isPassing: _, ...refused }: Refused): RefusedPush {
  return refused;
}

/** Where no other answer is foreseen. Throws Refusal(3) where the remote does not let us. */
export async function pushOrRefuse(
  target: Target,
  moves: readonly RefMove[],
): Promise<Exclude<Moved, { kind: 'refused' }>> {
  const moved = await pushMoves(target, moves);
  if (moved.kind !== 'refused') return moved;
  throw refusal(target.name, moved);
}

export function refusal(name: string, { why, mend }: Pick<RefusedPush, 'why' | 'mend'>): Refusal {
  const usual = `let whoever keeps it allow pushes of refs/heads, refs/tags and refs/skeleton, all at once`;
  return new Refusal(3, `the remote ${name} does not take what is pushed: ${why}`, mend ?? usual);
}
