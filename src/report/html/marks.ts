import { chargedIn, type AttemptSummary } from '../../core/attempt-summary.ts';
import type { Verdict } from '../../core/events.ts';
import { taskSlug } from '../../core/refs.ts';
import type { ReportedTask } from '../../core/run-report.ts';
import type { TaskState } from '../../core/summary.ts';

/** How a verdict looks, by shape and by the class that colours it: never by colour alone. */
export interface Look {
  readonly kind: 'good' | 'bad' | 'weak' | 'void' | 'open';
  readonly mark: string;
}

const looks = {
  good: { kind: 'good', mark: '✔' },
  bad: { kind: 'bad', mark: '✗' },
  weak: { kind: 'weak', mark: '◇' },
  void: { kind: 'void', mark: '○' },
  open: { kind: 'open', mark: '◐' },
} as const satisfies Record<Look['kind'], Look>;

export function lookOf({ outcome }: AttemptSummary): Look {
  switch (outcome.kind) {
    case 'passed':
      return outcome.judged && !outcome.unproven ? looks.good : looks.weak;
    case 'rejected':
      return looks.bad;
    case 'voided':
      return looks.void;
    case 'open':
      return looks.open;
  }
}

const states: Readonly<Record<TaskState, Look>> = {
  passed: looks.good,
  unproven: looks.weak,
  ticked: looks.weak,
  unjudged: looks.weak,
  failed: looks.bad,
  blocked: looks.void,
  skipped: looks.void,
  pending: looks.void,
};

/** `isOpen`: an attempt at it is under way. */
export function stateLook(state: TaskState, isOpen: boolean): Look {
  return isOpen ? looks.open : states[state];
}

/** Of an attempt without an end. */
export function openWords(hasDied = false): string {
  return hasDied ? 'cut off' : 'under way';
}

const verdicts: Readonly<Record<Verdict, Look>> = {
  pass: looks.good,
  fail: looks.bad,
  error: looks.bad,
  timeout: looks.bad,
  skipped: looks.void,
};

export function gateLook(verdict: Verdict, soft: boolean): Look {
  return soft && verdicts[verdict].kind === 'bad' ? looks.weak : verdicts[verdict];
}

/** Ids in the page: of ref-safe names, so that no id of a plan is more than a name. */
export function taskAnchor(task: string): string {
  return `task-${taskSlug(task)}`;
}

export function attemptAnchor({ task, number }: Pick<AttemptSummary, 'task' | 'number'>): string {
  return `attempt-${taskSlug(task)}-${number}`;
}

/** `2 attempts`: those that count; '' where there was none. */
export function attemptCount({ attempts }: Pick<ReportedTask, 'attempts'>): string {
  const charged = chargedIn(attempts);
  return attempts.length === 0 ? '' : `${charged} attempt${charged === 1 ? '' : 's'}`;
}
