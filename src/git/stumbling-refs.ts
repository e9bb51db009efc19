import { mkdirSync, writeFileSync } from 'node:fs';
import { toPath } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import type { Settings } from './config-guard.ts';
import { statOf } from './raw-files.ts';
import type { RefReading } from './refs.ts';

/** Git calls no folder a repository that has no refs/ or whose HEAD it cannot read, and a FIFO among the refs hangs it. */
export function clearStumbling(
  { repository, record, quarantine }: Settings,
  reading: RefReading,
): void {
  const { commonDir, gitDir } = repository;
  const take = (path: ByteName): string =>
    quarantine.take(path, 'git', path.slice(commonDir.length + 1));
  const takeLoose = (path: ByteName): void => {
    if (statOf(path) !== undefined) take(path);
  };
  mkdirSync(toPath(`${commonDir}/refs`), { recursive: true });
  for (const path of reading.odd) if (!path.endsWith('.lock')) take(path);
  for (const [ref, value] of reading.refs)
    if (value === '') takeLoose(`${statOf(`${gitDir}/${ref}`) ? gitDir : commonDir}/${ref}`);
  if (reading.head !== '') return;
  takeLoose(`${gitDir}/HEAD`);
  writeFileSync(toPath(`${gitDir}/HEAD`), toPath(`ref: ${record.branch}\n`));
}
