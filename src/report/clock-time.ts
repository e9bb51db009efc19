/** When, for people at this machine: `04:10`, with the date where that is another day than `now`. Both ISO 8601. */
export function clockTime(time: string, now: string): string {
  const then = new Date(time);
  const minutes = `${two(then.getHours())}:${two(then.getMinutes())}`;
  const day = dayOf(then);
  return day === dayOf(new Date(now)) ? minutes : `${day} ${minutes}`;
}

function dayOf(time: Date): string {
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
