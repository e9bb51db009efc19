import type { Problem } from '../plan/problem.ts';
import type { FieldCount, Told } from './draft.ts';

/** Collects what there is to tell of a source, while it is read. */
export interface Log {
  /** `became`: undefined for what is not mapped. */
  readonly count: (field: string, became: string | undefined, line: number) => void;
  readonly notice: (line: number, message: string) => void;
  readonly problem: (line: number, message: string) => void;
  readonly fields: () => readonly FieldCount[];
  readonly told: () => Told;
}

/** What hostile input could repeat for ever is told so many times. */
const MOST_TOLD = 1000;

export function openLog(): Log {
  const fields = new Map<string, FieldCount>();
  const [notices, problems]: [Problem[], Problem[]] = [[], []];
  return {
    count: (field, became, line) => {
      const key = `${field}\n${became ?? ''}`;
      const known = fields.get(key) ?? { field, became, count: 0, line };
      fields.set(key, { ...known, count: known.count + 1 });
    },
    notice: (line, message) => void notices.push({ line, message }),
    problem: (line, message) => {
      if (problems.length < MOST_TOLD) problems.push({ line, message });
    },
    fields: () => [...fields.values()],
    told: () => ({ notices, problems }),
  };
}
