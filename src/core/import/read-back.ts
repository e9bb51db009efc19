import { parsePlan } from '../plan/parse-plan.ts';
import type { Draft, DraftTask } from './draft.ts';

/**
 * What our own parser reads otherwise in a plan's text than the draft says; undefined where it is the same, and nothing is
 * left to mend or to doubt.
 */
export function readBack(text: string, draft: Draft, path: string): string | undefined {
  const plan = parsePlan(new TextEncoder().encode(text), path);
  const [doubt] = [...plan.problems, ...plan.notices];
  if (doubt !== undefined) return `line ${doubt.line}: ${doubt.message}`;
  const [stray] = plan.ignored;
  if (stray !== undefined) return `line ${stray.line}: a box outside of tasks`;
  const written = draft.tasks.map(comparable);
  const read = plan.tasks.map((task) => comparable(task));
  const at = written.findIndex((task, index) => task !== read[index]);
  if (at < 0 && read.length === written.length) return undefined;
  return `${written[at] ?? 'no task'} is read as ${read[at < 0 ? written.length : at] ?? 'no task'}`;
}

type Compared = Pick<DraftTask, 'id' | 'title' | 'state' | 'files'> & {
  readonly needs: readonly string[] | undefined;
  readonly explicitNeeds?: boolean;
  readonly acceptance: readonly (string | { readonly text: string })[];
};

function comparable(task: Compared): string {
  const { id, title, state, files, acceptance, explicitNeeds = task.needs !== undefined } = task;
  const needs = explicitNeeds ? [...(task.needs ?? [])] : undefined;
  const criteria = acceptance.map((one) => (typeof one === 'string' ? one : one.text));
  return JSON.stringify({ id, title, state, needs, files, acceptance: criteria });
}
