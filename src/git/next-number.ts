import { toByteName } from './byte-name.ts';
import { readRefs } from './read-refs.ts';
import type { Repository } from './located-repository.ts';

/** One above the highest N of the refs `FOLDER/N` that stand beside this one. */
export async function nextNumber(repository: Repository, beside: string): Promise<number> {
  const folder = toByteName(beside.slice(0, beside.lastIndexOf('/') + 1));
  const { refs } = await readRefs(repository);
  const numbers = [...refs.keys()]
    .filter((ref) => ref.startsWith(folder))
    .map((ref) => Number(ref.slice(folder.length).split('/')[0]))
    .filter((number) => Number.isSafeInteger(number));
  return Math.max(0, ...numbers) + 1;
}
