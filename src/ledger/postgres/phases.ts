import type { Event } from '../../core/events.ts';

/** Coarsely, where a task is in its life, as the database knows it, which refuses what cannot follow. */
export type Phase = 'open' | 'running' | 'gating' | 'checkpointing' | 'rolling-back' | 'passed';

/** What an event does to its task's row. */
export interface Step {
  /** Where the task must be for it. */
  readonly from: readonly Phase[];
  /** Undefined: where it was. */
  readonly to?: Phase;
  /** Undefined: as it was; null: none any more. */
  readonly outcome?: string | null;
  /** It belongs to the team that is at work now. */
  readonly isOfTeam?: true;
}

/** What a task's row says of it. */
export interface Stand {
  readonly phase: string;
  readonly outcome: string | null;
}

/** What the row says after the event. */
export function standAfter({ phase, outcome }: Stand, event: Event): Stand {
  const step = stepOf(event);
  return {
    phase: step.to ?? phase,
    outcome: step.outcome === undefined ? outcome : step.outcome,
  };
}

export const underWayPhases = ['running', 'gating', 'checkpointing', 'rolling-back'] as const;

const anywhere: readonly Phase[] = ['open', 'passed', ...underWayPhases];
const judged: readonly Phase[] = ['running', 'gating', 'checkpointing'];

/** As the machine (core/machine.ts) has it, which knows more. */
export function stepOf(event: Event): Step {
  switch (event.type) {
    case 'attempt.started': {
      const to = event.judge === undefined ? 'running' : 'gating';
      return { from: ['open'], to, outcome: null, isOfTeam: true };
    }
    case 'agent.finished':
      return { from: ['running'], to: 'gating' };
    case 'gates.passed':
      return { from: ['gating'], to: 'checkpointing' };
    case 'attempt.rejected':
    case 'attempt.voided':
      return { from: judged, to: 'rolling-back' };
    case 'rollback.done':
      return { from: ['rolling-back'], to: 'open' };
    case 'checkpoint.created':
      return { from: ['checkpointing'], to: 'passed', outcome: 'passed' };
    case 'task.reopened':
      return { from: ['open', 'passed'], to: 'open', outcome: null };
    case 'task.finished':
      return { from: anywhere, outcome: event.state, isOfTeam: true };
    default:
      return { from: anywhere };
  }
}
