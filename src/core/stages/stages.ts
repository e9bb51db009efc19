import type { GateConfig, StageConfig, TaskConfig } from '../config/config.ts';
import type { Problem } from '../plan/problem.ts';
import type { Severity } from './severity.ts';

const mostStages = 8;
const defaultRounds = 3;

/** The shipped ones; `review` and `security` judge work and do none. */
const shippedStages: Readonly<Record<string, { readonly verdict: boolean }>> = {
  implement: { verdict: false },
  review: { verdict: true },
  tests: { verdict: false },
  security: { verdict: true },
  docs: { verdict: false },
  simplify: { verdict: false },
};

/** One step of a task, with all that was left unsaid filled in (docs/stages.md). */
export interface Stage {
  readonly name: string;
  /** Path of its prompt's template, relative to the top; undefined: the shipped one of its name. */
  readonly prompt: string | undefined;
  readonly agent: string | undefined;
  readonly model: string | undefined;
  /** Rejected attempts that it may have; undefined: as many as the task. */
  readonly attempts: number | undefined;
  /** Of an intermediate stage; the last one is judged by all gates of its task. */
  readonly gates: readonly (string | GateConfig)[];
  /** It judges the work, and changes nothing. */
  readonly verdict: boolean;
  /** Findings as grave as this, or graver, reject. */
  readonly block: Severity;
  /** So many rejections by this verdict stage end the task. */
  readonly rounds: number;
}

/** The stages of a task, in order; none where nobody named any: then a task is one step, as ever. */
export function stagesOf(
  { stages: own }: Pick<TaskConfig, 'stages'>,
  all: readonly StageConfig[] | undefined,
): readonly Stage[] {
  const known = new Map((all ?? []).map((stage) => [stage.name, stage]));
  const asked = own?.map((one) => known.get(one.name) ?? one) ?? all ?? [];
  return asked.map(complete);
}

function complete(stage: StageConfig): Stage {
  const { name, prompt, agent, model, attempts, gates = [] } = stage;
  return {
    ...{ name, prompt, agent, model, attempts, gates },
    verdict: judges(stage),
    block: stage.block ?? 'major',
    rounds: stage.rounds ?? defaultRounds,
  };
}

function judges({ name, verdict }: StageConfig): boolean {
  return verdict ?? (isShipped(name) && shippedStages[name]?.verdict === true);
}

export function isShipped(name: string): boolean {
  return Object.hasOwn(shippedStages, name);
}

/** What is wrong with stages as a whole; `at`: how a message names them. Names alone may be those of another file. */
export function stageProblems(
  stages: readonly StageConfig[],
  { label, line }: { readonly label: string; readonly line: number },
  isTask = false,
): readonly Problem[] {
  const told = (message: string): Problem => ({ line, message: `\`${label}\`: ${message}` });
  const [first] = stages;
  if (first === undefined || stages.length > mostStages)
    return [told(`expected 1 to ${mostStages} stages, not ${stages.length}`)];
  const twice = stages.find(({ name }, at) => stages.findIndex((one) => one.name === name) !== at);
  return [
    ...(twice === undefined ? [] : [told(`${twice.name} stands twice; a name is one stage's`)]),
    ...(isTask ? [] : [...firstProblems(first), ...stages.flatMap(ownProblems)].map(told)),
  ];
}

function firstProblems(first: StageConfig): readonly string[] {
  if (!judges(first)) return [];
  return [`the first stage has to make something, and ${first.name} only judges (verdict)`];
}

function ownProblems(stage: StageConfig): readonly string[] {
  const { name, prompt, gates, block, rounds } = stage;
  const shipped = Object.keys(shippedStages).join(', ');
  const isKnown = isShipped(name) || prompt !== undefined;
  const mixed = judges(stage)
    ? [gates && `gates: ${name} judges, and is judged by none`]
    : [block && 'block', rounds && 'rounds'].map(
        (key) => key && `${key}: ${name} is no verdict stage`,
      );
  return [
    ...(isKnown
      ? []
      : [`no stage ${name} is shipped (${shipped}): name its template with \`prompt:\``]),
    ...mixed.filter((one) => typeof one === 'string'),
  ];
}

/** What is wrong with the stages that a task names, once all are known; each a message without its place. */
export function taskStageProblems(
  { stages: own }: Pick<TaskConfig, 'stages'>,
  all: readonly StageConfig[] | undefined,
): readonly string[] {
  if (own === undefined) return [];
  const known = new Set((all ?? []).map(({ name }) => name));
  const unknown = own.filter(({ name }) => !known.has(name) && !isShipped(name));
  const [first] = stagesOf({ stages: own }, all);
  return [
    ...unknown.map(
      ({ name }) =>
        `\`stages\`: no stage is called ${name}: known are ${[...new Set([...known, ...Object.keys(shippedStages)])].join(', ')}`,
    ),
    ...(first?.verdict === true ? firstProblems({ name: first.name, verdict: true }) : []).map(
      (message) => `\`stages\`: ${message}`,
    ),
  ];
}
