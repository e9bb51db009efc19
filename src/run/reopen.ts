import { replay } from '../core/machine.ts';
import type { Task } from '../core/plan/plan.ts';
import { textMark } from '../core/text-mark.ts';
import { limitsIn } from '../core/waiting.ts';
import type { Session } from './session.ts';

/** Begins a task in this run, from where the ledger left it. */
export async function reopen(task: Task, session: Session): Promise<void> {
  const { journal } = session;
  const events = await journal.open(task.id);
  const before = replay(events);
  const { title, line, text } = task;
  await journal.append(task.id, { type: 'task.started', title, line, mark: textMark(text) });
  const resumes = before.phase === 'stopped' || before.phase === 'waiting';
  // Whoever may work now need not be who was waited for.
  if (before.phase === 'waiting') session.roster.recall(limitsIn(events));
  if (resumes || before.phase === 'failed' || before.phase === 'passed')
    await journal.append(task.id, { type: 'task.reopened', anew: !resumes });
}
