import type { TaskSummary } from '../core/summary.ts';
import { clip, oneLine } from '../core/text.ts';
import { markdownCode, markdownText } from './markdown-parts.ts';

/** Bytes of one note. */
const LONGEST = 300;

/** What people told of the tasks while runs went, a line each, under a blank one; none where that is nothing. */
export function toldLines(tasks: readonly Pick<TaskSummary, 'id' | 'told'>[]): readonly string[] {
  const lines = tasks.flatMap(({ id, told = [] }) =>
    told.map(({ at, by, text }) => {
      const when = at.slice(0, 19).replace('T', ' ');
      return `${oneLine(id)}  told by ${oneLine(by)}, ${when}: ${clip(oneLine(text), LONGEST)}`;
    }),
  );
  return lines.length === 0 ? [] : ['', ...lines];
}

/** The same for Markdown, as one list. */
export function toldPart(tasks: readonly Pick<TaskSummary, 'id' | 'told'>[]): readonly string[] {
  const items = tasks.flatMap(({ id, told = [] }) =>
    told.map(
      ({ by, text }) =>
        `- ${markdownCode(clip(id, 80))} was told by ${markdownText(clip(by, 80))}: ${markdownText(clip(text, LONGEST))}`,
    ),
  );
  return items.length === 0 ? [] : [items.join('\n')];
}
