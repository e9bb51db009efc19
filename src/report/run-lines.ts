import type { Event, GateResult, Recorded } from '../core/events.ts';
import { describeVoid, describeFailure } from '../core/failure.ts';
import type { Failure } from '../core/failure.ts';
import type { EventOf } from '../core/history.ts';
import { shortRef } from '../core/refs.ts';
import type { PlanChange } from '../core/plan-change.ts';
import { clip, oneLine } from '../core/text.ts';
import { spellSeconds } from '../core/duration.ts';
import { spellUsage } from '../core/usage.ts';
import { spellLimited } from '../core/waiting.ts';
import { clockTime } from './clock-time.ts';
import type { OpenTask, RunView } from './run-view.ts';
import { taskIn } from './run-view.ts';
import type { Style } from './style.ts';
import { shellWord } from './shell-word.ts';
import { tellingLines } from './telling-lines.ts';

/**
 * A line of a run's output. `problem`: shown even with --quiet; `result`: what stays on a terminal; `step`: what a terminal
 * shows in the line that it redraws, and everything else as a line.
 */
export interface Line {
  readonly text: string;
  readonly weight: 'problem' | 'result' | 'step';
}

export interface Telling {
  readonly style: Style;
  /** Options that every command about this plan needs, with a blank before; '' for none. */
  readonly planOption: string;
}

interface Context extends Telling {
  readonly recorded: Recorded;
  readonly task: OpenTask;
}

type Lines = readonly Line[];
type Handler<T extends Event['type']> = (event: EventOf<T>, context: Context) => Lines;

const none = (): Lines => [];
const problem = (text: string): Line => ({ text, weight: 'problem' });
const result = (text: string): Line => ({ text, weight: 'result' });
const step = (text: string): Line => ({ text, weight: 'step' });

/** What an event adds to the output of a run; `view` is the run before it. The start and the end are told elsewhere. */
export function linesOf(view: RunView, recorded: Recorded, telling: Telling): Lines {
  const handler = handlers[recorded.event.type] as Handler<Event['type']>;
  return handler(recorded.event, { ...telling, recorded, task: taskIn(view, recorded) });
}

const handlers: { readonly [T in Event['type']]: Handler<T> } = {
  'run.started': none,
  'run.finished': none,
  'baseline.finished': baselineLines,
  notice: (event, { recorded, style }) => {
    const about = recorded.task === '' ? '' : `${oneLine(recorded.task)}  `;
    return [problem(`${style.warn('notice')}  ${about}${oneLine(event.message)}`)];
  },
  'run.paused': ({ since, by }, { recorded, style, planOption }) => {
    const when = `${oneLine(by)} at ${clockTime(since, recorded.at)}`;
    return [
      problem(`${style.warn('‖')} paused by ${when}; to go on: skeleton resume${planOption}`),
    ];
  },
  'run.resumed': (_, { style }) => [result(`${style.good('▶')} goes on`)],
  'plan.changed': ({ commit, ...change }, { style }) => {
    const text = `the plan was edited: ${spellChange(change)} (${commit.slice(0, 10)})`;
    return [result(`${style.warn('notice')}  ${oneLine(text)}`)];
  },
  'task.started': none,
  'task.told': ({ text, by }, context) => [
    result(`${name(context)}  told by ${oneLine(by)}: ${clip(oneLine(text), LONGEST_TOLD)}`),
  ],
  'attempt.started': (event, context) => {
    const title = event.attempt === 1 ? `: ${oneLine(context.task.title)}` : '';
    if (event.judge !== undefined && context.task.isAhead)
      return [step(`${name(context)}  its turn: goes onto the branch`)];
    const what = event.judge === undefined ? '' : ', only judged again';
    const stage = event.stage === undefined ? '' : ` ${oneLine(event.stage.name)}`;
    const nth = `attempt ${event.attempt}/${event.attempts}${stage}`;
    return [step(`${name(context)}  ${nth}${what}${title}`)];
  },
  'agent.finished': ({ ended, seconds, usage = {} }, context) => {
    const parts = [oneLine(ended), spellSeconds(seconds), spellUsage(usage)];
    return [step(`${name(context)}  agent: ${parts.filter((part) => part !== '').join(', ')}`)];
  },
  'review.finished': ({ verdict, findings }, context) => {
    const many = findings.length === 1 ? '1 finding' : `${findings.length || 'no'} findings`;
    return [step(`${name(context)}  review: ${verdict}, ${many}`)];
  },
  'agent.throttled': (event, { recorded, task, style }) => {
    const { agent = task.agent || 'the agent', next } = event;
    const limited = spellLimited({ ...event, agent }, clockTime(event.until, recorded.at));
    const then =
      next === undefined ? (event.waits === true ? '; waiting' : '') : `; ${next} goes on`;
    const text = `${oneLine(recorded.task)}  ${oneLine(limited + then)}`;
    return [result(`${style.warn('…')} ${text}`)];
  },
  'gate.finished': gateLines,
  'gates.passed': none,
  'attempt.rejected': rejectedLines,
  'attempt.voided': (event, { recorded, task, style }) => {
    // Its own line, right before, says more.
    if (event.why === 'throttled') return [];
    if (event.why === 'ahead')
      return [
        step(`${style.strong(oneLine(recorded.task))}  passed its gates; waits for its turn`),
      ];
    if (event.why === 'stage') return [];
    if (event.why === 'sent-back' && event.failure !== undefined) {
      const failure = oneLine(describeFailure(event.failure));
      const text = `sent back, free of charge: on what passed meanwhile, ${failure}`;
      return [result(`${style.warn('↺')} ${oneLine(recorded.task)}  ${text}`)];
    }
    const why = `${attemptOf(task)} does not count: ${describeVoid(event.why)}`;
    return [problem(`${style.warn('!')} ${oneLine(recorded.task)}  ${why}`)];
  },
  'rollback.done': keptLines,
  'checkpoint.created': none,
  'checkpoint.verified': none,
  'wait.over': none,
  'task.reopened': none,
  'task.finished': finishedLines,
};

/** Bytes of a note that a line shows. */
const LONGEST_TOLD = 200;

function spellChange({ added, removed, changed }: PlanChange): string {
  const parts = [
    ...(added.length > 0 ? [`added ${added.join(', ')}`] : []),
    ...(removed.length > 0 ? [`removed ${removed.join(', ')}`] : []),
    ...(changed.length > 0 ? [`changed ${changed.join(', ')}`] : []),
  ];
  return parts.length > 0 ? parts.join('; ') : 'the order of its tasks';
}

function name({ recorded, style }: Context): string {
  return style.strong(oneLine(recorded.task));
}

/** Without its start in this run, it is one that a dead run left behind. */
function attemptOf({ attempt, attempts }: OpenTask): string {
  return attempts === 0 ? 'its last attempt' : `attempt ${attempt}/${attempts}`;
}

function baselineLines(event: EventOf<'baseline.finished'>, { style }: Context): Lines {
  if (event.verdict !== 'fail') return [];
  const red = event.gates.filter((gate) => !['pass', 'skipped'].includes(gate.verdict));
  const names = red.map((gate) => `${oneLine(gate.name)} (${oneLine(gate.ended)})`).join(', ');
  const what =
    names === ''
      ? 'no gate passes the untouched tree: all are soft or skipped'
      : `gates are red before the first task: ${names}`;
  return [problem(`${style.warn('notice')}  ${what}`)];
}

function gateLines(gate: GateResult, context: Context): Lines {
  const { style } = context;
  const text = `gate ${oneLine(gate.name)}: ${gate.verdict} (${oneLine(gate.ended)}), ${spellSeconds(gate.seconds)}`;
  if (!gate.soft || gate.verdict === 'pass' || gate.verdict === 'skipped')
    return [step(`${name(context)}  ${text}`)];
  return [
    problem(`${style.warn('notice')}  ${name(context)}  ${text}; it is soft and does not reject`),
  ];
}

/** Gates whose output is shown for one rejection; the others are named. */
const MOST_GATES = 3;

function rejectedLines({ failure }: EventOf<'attempt.rejected'>, context: Context): Lines {
  const { task, style } = context;
  const rejecting = task.gates.filter((gate) => failure.gates?.includes(gate.name));
  const shown = rejecting.slice(0, MOST_GATES).flatMap((gate) => gateOutput(gate, style));
  return [
    problem(`${style.bad('✗')} ${name(context)}  ${attemptOf(task)} ${told(failure)}`),
    ...shown,
  ];
}

function keptLines({ snapshot }: EventOf<'rollback.done'>, context: Context): Lines {
  const { recorded, task, style, planOption } = context;
  if (snapshot.ref === '' || task.isAhead) return [];
  if (task.number === 0) return [result(style.faint(`    kept as ${oneLine(snapshot.ref)}`))];
  const command = `skeleton show ${shellWord(`${recorded.task}#${task.number}`)}${planOption}`;
  return [result(style.faint(`    kept, with all output: ${oneLine(command)}`))];
}

/** `rejected by check.sh`, or `rejected: the agent changed nothing`. */
function told(failure: Failure): string {
  const sentence = oneLine(describeFailure(failure));
  return sentence.startsWith('rejected') ? sentence : `rejected: ${sentence}`;
}

function gateOutput(gate: GateResult, style: Style): Lines {
  const lines = tellingLines(gate.tail).map((line) => problem(`    ${style.faint('│')} ${line}`));
  const end = `${oneLine(gate.name)}: ${oneLine(gate.ended)}`;
  const silent = lines.length === 0 ? ', and it printed nothing' : '';
  return [...lines, problem(style.faint(`    ${end}${silent}`))];
}

function finishedLines(event: EventOf<'task.finished'>, context: Context): Lines {
  const { task, style } = context;
  const charged = Math.max(task.begun - task.free, 0);
  const tries = charged === 0 ? '' : `${charged} attempt${charged === 1 ? '' : 's'}, `;
  const effort = task.begun === 0 ? '' : `  ${tries}${spellSeconds(task.spent)}`;
  const why = event.why === undefined ? '' : `: ${oneLine(event.why)}`;
  const tag = task.tag === '' ? '' : `  ${style.faint(shortRef(task.tag))}`;
  switch (event.state) {
    case 'passed':
      return [result(`${style.good('✔')} ${name(context)}  passed${effort}${tag}`)];
    case 'unjudged':
      return [
        result(`${style.warn('✔')} ${name(context)}  done, unjudged (no gates)${effort}${tag}`),
      ];
    case 'failed':
      return [problem(`${style.bad('✗')} ${name(context)}  failed${effort}${why}`)];
    case 'blocked':
      return [problem(`${style.warn('-')} ${name(context)}  blocked${why}`)];
    case 'skipped':
      return [result(`${style.warn('-')} ${name(context)}  skipped${effort}${why}`)];
    case 'stopped':
      return [problem(`${style.warn('‖')} ${name(context)}  stopped${effort}${why}`)];
  }
}
