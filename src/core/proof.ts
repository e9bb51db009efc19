import type { Verdict } from './events.ts';

/** What a proof says (core/checkpoint.ts, `proofText`), as far as it can be checked again. */
export interface Proof {
  readonly task: string;
  readonly tree: string;
  /** `none`: nothing judged the tree. */
  readonly judged: 'none' | 'in-place' | 'clean';
  readonly gatesHash: string;
  /** The commit whose gates judged it; the checkpoint's parent where it is not named. */
  readonly base: string | undefined;
  /** The N of `TASK#N`; older proofs do not tell. */
  readonly number: number | undefined;
  /** Path of the plan; older proofs do not tell. */
  readonly planPath: string | undefined;
  readonly gates: readonly ProvedGate[];
}

export interface ProvedGate {
  readonly name: string;
  readonly verdict: Verdict;
  readonly soft: boolean;
}

/** Undefined for a text that is no proof of ours. */
export function parseProof(text: string): Proof | undefined {
  const said = parseObject(text);
  if (said?.schema !== 1 || !isProof(said)) return undefined;
  const { task, tree, judged, gatesHash, gates, base, number, plan } = said;
  return {
    ...{ task, tree, judged, gatesHash, gates },
    base: isCommit(base) ? base : undefined,
    number: isNumber(number) ? number : undefined,
    planPath: typeof plan === 'string' && plan !== '' ? plan : undefined,
  };
}

const ways: readonly unknown[] = ['none', 'in-place', 'clean'];

function isProof(said: Said): said is Said & Omit<Proof, 'base' | 'number' | 'planPath'> {
  const { task, tree, judged, gatesHash, gates } = said;
  const areTexts = [task, tree, gatesHash].every((value) => typeof value === 'string');
  return areTexts && ways.includes(judged) && Array.isArray(gates) && gates.every(isGate);
}

function isCommit(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{40,}$/.test(value);
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

interface Said {
  readonly schema?: unknown;
  readonly task?: unknown;
  readonly tree?: unknown;
  readonly judged?: unknown;
  readonly gatesHash?: unknown;
  readonly gates?: unknown;
  readonly base?: unknown;
  readonly number?: unknown;
  readonly plan?: unknown;
}

function parseObject(text: string): Said | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function isGate(value: unknown): value is ProvedGate {
  if (typeof value !== 'object' || value === null) return false;
  const { name, verdict, soft }: { name?: unknown; verdict?: unknown; soft?: unknown } = value;
  return typeof name === 'string' && typeof verdict === 'string' && typeof soft === 'boolean';
}

/** A checkpoint's proof beside the gates of now: reasons why it does not hold, none where it does. */
export function compareProof(
  proof: Proof,
  now: readonly {
    readonly name: string;
    readonly verdict: Verdict;
    readonly ended: string;
    readonly soft: boolean;
  }[],
): readonly string[] {
  const then = new Map(proof.gates.map((gate) => [gate.name, gate]));
  const names = new Set(now.map(({ name }) => name));
  const gone = proof.gates.filter(({ name }) => !names.has(name));
  const added = now.filter(({ name }) => !then.has(name));
  const red = now.filter(({ soft, verdict }) => !soft && ['fail', 'timeout'].includes(verdict));
  return [
    ...red.map(({ name, ended }) => `${name} no longer passes (${ended})`),
    ...gone.map(({ name }) => `${name} is in the proof, and is no gate of the parent`),
    ...added.map(({ name }) => `${name} is a gate of the parent, and not in the proof`),
  ];
}
