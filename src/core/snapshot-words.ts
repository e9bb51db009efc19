/** The words of a kept attempt's commit: with them a lost ledger can be rebuilt (architecture.md, "Order of writes"). */
import { failureKinds, isVoidReason, type Failure } from './failure.ts';
import type { Ended } from './machine.ts';

/** What is written down of an attempt where it begins, beside its name. */
export interface AttemptFacts {
  readonly run: string;
  readonly planPath: string;
  /** 1…5, of `attempts`. */
  readonly attempt: number;
  readonly attempts: number;
  readonly agent: string;
  /** In the environment of all its processes. */
  readonly token: string;
}

type Trailers = readonly (readonly [name: string, value: string])[];

/** Trailers of the snapshot of an attempt; how it ended is left out where that is not known yet. */
export function snapshotTrailers(id: string, facts?: AttemptFacts, ended?: Ended): Trailers {
  return [
    ['Skeleton-Task', id],
    ...(facts === undefined ? [] : factTrailers(facts)),
    ...(ended === undefined ? [] : [['Skeleton-Ended', endedText(ended)] as const]),
  ];
}

function factTrailers({ run, planPath, attempt, attempts, agent }: AttemptFacts): Trailers {
  return [
    ['Skeleton-Run', run],
    ['Skeleton-Plan', planPath],
    ['Skeleton-Attempt', `${attempt} of ${attempts}`],
    ['Skeleton-Agent', agent],
  ];
}

function endedText(ended: Ended): string {
  if (ended.how === 'voided') return `voided ${ended.why}`;
  const { kind, gates = [] } = ended.failure;
  return `rejected ${kind}${gates.length > 0 ? `: ${gates.join(', ')}` : ''}`;
}

/** What trailers say of an attempt, as far as they do. */
export function readSnapshotTrailers(
  trailers: ReadonlyMap<string, string>,
): Partial<AttemptFacts> & { readonly ended?: Ended } {
  const [, attempt, attempts] = /^(\d+)(?: of (\d+))?$/.exec(said(trailers, 'Attempt')) ?? [];
  const [run, planPath, agent] = ['Run', 'Plan', 'Agent'].map((name) => said(trailers, name));
  const ended = parseEnded(said(trailers, 'Ended'));
  return {
    ...(run && { run }),
    ...(planPath && { planPath }),
    ...(agent && { agent }),
    ...(attempt !== undefined && { attempt: Number(attempt) }),
    ...(attempts !== undefined && { attempts: Number(attempts) }),
    ...(ended && { ended }),
  };
}

function said(trailers: ReadonlyMap<string, string>, name: string): string {
  return trailers.get(`Skeleton-${name}`) ?? '';
}

function parseEnded(text: string): Ended | undefined {
  const [, how, word = '', names] = /^(rejected|voided) ([a-z-]+)(?:: (.+))?$/.exec(text) ?? [];
  if (how === 'voided') return isVoidReason(word) ? { how, why: word } : undefined;
  const kind = failureKinds.find((one) => one === word);
  if (how !== 'rejected' || kind === undefined) return undefined;
  const failure: Failure = { kind, ...(names !== undefined && { gates: names.split(', ') }) };
  return { how, failure };
}
