import { idFromTitle, idGiver } from './ids.ts';
import type { Named } from './names.ts';
import type { Draft } from './outline.ts';
import { quote, type Problem } from './problem.ts';
import type { TaskFields } from './task-fields.ts';

export interface TaskIds {
  /** Unique, also where two tasks ask for the same. */
  readonly named: readonly Named[];
  /** Ids that the plan gives twice, at the second, naming the first's line. */
  readonly problems: readonly Problem[];
}

interface Wanted {
  readonly id: string;
  readonly line: number;
}

/** An `id` field beats what stands in the heading or box, and that the title; ids in the plan go before made ones. */
export function assignIds(
  tasks: readonly { readonly draft: Draft; readonly fields: TaskFields }[],
): TaskIds {
  const wanted = tasks.map(({ draft: { title, line }, fields }): Wanted | undefined => {
    return fields.id ?? (title.id === undefined ? undefined : { id: title.id, line });
  });
  const firsts = new Map<string, Wanted>();
  for (const want of wanted) if (want && !firsts.has(want.id)) firsts.set(want.id, want);
  const give = idGiver(firsts.keys());
  const problems: Problem[] = [];
  const named = tasks.map(({ draft: { title } }, index): Named => {
    const want = wanted[index];
    const first = want && firsts.get(want.id);
    const id = want && first === want ? want.id : give(want?.id ?? idFromTitle(title.title));
    if (want && first && first !== want) {
      const message = `duplicate id ${quote(want.id)}: it stands on line ${first.line} already`;
      problems.push({ line: want.line, message });
    }
    const others = [title.id, title.alias].filter((word) => word !== undefined && word !== id);
    return { id, aliases: others.filter((word) => word !== undefined) };
  });
  return { named, problems };
}
