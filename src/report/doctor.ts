import type { DoctorLine, DoctorSection } from '../core/doctor.ts';
import { oneLine } from '../core/text.ts';
import type { Style } from './style.ts';

/** A heading a section, below it a line for each thing found. */
export function renderDoctor(sections: readonly DoctorSection[], style: Style): string {
  return sections
    .map(({ title, lines }) =>
      [style.strong(title), ...lines.map((line) => lineOf(line, style))].join('\n'),
    )
    .join('\n\n');
}

function lineOf({ state, text }: DoctorLine, style: Style): string {
  const paint = { ok: style.good, notice: style.warn, problem: style.bad }[state];
  return `  ${paint(state.padEnd(7))}  ${oneLine(text)}`;
}

/** The same as data, one object a line found, or as many as it has rows. */
export function doctorData(sections: readonly DoctorSection[]): readonly object[] {
  return sections.flatMap(({ title, lines }) =>
    lines.flatMap(({ state, text, data = {}, rows = [data] }) =>
      rows.map((row) => ({ section: title, state, text, ...row })),
    ),
  );
}
