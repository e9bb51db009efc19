import { spellLimit } from '../../core/duration.ts';
import type { RunReport } from '../../core/run-report.ts';

/** Where things stand in the timeline: in its own units, which are pixels on a wide screen. */
export interface Plot {
  /** Milliseconds since the epoch. */
  readonly from: number;
  /** Seconds, never 0. */
  readonly length: number;
  readonly width: number;
  readonly height: number;
  /** Where time begins: right of the tasks' names. */
  readonly left: number;
  /** Where the first row begins, and how high each is. */
  readonly top: number;
  readonly row: number;
  /** Too many rows for one screen: they are lower, and the picture scrolls in its own box. */
  readonly isTall: boolean;
}

const WIDTH = 960;
const MOST_LEFT = 230;
const CHARACTER = 8;
const RIGHT = 24;
const TOP = 26;
const MANY = 25;

/** `now`: ISO 8601, UTC, of a run that goes on. */
export function plotOf({ run, tasks }: RunReport, now: string | undefined): Plot {
  const from = Date.parse(run.startedAt);
  const isOver = run.status !== undefined || now === undefined;
  const length = Math.max(run.seconds, isOver ? 0 : since(now, { from }), 0.1);
  const isTall = tasks.length >= MANY;
  const row = isTall ? 20 : 30;
  const longest = Math.max(0, ...tasks.map(({ id }) => id.length));
  const left = Math.min(MOST_LEFT, 36 + longest * CHARACTER);
  const height = TOP + tasks.length * row + 8;
  return { from, length, width: WIDTH, height, left, top: TOP, row, isTall };
}

/** Of a moment in seconds since the run began; what lies outside stands at the edge. */
export function x(seconds: number, { length, left }: Plot): number {
  const inside = Math.min(Math.max(seconds, 0), length);
  return left + (inside / length) * (WIDTH - left - RIGHT);
}

/** Seconds from the run's begin to a time in ISO 8601; 0 where one of them cannot be read. */
export function since(time: string, { from }: Pick<Plot, 'from'>): number {
  const seconds = (Date.parse(time) - from) / 1000;
  return Number.isFinite(seconds) ? seconds : 0;
}

export function px(number: number): string {
  return number.toFixed(1).replace(/\.0$/, '');
}

/** Seconds between two ticks: round numbers of seconds, minutes, hours. */
const steps: readonly number[] = [
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30],
  ...[60, 120, 300, 600, 900, 1800],
  ...[3600, 7200, 14_400, 21_600, 43_200, 86_400],
];
const MOST_TICKS = 6;

interface Tick {
  /** Seconds. */
  readonly at: number;
  readonly label: string;
}

/** A few round ticks from 0 to at most so many seconds. */
export function ticksOf(seconds: number): readonly Tick[] {
  const days = Math.ceil(seconds / MOST_TICKS / 86_400) * 86_400;
  const step = steps.find((one) => seconds / one <= MOST_TICKS) ?? days;
  const count = Math.floor(seconds / step + 1e-9);
  return Array.from({ length: count + 1 }, (_, nth) => {
    const at = nth * step;
    return { at, label: nth === 0 ? '0' : spellLimit(at * 1000) };
  });
}
