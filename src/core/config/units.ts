/** Durations and sizes as people write them. A number without a unit is no duration: nobody can tell seconds from minutes. */

/** What Node's timers can wait for (2^31 - 1 ms); they fire at once beyond it. */
const LONGEST_DURATION = 2 ** 31 - 1;

const MILLISECONDS: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
};

const NUMBER = String.raw`(\d{1,15}(?:\.\d{1,9})?)`;
const part = new RegExp(String.raw`^${NUMBER} ?(ms|d|h|m|s)(?: ?)`);

/**
 * `90s`, `15m`, `8h`, `1h30m`, `500ms`, `1.5h` as whole milliseconds; larger units go first, each at most once. Undefined
 * for anything else: no unit, a sign, or more than 24 days.
 */
export function parseDuration(text: string): number | undefined {
  let rest = text.trim().toLowerCase();
  let smallest = Infinity;
  let sum = 0;
  while (rest !== '') {
    const [whole, number, unit] = part.exec(rest) ?? [];
    const size = MILLISECONDS[unit ?? ''];
    if (whole === undefined || size === undefined || size >= smallest) return undefined;
    smallest = size;
    sum += Number(number) * size;
    rest = rest.slice(whole.length);
  }
  return smallest === Infinity || sum > LONGEST_DURATION ? undefined : Math.round(sum);
}

const POWERS = 'kmgt';
const size = new RegExp(String.raw`^${NUMBER} ?(?:([kmgt])(i?b)?|b)?$`);

/**
 * `50MiB`, `10MB`, `1.5GiB`, `64k`, `4096` as whole bytes: `MB` counts by 1000, `MiB` and git's bare `M` by 1024.
 * Undefined for anything else, and beyond what a number holds exactly.
 */
export function parseSize(text: string): number | undefined {
  const [whole, number, prefix = '', suffix] = size.exec(text.trim().toLowerCase()) ?? [];
  if (whole === undefined) return undefined;
  const base = suffix === 'b' ? 1000 : 1024;
  const bytes = Number(number) * base ** (prefix === '' ? 0 : POWERS.indexOf(prefix) + 1);
  return bytes > Number.MAX_SAFE_INTEGER ? undefined : Math.round(bytes);
}

const amount = /^\$?(\d{1,9}(?:\.\d{1,6})?)(?: ?(?:usd|\$))?$/;

/** `5`, `0.50`, `$5`, `5 USD`: US dollars, more than nothing. */
export function parseUsd(text: string): number | undefined {
  const usd = Number(amount.exec(text.trim().toLowerCase())?.[1] ?? NaN);
  return usd > 0 ? usd : undefined;
}

const count = /^(\d{1,12}(?:\.\d{1,6})?) ?([kmb]?)$/;
const THOUSANDS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, b: 1e9 };

/** `200000`, `500k`, `2M`: tokens, at least one. */
export function parseTokens(text: string): number | undefined {
  const [, number, unit = ''] = count.exec(text.trim().toLowerCase().replaceAll('_', '')) ?? [];
  const tokens = Math.round(Number(number ?? NaN) * (THOUSANDS[unit] ?? NaN));
  return tokens >= 1 && Number.isSafeInteger(tokens) ? tokens : undefined;
}
