import type { LeftFile } from '../core/drill.ts';

/** What the drill asks of its vandal, in a file beside the clone. */
export interface Orders {
  readonly script: string;
  /** Say so when the damage is done, and wait to be killed. */
  readonly holds: boolean;
}

/** What the vandal says it did. */
export interface Deed {
  /** Every regular file that it changed or made, with the id that git gives to its bytes. */
  readonly left: readonly LeftFile[];
  /** Of the script; null where the time limit ended it. */
  readonly code: number | null;
  readonly stderr: string;
}

/** The variable that says where the orders are; the stand-in gate reads it too. */
export const controlVariable = 'DRILL_CONTROL';
export const ordersFile = 'orders.json';
export const deedFile = 'deed.json';
/** There while a gate is to wait. */
export const holdFile = 'hold';
/** There once somebody waits to be killed. */
export const readyFile = 'ready';
