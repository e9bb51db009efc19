import { mkdirSync, writeFileSync } from 'node:fs';
import { foldersAbove, toPath } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import type { Settings } from './config-guard.ts';
import type { Places } from './located-repository.ts';
import type { Quarantine } from './quarantine.ts';
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

/** Git makes no ref `a` while the log of an `a/b` that is gone stands, and the other way round. */
export function clearLogs(
  { commonDir }: Places,
  quarantine: Quarantine,
  wanted: readonly { readonly ref: ByteName; readonly then: string | undefined }[],
): void {
  for (const { ref } of wanted.filter(({ then }) => then !== undefined)) {
    const log = `logs/${ref}`;
    const isBlocking = (name: ByteName): boolean => {
      const stat = statOf(`${commonDir}/${name}`);
      return stat?.isDirectory() === (name === log);
    };
    const blocking = [...foldersAbove(log), log].find(isBlocking);
    if (blocking !== undefined) quarantine.take(`${commonDir}/${blocking}`, 'git', blocking);
  }
}
