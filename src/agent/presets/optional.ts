/** A flag and its value, where there is one. */
export function optional(flag: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [flag, value];
}
