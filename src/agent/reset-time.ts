/** When a limit is over: a time, or how long from now. */
export interface Reset {
  /** ISO 8601. */
  readonly until?: string;
  readonly afterMs?: number;
}

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const amount =
  /(\d+(?:\.\d+)?) ?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])/gi;
const wait =
  /\b(?:(?:try again|retry|resets?|available again) (?:after|in)|retry[ -]after:?) ((?:\d+(?:\.\d+)? ?[a-z]*[ ,]*(?:and )?)+)/i;
const clock =
  /\b(?:try again at|resets?(?: at)?|available again at) (?:([A-Z][a-z]{2,8}) (\d{1,2})(?:st|nd|rd|th)?,? (?:(\d{4}) |at )?)?(\d{1,2})(?::(\d{2}))? ?([ap]m)\b/i;

/** A time that has just passed was told in minutes: it is over any moment. */
const JUST_PASSED_MS = 5 * 60_000;
const SHORTLY_MS = 60_000;
/** A year: what names a longer wait means something else. */
const LONGEST_MS = 366 * 86_400_000;

/**
 * What the words of an error say of the time: `Suggested retry after 3600s.`, `try again in 1h20m`, `try again at 12:39 PM`,
 * `try again at Dec 3rd, 2026 3:32 AM`, `resets 5:39pm (UTC)`. Clients print a time of day in the zone of their process,
 * which is ours; it means the next such time after `now`.
 */
export function resetIn(words: string, now: Date): Reset {
  const waits = wait.exec(words)?.[1];
  if (waits !== undefined) return afterOf(waits);
  const time = clock.exec(words);
  return time === null ? {} : timeOf(time, now);
}

/** The value of a Retry-After header (RFC 9110, 10.2.3): seconds, or a date. */
export function resetOfHeader(value: string): Reset {
  if (/^\d+(?:\.\d+)?$/.test(value.trim())) return within(Number(value) * 1000);
  return resetAt(Date.parse(value));
}

/** Seconds or milliseconds since 1970; which of the two shows in its size. */
export function resetOfEpoch(value: number): Reset {
  return resetAt(value < 1e11 ? value * 1000 : value);
}

function resetAt(ms: number): Reset {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? {} : { until: date.toISOString() };
}

function within(ms: number): Reset {
  return Number.isFinite(ms) && ms <= LONGEST_MS ? { afterMs: Math.ceil(ms) } : {};
}

function afterOf(words: string): Reset {
  const amounts = [...words.matchAll(amount)];
  const bare = /^\d+(?:\.\d+)?$/.exec(words.trim());
  if (amounts.length === 0) return bare === null ? {} : within(Number(bare[0]) * 1000);
  return within(amounts.reduce((sum, [, count, unit]) => sum + Number(count) * msOf(unit), 0));
}

function msOf(unit = ''): number {
  const short = unit.toLowerCase();
  return unitMs[short.startsWith('ms') || short.startsWith('milli') ? 'ms' : short.charAt(0)] ?? 0;
}

function timeOf(match: RegExpExecArray, now: Date): Reset {
  const [, month, day, year, hour = '', minute = '0', half = ''] = match;
  const hours = (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  if (Number(hour) > 12 || Number(minute) > 59) return {};
  const onDay = (y: number, m: number, d: number): Date => new Date(y, m, d, hours, Number(minute));
  const thisYear = now.getFullYear();
  if (month !== undefined && day !== undefined) {
    const index = months.indexOf(month.slice(0, 3).toLowerCase());
    if (index === -1) return {};
    return nextOf(now, (turn) => onDay(Number(year ?? thisYear + turn), index, Number(day)));
  }
  return nextOf(now, (turn) => onDay(thisYear, now.getMonth(), now.getDate() + turn));
}

function nextOf(now: Date, inTurn: (turn: 0 | 1) => Date): Reset {
  const first = inTurn(0).getTime();
  const past = now.getTime() - first;
  if (past < 0) return resetAt(first);
  if (past <= JUST_PASSED_MS) return { afterMs: SHORTLY_MS };
  const next = inTurn(1).getTime();
  // A date with its year that is over: there is nothing to wait for.
  return next > now.getTime() ? resetAt(next) : { afterMs: SHORTLY_MS };
}
