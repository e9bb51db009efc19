const units = ['KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Bytes for people: `0 B`, `812 B`, `1.5 KiB`, `50 MiB`. */
export function spellBytes(bytes: number): string {
  if (bytes < 1024) return `${Math.round(bytes)} B`;
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length);
  const value = bytes / 1024 ** power;
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value).toString()} ${units[power - 1] ?? 'B'}`;
}
