import type { Block } from './blocks.ts';
import { stateOf, type Box } from './box.ts';
import { byteLines, edited, type ByteLine, type Edit } from './bytes.ts';
import { isBlank, lineAt, type Lines } from './lines.ts';
import { completionMarker } from './marker.ts';
import type { Draft } from './outline.ts';
import { parsePlan, readPlan } from './parse-plan.ts';
import type { Task } from './plan.ts';

export { differsInMarksOnly } from './differs-in-marks-only.ts';

/**
 * The plan with one task marked as done (contract, "PLAN.md"): its open boxes become `[x]`, or, in a heading's section
 * without boxes, a completion marker comes after the last block that is no thematic break. All other bytes are what they
 * were: line ends, byte order mark, invalid UTF-8, a missing last line end. Throws when the plan has no such task.
 */
export function tick(bytes: Uint8Array, path: string, taskId: string): Uint8Array {
  const { plan, lines, blocks, drafts } = readPlan(bytes, path);
  const index = plan.tasks.findIndex(({ id }) => id === taskId);
  const [task, draft] = [plan.tasks[index], drafts[index]];
  if (!task || !draft) throw new Error(`${path} has no task '${taskId}' to tick`);
  const boxes = draft.box ? [draft.box, ...draft.section.boxes] : draft.section.boxes;
  if (boxes.length > 0) return edited(bytes, boxEdits(bytes, boxesToTick(boxes, draft, task), 'x'));
  if (task.state === 'done') return bytes;
  const last = lastLine(lines, blocks, draft);
  const marked = withParagraph(bytes, last, completionMarker(taskId));
  if (!mayBeOpen(blocks, last)) return marked;
  const isDone = parsePlan(marked, path).tasks[index]?.state === 'done';
  return isDone ? marked : withParagraph(bytes, draft.body - 1, completionMarker(taskId));
}

/** Whether a line may be inside a fence, or an HTML comment, that nothing closes: a marker behind it would be part of that. */
export function mayBeOpen(blocks: readonly Block[], line: number): boolean {
  const last = blocks.findLast((block) => block.line <= line);
  if (last?.depth !== 0) return false;
  return last.kind === 'html' || (last.kind === 'code' && last.open);
}

/** A `[-]` inside a task stays: somebody decided that it is not needed. Not so where the whole task was skipped, and yet done. */
function boxesToTick(boxes: readonly Box[], draft: Draft, task: Task): readonly Box[] {
  const unskipped = task.state === 'skipped' && !draft.box;
  return boxes.filter((box) => {
    const state = stateOf(box.mark) ?? 'pending';
    return state === 'pending' || (state === 'skipped' && (unskipped || box === draft.box));
  });
}

const OPENING = 0x5b;
const CLOSING = 0x5d;
/** Another mark in each of the boxes. */
export function boxEdits(bytes: Uint8Array, boxes: readonly Box[], mark: string): readonly Edit[] {
  const text = new TextEncoder().encode(mark);
  const lines = byteLines(bytes);
  return boxes.map(({ line, column }) => {
    const opening = (lines[line - 1]?.start ?? 0) + column;
    const to = bytes.indexOf(CLOSING, opening);
    if (bytes[opening] !== OPENING || to < 0) throw new Error(`no box in byte ${opening}`);
    return { from: opening + 1, to, text };
  });
}

/** Of the last block that is no thematic break; its heading's where there is none. */
export function lastLine(lines: Lines, blocks: readonly Block[], { body, end }: Draft): number {
  const rules = new Set(
    blocks.filter(({ kind, depth }) => kind === 'rule' && depth === 0).map(({ line }) => line),
  );
  let line = end - 1;
  while (line >= body && (isBlank(lineAt(lines, line)) || rules.has(line))) line -= 1;
  return line;
}

/** A paragraph of its own after a line, with that line's kind of line end. */
export function withParagraph(bytes: Uint8Array, line: number, paragraph: string): Uint8Array {
  const lines = byteLines(bytes);
  const at = lines[line - 1]?.next ?? bytes.length;
  const own = lineEndOf(bytes, lines[line - 1]);
  const end = own || lineEndOf(bytes, lines[line - 2]) || '\n';
  const text = own === '' ? `${end}${end}${paragraph}` : `${end}${paragraph}${end}`;
  return edited(bytes, [{ from: at, to: at, text: new TextEncoder().encode(text) }]);
}

function lineEndOf(bytes: Uint8Array, line: ByteLine | undefined): string {
  return new TextDecoder().decode(bytes.subarray(line?.end ?? 0, line?.next ?? 0));
}
