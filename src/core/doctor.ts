/** What `skeleton doctor` found out about one matter. */
export interface DoctorSection {
  readonly title: string;
  readonly lines: readonly DoctorLine[];
}

export interface DoctorLine {
  /** ok: as it should be · notice: worth knowing, and what to type · problem: in the way of a run. */
  readonly state: 'ok' | 'notice' | 'problem';
  /** For people. */
  readonly text: string;
  /** The same for programs. */
  readonly data?: DoctorData;
  /** For programs instead of `data`: so many objects, also none. */
  readonly rows?: readonly DoctorData[];
}

export type DoctorData = Readonly<Record<string, string | number | boolean | null>>;

/** Whether a version such as `2.39.5.windows.1` or `v20.19.0` is at least another. */
export function isAtLeast(version: string, wanted: readonly number[]): boolean {
  const parts = (/\d+(?:\.\d+)*/.exec(version)?.[0] ?? '').split('.').map(Number);
  const at = wanted.findIndex((part, i) => part !== (parts[i] ?? 0));
  return at === -1 || (parts[at] ?? 0) > (wanted[at] ?? 0);
}
