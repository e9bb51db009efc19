import { deadLettersOf, type DeadLetter } from '../core/dead-letters.ts';
import type { Summary } from '../core/summary.ts';
import { oneLine } from '../core/text.ts';
import { shellWord } from './shell-word.ts';
import type { Style } from './style.ts';

interface DeadLetterFacts {
  readonly planPath: string;
  readonly summary: Summary;
  /** Options that a command about this plan needs; '' for none. */
  readonly planOption: string;
  /** What `run` needs beside it; '' for nothing. */
  readonly runOption: string;
}

/** `skeleton status --failed`: what failed for good, why, what waits for it, and what to type about it. */
export function renderDeadLetters(facts: DeadLetterFacts, style: Style): string {
  const letters = deadLettersOf(facts.summary);
  const plan = oneLine(facts.planPath);
  if (letters.length === 0) return `${plan}: no task has failed for good`;
  const waiting = new Set(letters.flatMap((letter) => letter.waiting)).size;
  const waits = waiting === 0 ? '' : `; ${waiting} wait${waiting === 1 ? 's' : ''} for that`;
  const first = `${plan}: ${letters.length} task${letters.length === 1 ? '' : 's'} failed for good${waits}`;
  const each = letters.flatMap((letter) => ['', ...linesOf(letter, facts, style)]);
  return [first, ...each, '', `to begin them anew: ${style.strong(anew(facts))}`].join('\n');
}

function linesOf(letter: DeadLetter, facts: DeadLetterFacts, style: Style): readonly string[] {
  const { task, title, waiting } = letter;
  return [
    `${style.bad(oneLine(task))}  ${oneLine(title)}`,
    `  failed  ${endOf(letter)}${oneLine(letter.why)}`,
    ...(letter.run === undefined ? [] : [`  by      ${byOf(letter)}`]),
    ...(waiting.length === 0 ? [] : [`  waits   ${waiting.map(oneLine).join(', ')}`]),
    ...(letter.last === undefined ? [] : [`  look    ${lookAt(letter, facts)}`]),
  ];
}

function endOf({ at, attempts }: DeadLetter): string {
  if (at === undefined) return '';
  return `${at.slice(0, 16).replace('T', ' ')} UTC, after ${attempts} attempt${attempts === 1 ? '' : 's'}: `;
}

function byOf({ run = '', host }: DeadLetter): string {
  return oneLine(`run ${run}${host === undefined ? '' : ` on ${host}`}`);
}

function lookAt({ task, last }: DeadLetter, { planOption }: DeadLetterFacts): string {
  return `skeleton show ${shellWord(`${task}#${last ?? 1}`)}${planOption}`;
}

function anew({ planOption, runOption }: DeadLetterFacts): string {
  return `skeleton run${planOption}${runOption}`;
}

/** The same as data, one object a task. */
export function deadLettersData(facts: DeadLetterFacts): readonly object[] {
  return deadLettersOf(facts.summary).map((letter) => ({
    ...{ plan: facts.planPath, task: letter.task, title: letter.title, attempts: letter.attempts },
    ...{ last: letter.last ?? null, why: letter.why, at: letter.at ?? null },
    ...{ run: letter.run ?? null, host: letter.host ?? null, waiting: letter.waiting },
    ...(letter.last !== undefined && { look: lookAt(letter, facts) }),
    anew: anew(facts),
  }));
}
