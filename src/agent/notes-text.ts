import { mostNotes } from '../core/note.ts';
import { byteLength, clip, visible } from '../core/text.ts';

const intro =
  'While this work goes on, the person whose project it is has added to this task, oldest first; where it differs from the plan, it goes before the plan:';

/** What people told of the task, as a part of the prompt; '' for nothing. */
export function notesText(notes: readonly string[]): string {
  const shown = newest(notes);
  if (shown.length === 0) return '';
  const left = notes.length - shown.length;
  const more = left > 0 ? [`[… ${left} older left out …]`] : [];
  return [intro, '', '<notes>', ...more, ...shown.map(listed), '</notes>'].join('\n');
}

function newest(notes: readonly string[]): readonly string[] {
  const shown: string[] = [];
  let room = mostNotes;
  for (const note of notes.toReversed()) {
    const text = clip(visible(note), mostNotes / 2);
    room -= byteLength(text);
    if (room < 0) break;
    shown.unshift(text);
  }
  return shown;
}

/** One item each, whatever lines it has; none can end the list. */
function listed(text: string): string {
  return `- ${text.replaceAll('\n', '\n  ').replace(/<\/(?=notes)/gi, '<\\/')}`;
}
