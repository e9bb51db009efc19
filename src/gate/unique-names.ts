/** The names in their order, each once: a name that is taken gets `-2`, `-3`… */
export function uniqueNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let nth = 2; taken.has(free); nth += 1) free = `${name}-${nth}`;
    taken.add(free);
    return free;
  });
}
