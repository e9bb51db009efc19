import picomatch from 'picomatch';

/**
 * Whether a path (relative to the top, with `/`) matches a list of globs: one of them does, and none that begins with `!`.
 * Names that begin with a dot are names like others; a glob that matches a folder matches all that is in it.
 */
export function pathMatcher(globs: readonly string[]): (path: string) => boolean {
  const isExclusion = (glob: string): boolean => glob.startsWith('!');
  const wanted = globs.filter((glob) => !isExclusion(glob)).flatMap(withItsContent);
  const unwanted = globs.filter(isExclusion).flatMap((glob) => withItsContent(glob.slice(1)));
  const matches = picomatch(wanted, options);
  const excluded = picomatch(unwanted, options);
  return (path) => matches(path) && !excluded(path);
}

/** The glob that matches this path and no other. */
export function globOf(path: string): string {
  return path.replace(/[\\*?[\]{}()!]/g, '\\$&');
}

const options = { dot: true, nonegate: true } as const;

function withItsContent(glob: string): readonly string[] {
  const clean = glob.replace(/^(?:\.?\/)+/, '').replace(/\/+$/, '');
  return clean === '' ? [] : [clean, `${clean}/**`];
}
