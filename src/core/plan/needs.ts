/** Which tasks each one waits for (contract, "PLAN.md"): a field, else the summary table, else the one before it. */
import { findCycles } from './cycles.ts';
import type { Names } from './names.ts';
import { readNeeds } from './needs-text.ts';
import { quote, type Problem } from './problem.ts';
import type { Row } from './summary-table.ts';
import type { Need } from './task-fields.ts';

export interface Waiting {
  readonly line: number;
  readonly id: string;
  readonly fields: readonly Need[];
  /** `[P]`. */
  readonly parallel: boolean;
}

export interface TaskNeeds {
  /** By their place in the plan. */
  readonly tasks: readonly number[];
  readonly explicit: boolean;
}

export interface NeedsOfAll {
  readonly needs: readonly TaskNeeds[];
  readonly problems: readonly Problem[];
  readonly notices: readonly Problem[];
}

/** All waits together; far more than a plan of 10,000 tasks has. */
const MOST_NEEDS = 5_000_000;

export function needsOfAll(
  tasks: readonly Waiting[],
  names: Names,
  rows: readonly Row[],
): NeedsOfAll {
  const problems: Problem[] = [];
  const table = tableOf(rows, names);
  let sum = 0;
  const needs = tasks.map((task, index): TaskNeeds => {
    const fields = task.fields.filter(({ text }) => text !== '');
    const texts = fields.length > 0 ? fields : (table.cells.get(index) ?? []);
    const reading = declared(texts, names, index, problems);
    const own = sum > MOST_NEEDS ? [] : (reading ?? (task.parallel ? [] : undefined));
    sum += own?.length ?? 1;
    if (own) return { tasks: own, explicit: true };
    return { tasks: index === 0 ? [] : [index - 1], explicit: false };
  });
  if (sum > MOST_NEEDS) problems.push({ line: 1, message: `more than ${MOST_NEEDS} dependencies` });
  return { needs, problems: [...problems, ...cyclesOf(tasks, needs)], notices: table.notices };
}

/** Undefined where nothing is declared: no text, or empty ones. */
function declared(
  texts: readonly Need[],
  names: Names,
  self: number,
  problems: Problem[],
): readonly number[] | undefined {
  const tasks = new Set<number>();
  let isDeclared = false;
  for (const { text, line } of texts) {
    const reading = readNeeds(text, names, self);
    if (reading.kind === 'predecessor') continue;
    isDeclared = true;
    reading.tasks.forEach((task) => tasks.add(task));
    const message = reading.unknown.length > 0 ? `needs ${listed(reading.unknown)}` : undefined;
    if (message !== undefined) problems.push({ line, message: `${message}: no task has that id` });
    for (const word of reading.ambiguous) {
      const many = 'more than one task is called that, so name its id';
      problems.push({ line, message: `needs ${quote(word)}: ${many}` });
    }
  }
  return isDeclared ? [...tasks] : undefined;
}

interface Table {
  readonly cells: ReadonlyMap<number, readonly Need[]>;
  readonly notices: readonly Problem[];
}

/** A table is a summary of tasks if one of its rows names one; then the rows that name none get a notice. */
function tableOf(rows: readonly Row[], names: Names): Table {
  const cells = new Map<number, readonly Need[]>();
  const notices: Problem[] = [];
  for (const { line, task: word, needs: text } of rows) {
    if (word === '') continue;
    const found = readNeeds(word, names, 0);
    const [task, ...others] = found.kind === 'tasks' ? found.tasks : [];
    if (task === undefined || others.length > 0) {
      notices.push({
        line,
        message: `${quote(word)} in this table is no task: the row is not read`,
      });
    } else if (cells.has(task)) {
      notices.push({ line, message: `${quote(word)} is in a table already: the row is not read` });
    } else {
      cells.set(task, [{ text, line }]);
    }
  }
  return { cells, notices: cells.size === 0 ? [] : notices };
}

const MOST_SHOWN = 8;

function listed(words: readonly string[], between = ', '): string {
  const shown = words.slice(0, MOST_SHOWN).map(quote);
  return [...shown, ...(words.length > MOST_SHOWN ? ['…'] : [])].join(between);
}

function cyclesOf(tasks: readonly Waiting[], needs: readonly TaskNeeds[]): readonly Problem[] {
  return findCycles(needs.map((need) => need.tasks)).map((cycle) => {
    const ids = cycle.map((index) => tasks[index]?.id ?? '');
    const way = `${listed(ids, ' needs ')} needs ${quote(ids[0] ?? '')}`;
    const positional = cycle.find((index) => needs[index]?.explicit === false);
    const waits = quote(tasks[positional ?? 0]?.id ?? '');
    const hint = `; ${waits} waits only because it stands behind: \`needs: none\` under it frees it`;
    return {
      line: tasks[cycle[0] ?? 0]?.line ?? 1,
      message: `cycle: ${way}${positional === undefined ? '' : hint}`,
    };
  });
}
