import type { Recorded } from '../src/index.ts';
import type { GateResult } from '../src/core/events.ts';
import { describeFailure, type Failure } from '../src/core/failure.ts';
import { find, isOfTask } from '../src/core/history.ts';
import type { EventOf } from '../src/core/history.ts';
import { shortRef } from '../src/core/refs.ts';
import { reportOf } from '../src/core/run-report.ts';
import type { Annotation } from '../src/report/ci/annotations.ts';
import { renderMarkdown } from '../src/report/markdown.ts';
import { observe, taskIn } from '../src/report/run-view.ts';
import type { RunView } from '../src/report/run-view.ts';
import type { Ci } from './ci.ts';

/** Bytes of the summary of a step: GitHub shows none that is larger than 1 MiB, of all steps of a job together 20. */
const MOST_SUMMARY = 200_000;

/**
 * Tells a CI service of a run, event by event. Each gate is folded when it ends. A task that failed for good is an error at the lines that its last attempt's gates named:
 * attempts that were rejected before it passed are no errors of the job, and the summary lists them.
 */
export function openRunTeller(ci: Ci, quiet: boolean): (recorded: Recorded) => void {
  const rejections = new Map<string, readonly Annotation[]>();
  const events: Recorded[] = [];
  let view: RunView = new Map();
  return (recorded) => {
    const { event, task } = recorded;
    const { gates } = taskIn(view, recorded);
    view = observe(view, recorded);
    events.push(recorded);
    switch (event.type) {
      case 'gate.finished':
        if (!quiet) ci.fold(event, task);
        return;
      case 'attempt.rejected':
        // Before the rollback, while the files that the gates spoke of are there.
        rejections.set(task, rejectionOf(event, { ci, events, gates }));
        return;
      case 'task.finished':
        if (event.state === 'failed') ci.annotate(rejections.get(task) ?? []);
        rejections.delete(task);
        return;
      case 'run.finished':
        finish(event, events, ci);
        return;
      default:
        return;
    }
  };
}

interface Rejecting {
  readonly ci: Ci;
  readonly events: readonly Recorded[];
  readonly gates: readonly GateResult[];
}

function rejectionOf(
  { failure }: EventOf<'attempt.rejected'>,
  { ci, events, gates }: Rejecting,
): readonly Annotation[] {
  const { isolated } = find(events, 'run.started')?.event.options ?? {};
  const tree = typeof isolated === 'string' ? isolated : undefined;
  const rejecting = gates.filter(({ name }) => failure.gates?.includes(name));
  const title = `task ${events.at(-1)?.task ?? ''}`;
  return [
    { severity: 'error', title, message: describeFailure(failure) },
    ...rejecting.flatMap((gate) => ci.findings(gate, tree)),
    ...(failure.kind === 'reviewed' || failure.kind === 'stagnated'
      ? ofReview(failure, events)
      : []),
  ];
}

/** Findings that blocked, each at its place; the last review is the one that is spoken of. */
function ofReview({ paths = [] }: Failure, events: readonly Recorded[]): readonly Annotation[] {
  const task = events.at(-1)?.task;
  const own = events.filter((recorded) => recorded.task === task);
  const begun = own.findLastIndex(({ event }) => event.type === 'attempt.started');
  const review = find(own.slice(Math.max(0, begun)).filter(isOfTask), 'review.finished')?.event;
  return (review?.findings ?? [])
    .filter(({ file }) => paths.includes(file))
    .slice(0, MOST_FINDINGS)
    .map(({ file, line, severity, message }) => ({
      ...{ severity: 'error' as const, title: `review: ${severity}`, message, path: file },
      ...(line !== undefined && { line }),
    }));
}

const MOST_FINDINGS = 10;

function finish(event: EventOf<'run.finished'>, events: readonly Recorded[], ci: Ci): void {
  const { status, why = 'interrupted', counts } = event;
  if (status !== 0 && counts.failed === 0)
    ci.annotate([
      { severity: 'error', title: 'skeleton', message: `stopped: ${why} (exit ${status})` },
    ]);
  const report = reportOf(events);
  if (report === undefined) return;
  ci.summarise(renderMarkdown(report, new Map(), MOST_SUMMARY));
  const tags = events.flatMap(({ event: one }) =>
    one.type === 'checkpoint.created' ? [shortRef(one.tag)] : [],
  );
  ci.give({
    passed: String(counts.passed),
    failed: String(counts.failed),
    'last-checkpoint': tags.at(-1) ?? '',
  });
}
