import { statSync } from 'node:fs';

/**
 * Device and inode of what stands at a path now; undefined where nothing does.
 * Only stat: a process that opens and closes a file loses every POSIX lock it has on it, SQLite's too (fcntl(2)).
 */
export function identityOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev.toString()}:${stat.ino.toString()}`;
}
