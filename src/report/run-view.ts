import type { GateResult, Recorded } from '../core/events.ts';

/** A task that a run works on, as far as its lines on the terminal need it. */
export interface OpenTask {
  readonly title: string;
  /** Who performs the attempt under way. */
  readonly agent: string;
  /** ISO 8601, UTC: when the attempt under way began. */
  readonly attemptAt: string;
  /** Seconds of the attempts of this run that are over. */
  readonly spent: number;
  /** Attempts begun in this run. */
  readonly begun: number;
  /** Those of them that cost no attempt. */
  readonly free: number;
  /** 1…5 of `attempts`; the N of `TASK#N`. */
  readonly attempt: number;
  readonly attempts: number;
  readonly number: number;
  /** What the gates said of the attempt under way. */
  readonly gates: readonly GateResult[];
  /** Full name of its checkpoint's tag; '' until it has one. */
  readonly tag: string;
  /** Its last attempt passed ahead of its turn. */
  readonly isAhead: boolean;
}

/** What a reader of a run's output must remember of the events before: the tasks begun and not finished. */
export type RunView = ReadonlyMap<string, OpenTask>;

const noTask: OpenTask = {
  title: '',
  agent: '',
  attemptAt: '',
  spent: 0,
  begun: 0,
  free: 0,
  attempt: 0,
  attempts: 0,
  number: 0,
  gates: [],
  tag: '',
  isAhead: false,
};

/** The task that an event is about; an empty one where the run has not begun it. */
export function taskIn(view: RunView, recorded: Recorded): OpenTask {
  return view.get(recorded.task) ?? noTask;
}

/** The view after an event. */
export function observe(view: RunView, recorded: Recorded): RunView {
  const { event, task } = recorded;
  if (task === '') return view;
  if (event.type === 'task.finished') return new Map([...view].filter(([id]) => id !== task));
  const known = taskIn(view, recorded);
  return new Map([...view, [task, { ...known, ...changeOf(known, recorded) }]]);
}

function changeOf(task: OpenTask, { event, at }: Recorded): Partial<OpenTask> {
  switch (event.type) {
    case 'task.started':
      return { title: event.title };
    case 'attempt.started': {
      const { agent, attempt, attempts, number } = event;
      const begun = task.begun + 1;
      return { agent, attempt, attempts, number, begun, attemptAt: at, gates: [], isAhead: false };
    }
    case 'gate.finished':
      return { gates: [...task.gates, event] };
    case 'attempt.voided':
      return { free: task.free + 1, isAhead: event.why === 'ahead' };
    case 'rollback.done':
      return { spent: spentBy(task, at) };
    case 'checkpoint.created':
      return { tag: event.tag, spent: spentBy(task, at) };
    default:
      return {};
  }
}

function spentBy({ spent, attemptAt }: OpenTask, at: string): number {
  const seconds = (Date.parse(at) - Date.parse(attemptAt)) / 1000;
  return spent + (seconds > 0 ? seconds : 0);
}
