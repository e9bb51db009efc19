import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { draftPrompt, packageRoot } from '../compose.ts';
import { reached } from '../core/budget.ts';
import type { Config } from '../core/config.ts';
import type { Mask } from '../core/mask.ts';
import { partFrontMatter, planTextIn } from '../core/plan/draft-text.ts';
import { judgeDraft } from '../core/plan/judge-draft.ts';
import type { Plan, Problem } from '../core/plan/plan.ts';
import { addUsage, sumUsage, type Usage, type UsageSum } from '../core/usage.ts';
import type { AgentEnd, Scribe, Written } from '../ports.ts';
import type { PlanDocument } from './read-document.ts';

/** What one answer came to. */
export interface DraftRound {
  readonly number: number;
  /** Of the draft, by its own lines; none: it is taken. */
  readonly problems: readonly Problem[];
  /** How its agent failed; undefined where it answered. */
  readonly failed: string | undefined;
  readonly seconds: number;
  readonly usage: Usage;
}

interface Spent {
  readonly agent: string;
  readonly rounds: readonly DraftRound[];
  readonly usage: UsageSum;
  /** Absolute path of the last draft; undefined where there was none. */
  readonly draft: string | undefined;
}

export type Drafted = Spent &
  (
    | { readonly kind: 'ready'; readonly text: string }
    /** Three rounds gave no plan that can be taken. */
    | { readonly kind: 'unfit' }
    /** A limit, or something that a person has to mend first. */
    | { readonly kind: 'stopped'; readonly why: string; readonly mend: string }
  );

export interface DraftJob {
  readonly scribe: Scribe;
  readonly document: PlanDocument;
  /** Absolute. */
  readonly top: string;
  /** Absolute; where the agent runs. */
  readonly folder: string;
  readonly run: string;
  /** Of the plan, relative to the top. */
  readonly path: string;
  /** The plan that is there. */
  readonly before: Plan | undefined;
  readonly there: string | undefined;
  readonly config: Config;
  readonly mask: Mask;
  readonly token: () => string;
  readonly signal: AbortSignal;
  readonly logFolder: (round: number) => string;
  readonly onRound: (round: { readonly number: number; readonly agent: string }) => void;
  readonly onRoundEnd: (round: DraftRound) => void;
}

const MOST_ROUNDS = 3;

/** Asks until a draft has no problem, each round with those of the one before; three times at most. */
export async function draftInRounds(job: DraftJob): Promise<Drafted> {
  const { scribe, onRound, onRoundEnd } = job;
  const rounds: DraftRound[] = [];
  let last: Answer | undefined;
  let file: string | undefined;
  const spent = (): Spent => {
    const usage = sumUsage(rounds.map((round) => round.usage));
    return { agent: scribe.name, rounds: [...rounds], usage, draft: file };
  };
  for (let number = 1; number <= MOST_ROUNDS; number += 1) {
    onRound({ number, agent: scribe.name });
    const { end, answer } = await ask(job, number, { last, rounds });
    const round = roundOf(number, end, answer);
    rounds.push(round);
    onRoundEnd(round);
    last = answer ?? last;
    if (answer !== undefined && answer.text !== '')
      file = await keep(job.logFolder(number), answer.text);
    const stopped = stopOf(end, job, rounds);
    if (round.problems.length === 0 && answer !== undefined)
      return { ...spent(), kind: 'ready', text: answer.text };
    if (stopped !== undefined) return { ...spent(), kind: 'stopped', ...stopped };
  }
  return { ...spent(), kind: 'unfit' };
}

interface Answer {
  /** The whole plan: front matter of the one that is there, then what was drafted. */
  readonly text: string;
  /** What was drafted, as its agent knows it. */
  readonly draft: string;
  /** By the draft's own lines. */
  readonly problems: readonly Problem[];
}

async function ask(
  job: DraftJob,
  number: number,
  { last, rounds }: { readonly last: Answer | undefined; readonly rounds: readonly DraftRound[] },
): Promise<{ readonly end: AgentEnd; readonly answer: Answer | undefined }> {
  const { scribe, config, mask, document, top, there, folder, run, path, signal } = job;
  const prompt = await draftPrompt({ document, top, packageRoot, path, there, last });
  const before = totalOf(rounds);
  const { budget } = config;
  const cuts = budget?.reached === 'cut' ? budget : undefined;
  const written = await scribe.write({
    ...{ folder, run, plan: path, signal, token: job.token(), logFolder: job.logFolder(number) },
    prompt: mask.text(prompt),
    ...(cuts && {
      mayGoOn: (usage: Usage) => reached(cuts, spentOf(before, usage)) === undefined,
    }),
  });
  const { end } = written;
  return { end, answer: end.kind === 'finished' ? answerOf(written, job) : undefined };
}

function answerOf({ text: said, isCut }: Written, { there, before, mask }: DraftJob): Answer {
  const front = partFrontMatter(there ?? '').front;
  const own = partFrontMatter(planTextIn(mask.text(said)));
  const isSame = own.front.trim() === front.replaceAll('\r\n', '\n').trim();
  const draft = isSame ? own.rest.replace(/^\n+/, '') : `${own.front}${own.rest}`;
  if (draft === '') return { text: '', draft, problems: [{ line: 1, message: noPlan }] };
  const gap = front === '' ? '' : '\n';
  const whole = `${front}${gap}${draft}`;
  const shift = whole.slice(0, whole.length - draft.length).split('\n').length - 1;
  const found = judgeDraft(whole.replaceAll('\r\n', '\n'), before).map((problem) => ({
    ...problem,
    line: Math.max(1, problem.line - shift),
  }));
  const problems = [
    ...(isCut ? [{ line: 1, message: 'the answer is too long and was cut: a shorter plan' }] : []),
    ...(isSame || own.front === '' ? [] : [{ line: 1, message: noFront }]),
    ...found,
  ];
  return { text: asThere(whole, there), draft, problems };
}

const noPlan = 'there is no plan in the answer: print it, with `# Title` as its first line';
const noFront = 'leave the front matter out: how a plan is run is for a person to say';

/** Line ends of the plan that is there. */
function asThere(text: string, there: string | undefined): string {
  const plain = text.replaceAll('\r\n', '\n');
  return there?.includes('\r\n') === true ? plain.replaceAll('\n', '\r\n') : plain;
}

function roundOf(number: number, end: AgentEnd, answer: Answer | undefined): DraftRound {
  const said = end.kind === 'interrupted' ? { ended: 'interrupted', usage: {} } : end;
  return {
    number,
    problems: answer?.problems ?? [],
    failed: answer === undefined ? said.ended : undefined,
    seconds: end.seconds,
    usage: end.usage ?? {},
  };
}

/** Beside the log of its agent. */
async function keep(folder: string, text: string): Promise<string> {
  const file = join(folder, 'PLAN.md');
  await mkdir(folder, { recursive: true });
  await writeFile(file, text);
  return file;
}

/** Why no further round begins; undefined where one may. */
function stopOf(
  end: AgentEnd,
  { config: { budget }, scribe }: DraftJob,
  rounds: readonly DraftRound[],
): { readonly why: string; readonly mend: string } | undefined {
  const over = budget && reached(budget, spentOf(totalOf(rounds), {}));
  if (over !== undefined) return { why: over, mend: 'skeleton plan DOC --budget USD' };
  const about = (ended: string): string => `${scribe.name}: ${ended}`;
  switch (end.kind) {
    case 'throttled': {
      const until = end.until === undefined ? '' : `, until ${end.until}`;
      return { why: about(`${end.ended}${until}`), mend: 'the same command again, later' };
    }
    case 'signed-out':
      return { why: about(end.ended), mend: end.mend };
    case 'interrupted':
      return {
        why: 'the time is up (max_time)',
        mend: 'skeleton plan DOC, with a longer max_time',
      };
    case 'cut':
      return { why: end.ended, mend: 'skeleton plan DOC --budget USD' };
    case 'finished':
    case 'failed':
      return undefined;
  }
}

function totalOf(rounds: readonly DraftRound[]): Usage {
  return rounds.reduce<Usage>((sum, { usage }) => addUsage(sum, usage), {});
}

/** A draft is a task and a run of its own. */
function spentOf(before: Usage, attempt: Usage): Parameters<typeof reached>[1] {
  const all = addUsage(before, attempt);
  return { attempt, task: all, run: all };
}
