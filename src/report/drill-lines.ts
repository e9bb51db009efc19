import type { DrillGroup, DrillReport, OwnGates, Trial } from '../core/drill.ts';
import { oneLine } from '../core/text.ts';
import type { Style } from './style.ts';

const mostReasons = 5;

/** What is known before the first kind is tried. */
export function drillStartLine({ count, doPass, why, seconds }: OwnGates, total: number): string {
  const took = `${seconds.toFixed(1)} s`;
  const plural = count === 1 ? '' : 's';
  const gates = doPass
    ? `your ${count} gate${plural} pass on a clean clone (${took})`
    : `your gates do not pass on a clean clone (${oneLine(why) || 'no word why'})`;
  return `${gates}; ${total} kind${total === 1 ? '' : 's'}, judged by a stand-in gate`;
}

/** One kind that did not hold, or was not tried: nothing is said of the others. */
export function trialLines(trial: Trial, style: Style): readonly string[] {
  const { name, outcome, reasons, left } = trial;
  if (outcome === 'held') return [];
  if (outcome === 'not-tried')
    return [`${style.warn('!')} not tried: ${oneLine(name)}: ${oneLine(reasons.join('; '))}`];
  const shown = reasons.slice(0, mostReasons);
  const more = reasons.length - shown.length;
  return [
    `${style.bad('✗')} ${style.strong(oneLine(name))}`,
    ...shown.map((reason) => `    ${oneLine(reason)}`),
    ...(more > 0 ? [`    and ${more} more`] : []),
    ...(left > 0 ? [`    ${left} process${left === 1 ? '' : 'es'} left`] : []),
  ];
}

/** A terminal's last line while kinds are tried. */
export function drillProgressLine(done: number, total: number): string {
  return `${done} of ${total}`;
}

/** The result, in a few calm lines. */
export function drillEndLines(report: DrillReport, style: Style): readonly string[] {
  const { trials, seconds, isInterrupted, total } = report;
  const of = (...groups: readonly DrillGroup[]): readonly Trial[] =>
    trials.filter(({ group, outcome }) => groups.includes(group) && outcome !== 'not-tried');
  const left = trials.reduce((sum, trial) => sum + trial.left, 0);
  const told = trials.filter((trial) => trial.told.length > 0);
  const late = of('damage', 'processes').filter((trial) => trial.isByNextRun).length;
  const skipped = trials.filter(({ outcome }) => outcome === 'not-tried').length;
  const rest = total - trials.length;
  const lines = [
    ...(isInterrupted ? [`interrupted: ${rest} of ${total} kinds were not tried`] : []),
    restored(of('damage', 'processes')),
    faked(of('forgery')),
    survived(of('kill')),
    `processes left: ${left}`,
    ...(late > 0 ? [`run stopped, put back by the next one: ${late}`] : []),
    ...(told.length > 0 ? [`told, not undone (ignored paths, as documented): ${told.length}`] : []),
    ...(skipped > 0 ? [`not tried: ${skipped}`] : []),
    `time ${duration(seconds)}`,
  ];
  const isWhole = trials.every(({ outcome }) => outcome !== 'failed');
  const paint = isWhole && !isInterrupted ? style.good : style.bad;
  return lines
    .filter((line) => line !== '')
    .map((line, index) => (index === 0 ? paint(line) : line));
}

function restored(trials: readonly Trial[]): string {
  if (trials.length === 0) return '';
  const broken = trials.filter(({ outcome }) => outcome === 'failed').length;
  const count = `${trials.length} kind${trials.length === 1 ? '' : 's'} of damage`;
  const held = trials.length - broken;
  return broken === 0
    ? `${count}: ${held} restored exactly`
    : `${count}: ${held} restored exactly, ${broken} not`;
}

function faked(trials: readonly Trial[]): string {
  const passed = trials.filter(({ outcome }) => outcome === 'failed').length;
  return trials.length === 0 ? '' : `false passes: ${passed} of ${trials.length}`;
}

function survived(trials: readonly Trial[]): string {
  const carried = trials.filter(({ outcome }) => outcome === 'held').length;
  const times = trials.length === 1 ? 'once' : `${trials.length} times`;
  return trials.length === 0 ? '' : `killed ${times}: carried on ${carried}`;
}

function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole}s` : `${Math.floor(whole / 60)}m ${whole % 60}s`;
}
