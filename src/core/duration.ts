/** A duration for people: `0.3s`, `12s`, `1m 04s`, `2h 05m`. */
export function spellSeconds(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${two(whole % 60)}s`;
  const minutes = Math.round(whole / 60);
  return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
}

/** A limit for people: the same, without a part that is nothing: `30m`, `8h`, `7h 30m`. */
export function spellLimit(milliseconds: number): string {
  const spelled = spellSeconds(milliseconds / 1000);
  return spelled.replace(/^(\d+)\.0s$/, '$1s').replace(/ 00[ms]$/, '');
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
