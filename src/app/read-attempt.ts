import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AttemptSummary } from '../core/attempt-summary.ts';
import { cutText } from '../core/cut-text.ts';
import { taskSlug } from '../core/refs.ts';
import { maskDetail } from '../core/mask-report.ts';
import type { AttemptDetail } from '../core/run-report.ts';
import { withholdSecret } from '../core/withhold-secret.ts';
import type { History } from './history.ts';
import { readSmallFile } from './read-small-file.ts';

export interface AttemptReading {
  /** `outputs`: only what gates printed; the rest is as if nothing had been kept. */
  readonly texts: 'all' | 'outputs' | 'none';
  /** Characters: longer texts are cut, with the cut stated. */
  readonly most: number;
}

const everything: AttemptReading = { texts: 'all', most: Number.MAX_SAFE_INTEGER };

/** What is kept of one attempt: its prompt, its diff (but of files in which a secret was found), what each gate said. Nothing that is gone is an error. */
export async function readAttempt(
  history: Kept,
  title: string,
  attempt: AttemptSummary,
  reading: AttemptReading = everything,
): Promise<AttemptDetail> {
  const { stateFolder, pruned } = history;
  const { snapshot, run } = attempt;
  const detail: AttemptDetail = {
    attempt,
    title,
    prompt: reading.texts === 'all' ? await promptOf(history, attempt, reading) : undefined,
    diff: reading.texts === 'all' ? await diffOf(history, attempt, reading) : undefined,
    pruned: { logs: pruned.has(`logs/${run}`), snapshot: pruned.has(snapshot?.ref ?? '') },
    outputs:
      reading.texts === 'none' ? new Map() : await outputsOf(stateFolder, attempt, reading.most),
    ...logOf(history, attempt),
  };
  return reading.texts === 'none' ? detail : maskDetail(detail, await history.ownMask());
}

type Kept = Pick<History, 'events' | 'stateFolder' | 'pruned' | 'diff' | 'ownMask'>;

/** Where the agent's log is: its path here, or the machine that keeps it with all that was said in that run. */
function logOf(history: Kept, attempt: AttemptSummary): Pick<AttemptDetail, 'agentLog' | 'keptOn'> {
  const { stateFolder, pruned } = history;
  const { log, run } = madeIn(attempt);
  const logs = `logs/${run}`;
  const isOurs = existsSync(join(stateFolder, logs)) || pruned.has(logs);
  const host = isOurs ? undefined : hostOf(history, run);
  if (host !== undefined) return { agentLog: undefined, keptOn: host };
  return { agentLog: log === undefined ? undefined : join(stateFolder, log) };
}

/** The machine of a run, where several share the ledger. */
export function hostOf({ events }: Pick<History, 'events'>, run: string): string | undefined {
  for (const { run: writer, event } of events)
    if (writer === run && event.type === 'run.started') {
      const { host } = event.options;
      return typeof host === 'string' ? host : undefined;
    }
  return undefined;
}

async function promptOf(
  { stateFolder }: Kept,
  attempt: AttemptSummary,
  { most }: AttemptReading,
): Promise<string | undefined> {
  const prompt = await readSmallFile(join(stateFolder, madeIn(attempt).folder, 'prompt.md'));
  return prompt && cutTo(most, prompt);
}

async function diffOf(
  history: Kept,
  { base, outcome, snapshot }: AttemptSummary,
  { most }: AttemptReading,
): Promise<string | undefined> {
  const end = outcome.kind === 'passed' ? outcome.commit : snapshot?.commit;
  const diff = end === undefined ? undefined : await history.diff(base, end);
  if (diff === undefined || outcome.kind !== 'rejected') return diff && cutTo(most, diff);
  const ends = { from: base, to: snapshot?.ref ?? '' };
  return cutTo(most, withholdSecret(diff, outcome.failure, ends));
}

async function outputsOf(
  stateFolder: string,
  { gates }: AttemptSummary,
  most: number,
): Promise<ReadonlyMap<string, string>> {
  const outputs = new Map<string, string>();
  for (const { name, log } of gates) {
    const output = log === '' ? undefined : await readSmallFile(join(stateFolder, log));
    if (output !== undefined) outputs.set(name, cutTo(most, output));
  }
  return outputs;
}

/** A copy: V8 keeps the whole of a string of which a piece is kept. */
function cutTo(most: number, text: string): string {
  return text.length <= most ? text : Buffer.from(cutText(text, most)).toString();
}

/** Where the agent's step left its prompt and its log, which work that is only judged again has in another attempt. */
function madeIn({ task, run, number, agentEnd, judges }: AttemptSummary): {
  readonly folder: string;
  readonly run: string;
  readonly log: string | undefined;
} {
  const maker = judges ?? { run, number, log: agentEnd?.log };
  const folder = join('logs', maker.run, taskSlug(task), String(maker.number));
  return { folder, run: maker.run, log: agentEnd?.log ?? maker.log };
}
