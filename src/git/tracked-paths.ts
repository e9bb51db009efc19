import type { ByteName } from './byte-name.ts';
import { visitIndex } from './index-file.ts';
import type { Repository } from './located-repository.ts';

export function trackedPaths(bytes: Buffer, { objectFormat }: Repository): ReadonlySet<ByteName> {
  const paths = new Set<ByteName>();
  visitIndex(bytes, objectFormat, ({ path }) => paths.add(path));
  return paths;
}
