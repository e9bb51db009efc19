import type { Recorded } from '../core/events.ts';

/** An event as `--json` prints it, without its line feed: one object on one line (schema/events.schema.json). */
export function eventLine(recorded: Recorded): string {
  const { run, at, plan, task, event } = recorded;
  const { type, ...fields } = event;
  return jsonLine({ type, run, at, plan, ...(task !== '' && { task }), ...fields });
}

/** JSON on one line also for readers, such as Node's readline, to which U+2028 and U+2029 end a line. */
export function jsonLine(value: object): string {
  return JSON.stringify(value).replace(/[\u2028\u2029]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16)}`;
  });
}
