import { randomBytes } from 'node:crypto';
import type { Repository } from './located-repository.ts';
import { oneLine } from './message.ts';
import { writeObject } from './objects.ts';

/** A commit on the empty tree that nobody else can have made; `owner`: who, in words. */
export function writeFence(repository: Repository, owner: string): string {
  const tree = writeObject(repository, 'tree', Buffer.alloc(0));
  const stamp = `skeleton <skeleton@localhost> ${Math.floor(Date.now() / 1000)} +0000`;
  const id = randomBytes(16).toString('hex');
  const head = [`tree ${tree}`, `author ${stamp}`, `committer ${stamp}`];
  const text = [...head, '', oneLine(owner), '', `Skeleton-Fence: ${id}`, ''].join('\n');
  return writeObject(repository, 'commit', Buffer.from(text));
}
