import type { AttemptId } from '../ports.ts';
import type { ByteName } from './byte-name.ts';

/** What the anchor's message says of the attempt: enough to undo it where the whole state folder is gone. */
export interface AnchorNote {
  readonly version: 1;
  readonly attempt: AttemptId;
  readonly planPath: string;
  readonly base: string;
  readonly branch: ByteName;
  /** Milliseconds since 1970. */
  readonly began: number;
  /** Bytes of the branch's reflog: what comes after is what happened since. */
  readonly branchLogSize: number;
  /** A person's attempt. */
  readonly isTaken: boolean;
}

export interface Anchored {
  readonly note: AnchorNote;
  /** Commits that refs named where the attempt began. */
  readonly tips: ReadonlySet<string>;
}

/** Reads an anchor's commit object; undefined for a text that is none of ours. */
export function parseAnchor(text: string): Anchored | undefined {
  const end = text.indexOf('\n\n');
  const [, json = ''] = /\n\n(\{.*\})\n$/.exec(text.slice(end + 2)) ?? [];
  try {
    const note = JSON.parse(json) as AnchorNote;
    if (!isNote(note)) return undefined;
    const parents = [...text.slice(0, end).matchAll(/^parent (\w+)$/gm)];
    return { note, tips: new Set(parents.map(([, parent = '']) => parent)) };
  } catch {
    // Of an older version, or written by somebody else.
    return undefined;
  }
}

function isNote({ version, attempt, planPath, base, branch, began, branchLogSize }: Said): boolean {
  const areNumbers = [began, branchLogSize].every((value) => Number.isFinite(value));
  const texts = [attempt?.plan, attempt?.task, attempt?.id, planPath, base, branch];
  const areTexts = texts.every((value) => typeof value === 'string');
  return version === 1 && areNumbers && areTexts && Number.isSafeInteger(attempt?.number);
}

type Said = Partial<AnchorNote>;
