import { oneLine } from '../src/core/text.ts';
import { chooseLook } from '../src/report/style.ts';
import { print } from './io.ts';
import type { Io } from './io.ts';

/** One line on standard error; nothing where there is nothing to say. */
export function tellNotice(notice: string | undefined, io: Io): void {
  if (notice === undefined) return;
  const { style } = chooseLook(io.env, io.err.isTerminal);
  print(io.err, `${style.warn('notice')}  ${oneLine(notice)}`);
}
