import type { House } from '../compose.ts';
import { Refusal } from '../ports.ts';

/** For a command that needs history where there is none yet. */
export function noCommit(): Refusal {
  return new Refusal(3, 'there is no commit yet', 'git add -A && git commit');
}

/** Nothing of a dead run has to be put back here first: what is refused now would be refused later, and nothing is made. */
export async function isUntouched(house: House): Promise<boolean> {
  return !house.hasLedger() && (await (await house.traces()).openHere()) === undefined;
}
