/**
 * Every name that we write into git, and its parser (contract, "Git").
 * PLAN and TASK below are slugs: what git's check-ref-format allows, at most 80 bytes.
 */

const MOST_BYTES = 80;

/** A name as a component of a ref: letters and digits of any script, `-`, `_` and `.` stay; the rest becomes `-`. */
export function refSlug(name: string, whenEmpty: string): string {
  const clean = name
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/-{2,}/g, '-');
  const trimmed = trim(cutBytes(trim(clean), MOST_BYTES));
  return trimmed === '' ? whenEmpty : trimmed;
}

function trim(text: string): string {
  return text.replace(/^[-.]+/, '').replace(/(?:\.lock|[-.])+$/i, '');
}

function cutBytes(text: string, most: number): string {
  const encoder = new TextEncoder();
  let bytes = 0;
  let kept = '';
  for (const char of text) {
    bytes += encoder.encode(char).length;
    if (bytes > most) return kept;
    kept += char;
  }
  return kept;
}

/**
 * TASK of a task id: the id itself where git allows it, else what git allows of it and six hex digits of the id,
 * so that no two ids share refs. `-task` is added where it would end in `start`, which names start tags.
 */
export function taskSlug(id: string): string {
  const slug = refSlug(id, 'task');
  const own = slug === id ? slug : `${slug}-${fingerprint(id)}`;
  return /(?:^|-)start$/.test(own) ? `${own}-task` : own;
}

/** FNV-1a, 24 bits of it as hex: tells names apart, protects nothing. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return ((hash ^ (hash >>> 24)) & 0xffffff).toString(16).padStart(6, '0');
}

/** PLAN of a plan's path: its file name, lower case, without `.md`. A second path of the same name is told apart by its owner (six hex of the path). */
export function planSlug(path: string, suffix = ''): string {
  const file = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/i, '');
  return refSlug(file.toLowerCase(), 'plan') + (suffix === '' ? '' : `-${suffix}`);
}

const padded = (number: number): string => String(number).padStart(4, '0');

export const checkpointTag = (plan: string, number: number, task: string): string =>
  `refs/tags/skeleton/${plan}/${padded(number)}-${task}`;

export const startTag = (plan: string, number: number): string =>
  `refs/tags/skeleton/${plan}/${padded(number)}-start`;

export const proofRef = (plan: string, number: number): string =>
  `refs/skeleton/proof/${plan}/${padded(number)}`;

export const attemptRef = (plan: string, task: string, number: number): string =>
  `refs/skeleton/attempts/${plan}/${task}/${number}`;

export const agentRefPrefix = (plan: string, task: string, number: number): string =>
  `refs/skeleton/agent/${plan}/${task}/${number}/`;

export const restoreBranch = (plan: string, task: string, number: number): string =>
  `refs/heads/skeleton-restore/${plan}/${task}/${number}`;

/** What `undo` took off the branch. */
export const undoRef = (plan: string, number: number): string =>
  `refs/skeleton/undo/${plan}/${number}`;

/** A person's work, set aside while a run goes. */
export const autostashRef = (plan: string, number: number): string =>
  `refs/skeleton/autostash/${plan}/${number}`;

/** On a remote only: which worker may publish a task there. */
export const fenceRef = (plan: string, task: string): string =>
  `refs/skeleton/fence/${plan}/${task}`;

/** The branch of an isolated run. */
export const isolateBranch = (plan: string): string => `refs/heads/skeleton/${plan}`;

/** The branch of a work tree in which tasks are worked on ahead of their turn: 1, 2, 3… */
export const slotBranch = (plan: string, nth: number): string =>
  `refs/heads/skeleton-slot/${plan}/${nth}`;

/** Whether a branch is of a slot of any plan, or of that one. */
export const isSlotBranch = (ref: string, plan?: string): boolean =>
  ref.startsWith(`refs/heads/skeleton-slot/${plan === undefined ? '' : `${plan}/`}`);

/** Of a slot's folder beside the repository. */
export const slotName = (plan: string, nth: number): string => `${plan}.slot-${nth}`;

/** The number of the slot whose folder that is; undefined where it is none of the plan's. */
export function slotNumber(folder: string, plan: string): number | undefined {
  const nth = Number(/\.slot-(\d+)$/.exec(folder)?.[1]);
  return folder.endsWith(`.skeleton-${slotName(plan, nth)}`) ? nth : undefined;
}

/** PLAN of a ref of `undo`, short or full; undefined for any other ref. */
export function planOfUndoRef(ref: string): string | undefined {
  return /^(?:refs\/)?skeleton\/undo\/([^/]+)\/\d+$/.exec(ref)?.[1];
}

/** Where refs of one kind go: below `folder`, at a depth of `depth` components, the last of which looks like `leaf`. */
const kinds = (
  plan: string,
): readonly {
  readonly folder: readonly string[];
  readonly depth: number;
  readonly leaf: RegExp;
}[] => [
  { folder: ['refs', 'tags', 'skeleton', plan], depth: 5, leaf: /^\d{4,}-/ },
  { folder: ['refs', 'skeleton', 'proof', plan], depth: 5, leaf: /^\d{4,}$/ },
  { folder: ['refs', 'skeleton', 'undo', plan], depth: 5, leaf: /^$/ },
  { folder: ['refs', 'skeleton', 'autostash', plan], depth: 5, leaf: /^$/ },
  { folder: ['refs', 'skeleton', 'attempts', plan], depth: 6, leaf: /^\d+$/ },
  { folder: ['refs', 'skeleton', 'agent', plan], depth: 7, leaf: /^$/ },
  { folder: ['refs', 'skeleton', 'anchor'], depth: 4, leaf: /^/ },
];

/**
 * Whether git can make no ref of ours for this plan while that one stands, because one of the two names is a folder of the
 * other (git-check-ref-format(1)). Numbers of `undo` and `autostash` that are folders are passed over: see nextNumber.
 */
export function isInTheWay(ref: string, plan: string): boolean {
  const parts = ref.split('/');
  return kinds(plan).some(({ folder, depth, leaf }) => {
    const isOnTheWay = folder.every((name, i) => i >= parts.length || parts[i] === name);
    if (!isOnTheWay || parts.length === depth) return false;
    return parts.length < depth || leaf.test(parts[depth - 1] ?? '');
  });
}

export interface CheckpointName {
  readonly plan: string;
  readonly number: number;
  readonly task: string;
  readonly isStart: boolean;
}

/** Reads a checkpoint's or start's tag, short (`skeleton/plan/0001-x`) or full; undefined for any other ref. */
export function parseTag(ref: string): CheckpointName | undefined {
  const match = /^(?:refs\/tags\/)?skeleton\/([^/]+)\/(\d{4,})-([^/]+)$/.exec(ref);
  const [, plan, digits, task] = match ?? [];
  if (plan === undefined || digits === undefined || task === undefined) return undefined;
  return { plan, number: Number(digits), task, isStart: task === 'start' };
}

/** How people see a ref: without `refs/tags/` or `refs/heads/`. */
export function shortRef(ref: string): string {
  return ref.replace(/^refs\/(?:tags|heads)\//, '');
}

/**
 * `GIT_REFLOG_ACTION` in the environment of an attempt's processes: their commits carry it in the reflog, a person's do not
 * (architecture.md, "Order of writes, and what a crash leaves").
 */
export const reflogMark = 'skeleton-attempt';
