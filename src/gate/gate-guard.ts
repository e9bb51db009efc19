import { oneLine } from '../core/text.ts';
import { readMarks, type Found, type Marks } from './find-gates.ts';
import { lookAt, markOf, toBytes, toText } from './gate-folder.ts';

/** Watches over what gates rest on, during one run of them. */
export interface GateWatch {
  /** Paths, for people, that are not what they were when the gate was found; empty where it may run. */
  readonly changesFor: (found: Found) => Promise<readonly string[]>;
  /** What the gates themselves wrote under gates/ is no reason to distrust the next run. */
  readonly end: () => Promise<void>;
}

/**
 * Compares gates/ with what a gate was found with. Files that are new are distrusted too, since a gate may source whatever
 * it finds; but not those that gates wrote: what is new after the first gate of a run has begun is theirs.
 */
export function openGateGuard(places: { readonly top: string; readonly packageRoot: string }): {
  readonly begin: () => Promise<GateWatch>;
} {
  const written = new Map<string, string>();
  return {
    begin: async () => {
      const before = await readMarks(places.top);
      const isIntruder = (path: string, { marks }: Found): boolean =>
        !marks.has(path) && written.get(path) !== before.get(path);
      return {
        changesFor: async (found) => {
          const now = await readMarks(places.top);
          const added = [...before.keys()].filter((path) => isIntruder(path, found));
          const changed = differing(found.marks, now).map(toText);
          const shipped = await shippedChange(found, places.packageRoot);
          return [...changed, ...added.map((path) => `${toText(path)} (new)`), ...shipped].map(
            oneLine,
          );
        },
        end: async () => {
          for (const [path, mark] of await readMarks(places.top))
            if (!before.has(path)) written.set(path, mark);
        },
      };
    },
  };
}

function differing(then: Marks, now: Marks): readonly string[] {
  return [...then].filter(([path, mark]) => now.get(path) !== mark).map(([path]) => path);
}

async function shippedChange({ shipped }: Found, packageRoot: string): Promise<readonly string[]> {
  if (shipped === undefined) return [];
  const mark = markOf(await lookAt(toBytes(packageRoot), shipped.path));
  return mark === shipped.mark ? [] : [`${packageRoot}/${shipped.path}`];
}
