import type { Event, Recorded } from '../core/events.ts';
import {
  count,
  isRecord,
  runEvents,
  taskEvents,
  text,
  wrongField,
  type Check,
  type Checks,
} from './event-checks.ts';

/** A row of the table `event`, less its id. */
export interface EventRow {
  readonly plan: string;
  readonly task: string;
  readonly seq: number;
  readonly run: string;
  readonly at: string;
  readonly type: string;
  /** The whole event as JSON, its type included. */
  readonly body: string;
}

const columns: Checks<EventRow> = {
  plan: text,
  task: text,
  seq: count,
  run: text,
  at: text,
  type: text,
  body: text,
};

const checksOf: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  ...taskEvents,
  ...runEvents,
};

/** The row that holds an event. Throws TypeError for one that could not be read back: it would shut the ledger for ever. */
export function rowOf({ event, ...place }: Recorded): EventRow {
  const row: EventRow = { ...place, type: event.type, body: JSON.stringify(event) };
  readRow(row, (reason) => new TypeError(`not recorded: ${reason}`));
  return row;
}

/** The event in a row, every field checked. Throws what `unreadable` makes of a reason that names the row. */
export function readRow(row: unknown, unreadable: (reason: string) => Error): Recorded {
  if (!isRecord(row) || !isEventRow(row)) throw unreadable('an event lacks a column');
  return readEvent(row, parse(row.body), unreadable);
}

/** As readRow, of a row whose body is parsed already: undefined stands for what is no JSON. */
export function readEvent(
  row: Omit<EventRow, 'body'>,
  event: unknown,
  unreadable: (reason: string) => Error,
): Recorded {
  const { plan, task, seq, run, at } = row;
  const problem = problemOf(event, row);
  if (problem !== undefined)
    throw unreadable(`event ${seq} of ${task === '' ? plan : `${plan}, ${task}`} ${problem}`);
  return { run, at, plan, task, seq, event: event as Event };
}

function isEventRow(row: Record<string, unknown>): row is Record<string, unknown> & EventRow {
  return wrongField(row, columns) === undefined;
}

function problemOf(
  event: unknown,
  { type, task }: Pick<EventRow, 'type' | 'task'>,
): string | undefined {
  const checks = Object.hasOwn(checksOf, type) ? checksOf[type] : undefined;
  if (checks === undefined) return `has the type '${type}', which is unknown here`;
  if (task !== '' && !Object.hasOwn(taskEvents, type)) return `is '${type}', but belongs to a task`;
  if (!isRecord(event)) return 'is no JSON object';
  if (event['type'] !== type) return `is not the '${type}' that its row says`;
  const field = wrongField(event, checks);
  return field && `('${type}') lacks the field '${field}', or has a wrong value there`;
}

/** Undefined, which no JSON text stands for, where it is none. */
function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
