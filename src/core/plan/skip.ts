import { edited } from './bytes.ts';
import { parsePlan, readPlan } from './parse-plan.ts';
import { boxEdits, lastLine, mayBeOpen, withParagraph } from './tick.ts';

const line = '- [-] skipped';

/**
 * The plan with one task marked as skipped: its own box becomes `[-]`, or each in a heading's section; a section without boxes gets
 * the line `- [-] skipped` after its last block. All other bytes are what they were. Throws when the plan has no such task.
 */
export function skip(bytes: Uint8Array, path: string, taskId: string): Uint8Array {
  const { plan, lines, blocks, drafts } = readPlan(bytes, path);
  const index = plan.tasks.findIndex(({ id }) => id === taskId);
  const [task, draft] = [plan.tasks[index], drafts[index]];
  if (!task || !draft) throw new Error(`${path} has no task '${taskId}' to skip`);
  if (task.state !== 'pending') return bytes;
  const boxes = draft.box ? [draft.box] : draft.section.boxes;
  if (boxes.length > 0) return edited(bytes, boxEdits(bytes, boxes, '-'));
  const last = lastLine(lines, blocks, draft);
  const marked = withParagraph(bytes, last, line);
  if (!mayBeOpen(blocks, last)) return marked;
  const isSkipped = parsePlan(marked, path).tasks[index]?.state === 'skipped';
  return isSkipped ? marked : withParagraph(bytes, draft.body - 1, line);
}
