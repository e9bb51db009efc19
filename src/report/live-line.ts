import { oneLine } from '../core/text.ts';
import { spellSeconds } from '../core/duration.ts';
import type { Style } from './style.ts';

/** What runs now. The step's name is the agent's or the gate's. */
export interface LiveStep {
  readonly task: string;
  readonly attempt: number;
  readonly attempts: number;
  readonly step: 'agent' | 'gate' | 'checkpoint' | 'rollback' | 'baseline' | 'wait' | 'pause';
  readonly name: string;
  /** What a wait waits for; ISO 8601. */
  readonly until?: string;
}

const words: Readonly<Record<LiveStep['step'], string>> = {
  agent: 'agent',
  gate: 'gate',
  checkpoint: 'checkpoint',
  rollback: 'rolling back',
  baseline: 'gates on the untouched tree: ',
  wait: 'waiting for',
  pause: 'paused',
};

/** A step with the seconds that it has taken, or that a wait still has to go. */
export interface TimedStep {
  readonly live: LiveStep;
  readonly seconds: number;
}

/** The same for several tasks at once: `3 at work: b agent 1/5 40s · c gate check.sh · d agent 2/5 3s`. */
export function renderLiveTasks(all: readonly TimedStep[], style: Style): string {
  const [only] = all;
  if (only !== undefined && all.length === 1) return renderLiveLine(only.live, only.seconds, style);
  const parts = all.map(({ live, seconds }) => {
    const { step, attempt, attempts } = live;
    const nth = step === 'agent' ? ` ${attempt}/${attempts}` : '';
    const name = step === 'gate' ? ` ${oneLine(live.name)}` : '';
    const time = seconds < 1 ? '' : ` ${spellSeconds(Math.floor(seconds)).replace('.0s', 's')}`;
    return `${style.strong(oneLine(live.task))} ${words[step]}${nth}${name}${time}`;
  });
  return `${style.faint('●')} ${all.length} at work: ${parts.join(' · ')}`;
}

/**
 * The one line that a terminal redraws: the task under way, which attempt, what runs now and for how long; of a wait, for how
 * long still.
 */
function renderLiveLine(live: LiveStep, seconds: number, style: Style): string {
  const what = `${words[live.step]} ${oneLine(live.name)}`.trim().replace(/ {2,}/g, ' ');
  const left = live.until === undefined ? '' : ' left';
  const spelled = spellSeconds(Math.floor(seconds)).replace('.0s', 's');
  const time = seconds < 1 ? '' : ` · ${spelled}${left}`;
  if (live.task === '') return `${style.faint('●')} ${what}${time}`;
  const attempt = live.attempts === 0 ? '' : `attempt ${live.attempt}/${live.attempts} · `;
  return `${style.faint('●')} ${style.strong(oneLine(live.task))}  ${attempt}${what}${time}`;
}
