import { restoreGuarded } from './config-guard.ts';
import { stateFolder } from './located-repository.ts';
import type { Places } from './located-repository.ts';
import { openQuarantine } from './quarantine.ts';
import { loadRecord } from './record.ts';
import { readRefFiles } from './refs.ts';
import { clearStumbling } from './stumbling-refs.ts';

/** Puts configuration and HEAD back from the record of an attempt that died; false where there is none. Git is not called. */
export function restoreFromRecord(places: Places): boolean {
  const record = loadRecord(stateFolder(places).state);
  if (record === undefined) return false;
  const attempt = {
    record,
    repository: places,
    quarantine: openQuarantine(places, record.attempt),
  };
  restoreGuarded(attempt);
  clearStumbling(attempt, readRefFiles(places));
  record.close();
  return true;
}
