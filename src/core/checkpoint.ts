/** The words of a checkpoint: its commit message and its proof (contract, "Git"). */
import type { GateResult } from './events.ts';
import type { Task } from './plan/plan.ts';
import { least, spellUsd, type UsageSum } from './usage.ts';

export interface CheckpointFacts {
  readonly run: string;
  readonly task: Task;
  readonly attempt: number;
  /** The N of `TASK#N`. */
  readonly number?: number;
  readonly planPath?: string;
  readonly agent: string;
  readonly gates: readonly GateResult[];
  readonly gatesHash: string;
  /** The gates ran where nothing but the tree lay. */
  readonly isClean?: boolean;
  /** Where the attempt began: whose gates judged it. */
  readonly base?: string;
  /** Of all attempts of the task since it was begun anew. */
  readonly usage?: UsageSum;
}

export interface Message {
  readonly subject: string;
  readonly body: string;
  readonly trailers: readonly (readonly [name: string, value: string])[];
}

const HOLE = /\{(id|title|goal)\}/g;

/** Subject from the template (`{id}`, `{title}`, `{goal}`; default the title), the goal as body, trailers last. */
export function checkpointMessage(facts: CheckpointFacts, template = '{title}'): Message {
  const { task } = facts;
  const subject = template.replace(HOLE, (_, name: 'id' | 'title' | 'goal') => task[name]);
  return {
    subject: subject.trim() === '' ? task.id : subject,
    body: task.goal,
    trailers: [
      ['Skeleton-Run', facts.run],
      ['Skeleton-Task', task.id],
      ['Skeleton-Attempt', String(facts.attempt)],
      ['Skeleton-Agent', facts.agent],
      ['Skeleton-Gates', gatesTrailer(facts.gates)],
      ['Skeleton-Gates-Hash', facts.gatesHash],
      ...(facts.usage === undefined ? [] : usageTrailers(facts.usage)),
    ],
  };
}

/** `none` marks a task that nothing judged (`--no-gates`). */
function gatesTrailer(gates: readonly GateResult[]): string {
  if (gates.length === 0) return 'none';
  return gates.map((gate) => `${gate.name}=${gate.verdict} ${gate.seconds.toFixed(1)}s`).join(', ');
}

/** Only what is known. */
function usageTrailers({ input, output, usd, unknown }: UsageSum): Message['trailers'] {
  const tokens = [
    ...(input === undefined ? [] : [`${input} in`]),
    ...(output === undefined ? [] : [`${output} out`]),
  ].join(', ');
  return [
    ...(tokens === '' ? [] : [['Skeleton-Tokens', least(unknown.tokens) + tokens] as const]),
    ...(usd === undefined ? [] : [['Skeleton-Cost', least(unknown.usd) + spellUsd(usd)] as const]),
  ];
}

/** The proof as JSON, so that a machine can read it and `git cat-file -p` shows it to a person. */
export function proofText(facts: CheckpointFacts & { readonly tree: string }): string {
  const gates = facts.gates.map(
    ({ name, command, verdict, exit, ended, seconds, soft, digest }) => {
      return { name, command, verdict, exit, ended, seconds, soft, output: digest };
    },
  );
  const proof = {
    schema: 1,
    run: facts.run,
    plan: facts.planPath,
    task: facts.task.id,
    number: facts.number,
    attempt: facts.attempt,
    agent: facts.agent,
    tree: facts.tree,
    base: facts.base,
    judged: facts.gates.length === 0 ? 'none' : facts.isClean === true ? 'clean' : 'in-place',
    gatesHash: facts.gatesHash,
    usage: facts.usage,
    gates,
  };
  return JSON.stringify(proof, undefined, 2) + '\n';
}
