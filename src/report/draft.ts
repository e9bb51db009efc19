import { spellSeconds } from '../core/duration.ts';
import type { Plan, Problem } from '../core/plan/plan.ts';
import { spellSum, spellUsage, type Usage, type UsageSum } from '../core/usage.ts';
import { shellWord } from './shell-word.ts';

/** What one answer of a drafting agent came to. */
export interface DraftRoundFacts {
  readonly number: number;
  readonly problems: readonly Problem[];
  readonly failed: string | undefined;
  readonly seconds: number;
  readonly usage: Usage;
}

interface Facts {
  readonly kind: 'ready' | 'unfit' | 'stopped';
  readonly agent: string;
  readonly rounds: readonly DraftRoundFacts[];
  readonly usage: UsageSum;
  readonly draft: string | undefined;
  readonly why?: string;
  readonly mend?: string;
}

const MOST_SHOWN = 20;

/** Lines about a round that is over. */
export function roundEnd(round: DraftRoundFacts): readonly string[] {
  const { number, problems, failed, seconds, usage } = round;
  const cost = [spellSeconds(seconds), spellUsage(usage)].filter((part) => part !== '').join(', ');
  if (failed !== undefined) return [`round ${number}: the agent failed: ${failed} (${cost})`];
  const count = problems.length;
  if (count === 0) return [`round ${number}: a plan without problems (${cost})`];
  const more = count > MOST_SHOWN ? [`  and ${count - MOST_SHOWN} more`] : [];
  return [
    `round ${number}: ${count} problem${count === 1 ? '' : 's'} (${cost})`,
    ...problems.slice(0, MOST_SHOWN).map(({ line, message }) => `  line ${line}: ${message}`),
    ...more,
  ];
}

export interface DraftEndFacts {
  readonly drafted: Facts;
  readonly path: string;
  readonly action: string;
  /** Options that a command about this plan needs, with a blank before. */
  readonly again: string;
}

/** The last lines: what became of it, what it cost, and what to type next. */
export function draftEnd({ drafted, path, action, again }: DraftEndFacts): readonly string[] {
  const { draft, usage } = drafted;
  const cost = spellSum(usage);
  const spent = cost === '' ? '' : `; ${drafted.agent}: ${cost}`;
  const kept = draft === undefined ? [] : [`the draft is kept: ${draft}`];
  switch (action) {
    case 'written':
      return [`${path} is written${spent}`, `next: skeleton check${again}`];
    case 'same':
      return [`${path} stays as it is${spent}`];
    case 'declined':
      return [`nothing was written${spent}`, ...kept];
    case 'not-accepted':
      return [
        `nothing was written: ${path} is there, and there is no terminal to ask at${spent}`,
        ...(draft === undefined ? [] : [`to take it: cp ${shellWord(draft)} ${shellWord(path)}`]),
      ];
    case 'stopped':
      return [
        `stopped: ${drafted.why ?? ''}${spent}`,
        `to mend it: ${drafted.mend ?? ''}`,
        ...kept,
      ];
    default:
      return [`${drafted.rounds.length} rounds gave no plan that can be taken${spent}`, ...kept];
  }
}

export interface DraftDataFacts {
  readonly drafted: Facts;
  readonly path: string;
  readonly diff: string | undefined;
  readonly touched: string;
  readonly action: string;
  readonly plan: Plan | undefined;
}

/** The same as one object. */
export function draftData(facts: DraftDataFacts): object {
  const { drafted, path, diff, touched, action, plan } = facts;
  const tasks = plan?.tasks.map(({ id, title, state, needs, line }) => ({
    id,
    title,
    state,
    needs,
    line,
  }));
  return {
    action,
    path,
    agent: drafted.agent,
    why: drafted.why ?? null,
    rounds: drafted.rounds.map(({ failed, ...round }) => ({ ...round, failed: failed ?? null })),
    usage: drafted.usage,
    draft: drafted.draft ?? null,
    diff: diff ?? null,
    touched: touched === '' ? null : touched,
    tasks: tasks ?? [],
  };
}
