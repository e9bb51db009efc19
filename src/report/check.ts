import type { Plan, Problem } from '../core/plan/plan.ts';
import { oneLine, visible } from '../core/text.ts';
import type { Style } from './style.ts';
import { renderTable } from './table.ts';

/** A problem of the plan or of a configuration file, with where it stands. */
export interface FileProblem extends Problem {
  readonly file: string;
}

/** What `skeleton check` found (contract, "PLAN.md"). */
export interface CheckFacts {
  readonly plan: Plan;
  readonly problems: readonly FileProblem[];
  /** What is not ready around the plan, and the lines that mend it. */
  readonly environment: readonly { readonly message: string; readonly mend: string }[];
  /** Names of the gates that would judge. */
  readonly gates: readonly string[];
  /** Who would work, where somebody can. */
  readonly agent?: string;
  /** How a run would end without one. */
  readonly agentStatus?: number;
  /** Who is told of a run. */
  readonly notify: readonly string[];
  /** What a run would accept and a person should know. */
  readonly warnings: readonly string[];
}

/** 2 with problems, else 3 where repository or gates are not ready, else 0. */
export function checkStatus(facts: CheckFacts): 0 | 2 | 3 {
  if (facts.problems.length > 0) return 2;
  return facts.environment.length > 0 ? 3 : 0;
}

/** How the plan was read, and what is wrong, for people: each problem begins with file:line. */
export function renderCheck(facts: CheckFacts, style: Style): string {
  const lines = [readLines, doubts, problemLines, lastLine];
  return lines.flatMap((render) => render(facts, style)).join('\n');
}

function readLines({ plan, gates, agent, notify }: CheckFacts, style: Style): readonly string[] {
  const toDo = plan.tasks.filter((task) => task.state === 'pending').length;
  const form = plan.form === 'boxes' ? 'boxes' : 'headings';
  const head = ['line', 'task', 'state', 'needs', 'title'].map((text) => {
    return { text, paint: style.strong };
  });
  const rows = plan.tasks.map((task) => [
    { text: String(task.line) },
    { text: task.id },
    { text: task.state },
    { text: task.needs.length === 0 ? '-' : task.needs.join(', ') },
    { text: task.title },
  ]);
  return [
    `${oneLine(plan.path)}: read as ${form}; ${count(plan.tasks.length, 'task')}, ${toDo} to do`,
    `gates: ${gates.length === 0 ? 'none' : oneLine(gates.join(', '))}`,
    ...(agent === undefined ? [] : [`agent: ${oneLine(agent)}`]),
    ...(notify.length === 0 ? [] : [`notify: ${oneLine(notify.join('; '))}`]),
    '',
    ...renderTable([head, ...rows]),
    '',
  ];
}

function doubts({ plan, warnings }: CheckFacts, style: Style): readonly string[] {
  const at = (line: number): string => `${oneLine(plan.path)}:${line}`;
  return [
    ...plan.ignored.map(({ line, why }) => `${at(line)}: no task: ${oneLine(why)}`),
    ...plan.notices.map(
      ({ line, message }) => `${at(line)}: ${style.warn('notice')}: ${oneLine(message)}`,
    ),
    ...warnings.map((message) => `${style.warn('notice')}: ${oneLine(message)}`),
  ];
}

function problemLines(facts: CheckFacts, style: Style): readonly string[] {
  return [
    ...facts.problems.map(
      (problem) => `${placeOf(problem)}: ${style.bad(oneLine(problem.message))}`,
    ),
    ...facts.environment.flatMap(({ message, mend }) => [
      `${style.warn('not ready')}: ${visible(message)}`,
      ...mend
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => `    ${oneLine(line)}`),
    ]),
  ];
}

/** `PLAN.md:4`, or `PLAN.md:4:12` where the column is known. */
function placeOf({ file, line, column }: FileProblem): string {
  return `${oneLine(file)}:${line}${column === undefined ? '' : `:${column}`}`;
}

function lastLine(facts: CheckFacts, style: Style): readonly string[] {
  const status = checkStatus(facts);
  if (status === 0) return [readyLine(facts, style)];
  const wrong = status === 2 ? facts.problems.length : facts.environment.length;
  return [style.bad(`${count(wrong, status === 2 ? 'problem' : 'thing')} to mend`)];
}

function readyLine({ agentStatus, gates }: CheckFacts, style: Style): string {
  const first = gates.length === 0 ? '' : '; skeleton gate tries the gates on what is here';
  if (agentStatus === undefined) return style.good(`ready${first}`);
  const run = `unless one is named there, skeleton run would end with ${agentStatus}`;
  return style.warn(`ready, but for the agent: ${run}`);
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

/** The same as data, one object (contract, "PLAN.md": `check --json`). */
export function checkData(facts: CheckFacts): object {
  const { plan, problems, environment, gates, agent, notify, warnings } = facts;
  return {
    tasks: plan.tasks.map(({ id, title, state, needs, line }) => {
      return { id, title, state, needs, line };
    }),
    ignored: plan.ignored.map(({ line }) => line),
    problems,
    notices: [...plan.notices, ...warnings.map((message) => ({ message }))],
    environment,
    gates,
    ...(agent !== undefined && { agent }),
    ...(notify.length > 0 && { notify }),
  };
}
