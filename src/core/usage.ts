/** What an agent says that a step took. A part that it does not report is absent: nothing is guessed. */
export interface Usage {
  /** Tokens that it read, cached ones included. */
  readonly input?: number;
  /** Tokens that it wrote. */
  readonly output?: number;
  /** US dollars, by the client's own price list. */
  readonly usd?: number;
  /** The step was ended before its agent could report all. */
  readonly atLeast?: true;
}

/** A sum over an agent's steps. */
export interface UsageSum extends Omit<Usage, 'atLeast'> {
  readonly steps: number;
  /** How many of the steps did not report it, or not all of it: then the sum is a least, or absent. */
  readonly unknown: { readonly tokens: number; readonly usd: number };
}

/** The sum of what was reported. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sums = (['input', 'output', 'usd'] as const).flatMap((part) => {
    const [left, right] = [a[part], b[part]];
    if (left === undefined && right === undefined) return [];
    return [[part, (left ?? 0) + (right ?? 0)] as const];
  });
  const isLeast = a.atLeast === true || b.atLeast === true;
  return { ...Object.fromEntries(sums), ...(isLeast && { atLeast: true }) };
}

export function sumUsage(steps: readonly Usage[]): UsageSum {
  const unknown = { tokens: 0, usd: 0 };
  for (const step of steps) {
    if (step.atLeast === true || tokensOf(step) === undefined) unknown.tokens += 1;
    if (step.atLeast === true || step.usd === undefined) unknown.usd += 1;
  }
  return { ...totalsOf(steps), steps: steps.length, unknown };
}

function totalsOf(steps: readonly Usage[]): Omit<Usage, 'atLeast'> {
  const sums: { input?: number; output?: number; usd?: number } = {};
  for (const { input, output, usd } of steps) {
    if (input !== undefined) sums.input = (sums.input ?? 0) + input;
    if (output !== undefined) sums.output = (sums.output ?? 0) + output;
    if (usd !== undefined) sums.usd = (sums.usd ?? 0) + usd;
  }
  return sums;
}

/** Whether any step reported anything. */
export function isReported(sum: UsageSum): boolean {
  return tokensOf(sum) !== undefined || sum.usd !== undefined;
}

/** Read and written; undefined where neither is known. */
export function tokensOf({ input, output }: Pick<Usage, 'input' | 'output'>): number | undefined {
  if (input === undefined && output === undefined) return undefined;
  return (input ?? 0) + (output ?? 0);
}

/** `12.3k tokens, $0.05`; '' where nothing is known. */
export function spellUsage(usage: Usage): string {
  return spellParts(usage, usage.atLeast === true ? { tokens: 1, usd: 1 } : { tokens: 0, usd: 0 });
}

/** `12.3k tokens, at least $0.05`, `12.3k tokens, cost unknown`; '' where no step was made. */
export function spellSum(sum: UsageSum): string {
  if (sum.steps === 0) return '';
  const known = spellParts(sum, sum.unknown);
  if (sum.usd !== undefined) return known;
  return known === '' ? 'cost unknown' : `${known}, cost unknown`;
}

function spellParts(usage: Usage, unknown: UsageSum['unknown']): string {
  const tokens = tokensOf(usage);
  const parts = [
    tokens === undefined ? '' : `${least(unknown.tokens)}${spellTokens(tokens)} tokens`,
    usage.usd === undefined ? '' : `${least(unknown.usd)}${spellUsd(usage.usd)}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** What a sum begins with where so many steps are not in it. */
export function least(unknown: number): string {
  return unknown > 0 ? 'at least ' : '';
}

export function spellTokens(tokens: number): string {
  if (tokens >= 1e6) return `${trim(tokens / 1e6)}M`;
  return tokens >= 1e3 ? `${trim(tokens / 1e3)}k` : String(tokens);
}

/** Cents; less than one is not rounded to nothing. */
export function spellUsd(usd: number): string {
  return usd > 0 && usd < 0.01 ? `$${usd.toPrecision(1)}` : `$${usd.toFixed(2)}`;
}

function trim(number: number): string {
  return number.toFixed(1).replace(/\.0$/, '');
}
