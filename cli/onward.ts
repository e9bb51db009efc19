import type { Option } from 'commander';

/**
 * The words of a `run` without those that select tasks (names, `--from`): once these are done, the same command would find
 * nothing to do.
 */
export function withoutSelection(
  argv: readonly string[],
  tasks: readonly string[],
  options: readonly Pick<Option, 'long' | 'short' | 'required'>[],
): readonly string[] {
  const valued = new Set(
    options
      .filter(({ required }) => required)
      .flatMap(({ long, short }) => [long ?? [], short ?? []].flat()),
  );
  const isValue = (at: number): boolean => valued.has(argv[at - 1] ?? '');
  const begin = argv.findIndex((word, at) => word === 'run' && !isValue(at));
  return argv.filter((word, at) => {
    if (at <= begin) return true;
    if (argv[at - 1] === '--from') return false;
    if (isValue(at)) return true;
    return word !== '--from' && !word.startsWith('--from=') && !tasks.includes(word);
  });
}
