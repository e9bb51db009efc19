import { Refusal, type Lock, type LockHolder } from '../ports.ts';

/** The lock; throws Refusal(3), with who has it and since when, where another does. */
export function held(lock: Lock | { readonly heldBy: LockHolder | undefined }): Lock {
  if (!('heldBy' in lock)) return lock;
  const holder = lock.heldBy;
  const who =
    holder === undefined
      ? 'another process'
      : `process ${holder.pid} on ${holder.host} since ${holder.since} (${holder.what})`;
  throw new Refusal(
    3,
    `another run is going on here: the lock is held by ${who}`,
    'wait for it or end it; skeleton status shows where it is',
  );
}
