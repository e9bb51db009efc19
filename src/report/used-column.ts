import { isReported, spellSum, type UsageSum } from '../core/usage.ts';
import type { Cell } from './table.ts';

/** The column of a table that says what agents took; no column where none of them reports anything. */
export interface UsedColumn {
  readonly head: readonly string[];
  readonly cells: (usage: UsageSum) => readonly Cell[];
}

/** For rows whose sum is `all`. */
export function usedColumn(all: UsageSum): UsedColumn {
  if (!isReported(all)) return { head: [], cells: () => [] };
  return { head: ['used'], cells: (usage) => [{ text: spellSum(usage) }] };
}
