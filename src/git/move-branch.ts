import { undoRef } from '../core/refs.ts';
import { Refusal } from '../ports.ts';
import type { Moved } from '../ports.ts';
import { toByteName, toShown, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import { treeChanges } from './entries.ts';
import { followIndex } from './follow-index.ts';
import { forgetMove, readMove, writeMove } from './move-record.ts';
import type { MoveRecord } from './move-record.ts';
import { nextNumber } from './next-number.ts';
import { syncFiles } from './objects.ts';
import { openQuarantine } from './quarantine.ts';
import type { Quarantine } from './quarantine.ts';
import { statOf } from './raw-files.ts';
import { readRefs } from './read-refs.ts';
import { changeRefs } from './ref-changes.ts';
import { makeStateFolder } from './located-repository.ts';
import type { Repository } from './located-repository.ts';
import { shiftTree } from './shift-tree.ts';

export interface Move {
  readonly plan: string;
  readonly to: string;
  /** `branch`: HEAD's branch moves; `head`: HEAD goes to this branch, which stands at `to`. */
  readonly kind: 'branch' | 'head';
  readonly branch: ByteName;
  /** Where HEAD stands now. */
  readonly from: string;
  /** No branch holds `from` afterwards. */
  readonly leaves: boolean;
}

/**
 * HEAD, work tree and index at another commit, in a work tree that is clean. First what no branch would hold any more gets a ref
 * under `refs/skeleton/undo/PLAN/`; then the intent is recorded, the files change, the ref moves, the index follows.
 * `reset --hard` is not called. Throws Refusal(4) where something changed meanwhile.
 */
export async function move(repository: Repository, plan: Move): Promise<Moved> {
  makeStateFolder(repository);
  const { from, to } = plan;
  const left = plan.leaves ? await countCommits(repository, to, from) : 0;
  const number = await nextNumber(repository, undoRef(plan.plan, 0));
  const kept = left > 0 ? undoRef(plan.plan, number) : undefined;
  if (kept !== undefined) {
    const change = { kind: 'create', ref: toByteName(kept), to: from, from: '' } as const;
    await changeRefs(repository.git, [change], 'taken off the branch');
    await syncFiles([`${repository.commonDir}/${toByteName(kept)}`]);
  }
  const { kind, branch } = plan;
  const record: MoveRecord = { version: 1, plan: plan.plan, from, to, kind, branch, number };
  await writeMove(repository, record);
  const notices = await carryOut(repository, record);
  return { kept, left, notices };
}

/** Finishes the switch that a killed command left half-done. */
export async function finishMove(repository: Repository): Promise<readonly string[]> {
  const record = readMove(repository);
  if (record === undefined) return [];
  const name = toShown(record.branch);
  if (!(await isOnItsWay(repository, record))) {
    forgetMove(repository);
    return [`an unfinished switch of ${name} is given up: it was moved elsewhere meanwhile`];
  }
  const aside = await clearTorn(repository, record);
  const notices = await carryOut(repository, record);
  const done = `finished what a killed command had begun: ${name} is at ${record.to.slice(0, 10)}`;
  return [...aside, ...notices, done];
}

function quarantineOf(repository: Repository, { plan, number }: MoveRecord): Quarantine {
  return openQuarantine(repository, { plan, task: '+undo', id: 'undo', number });
}

async function carryOut(repository: Repository, record: MoveRecord): Promise<readonly string[]> {
  const changes = await treeChanges(repository, record.from, record.to);
  const shifted = await shiftTree(repository, changes, quarantineOf(repository, record));
  if (shifted.kind === 'conflict') {
    forgetMove(repository);
    const names = shifted.paths.slice(0, 10).map(toShown).join(', ');
    throw new Refusal(4, `the work tree changed meanwhile: ${names}`, 'git status; then again');
  }
  await moveRef(repository, record);
  const entries = [...changes].map(([path, { to }]) => [path, to] as const);
  await followIndex(repository, new Map(entries));
  forgetMove(repository);
  return shifted.notices;
}

async function moveRef(
  repository: Repository,
  { kind, branch, from, to }: MoveRecord,
): Promise<void> {
  const { head, refs } = await readRefs(repository);
  if (kind === 'head') {
    if (head === `ref: ${branch}`) return;
    const args = ['symbolic-ref', '-m', 'skeleton: switch', 'HEAD', toText(branch)];
    await repository.git.run(args);
    return;
  }
  if (refs.get(branch) === to) return;
  await changeRefs(repository.git, [{ kind: 'update', ref: branch, to, from }], 'undo');
  await syncFiles([`${repository.commonDir}/${branch}`]);
}

async function isOnItsWay(repository: Repository, record: MoveRecord): Promise<boolean> {
  const { head, refs } = await readRefs(repository);
  const { kind, branch, from, to } = record;
  if (kind === 'branch')
    return head === `ref: ${branch}` && [from, to].includes(refs.get(branch) ?? '');
  const at = head.startsWith('ref: ') ? refs.get(head.slice(5)) : head;
  return refs.get(branch) === to && (at === from || head === `ref: ${branch}`);
}

/** A file that is neither the old nor the new one was being written, or somebody edited it since: it is set aside. */
async function clearTorn(repository: Repository, record: MoveRecord): Promise<readonly string[]> {
  const changes = await treeChanges(repository, record.from, record.to);
  const quarantine = quarantineOf(repository, record);
  const shifted = await shiftTree(repository, changes, quarantine);
  if (shifted.kind === 'shifted') return shifted.notices;
  const torn = shifted.paths.filter((path) => statOf(`${repository.top}/${path}`) !== undefined);
  const notices = torn.map((path) => {
    const where = quarantine.take(`${repository.top}/${path}`, 'tree', path);
    return `${toShown(path)} was neither as before nor as after: that is now ${where}`;
  });
  for (const path of shifted.paths) await checkOut(repository, path, record.from);
  return notices;
}

/** Nothing lies there any more, so nothing can be overwritten. */
async function checkOut(repository: Repository, path: ByteName, commit: string): Promise<void> {
  const args = ['--literal-pathspecs', 'ls-tree', '-z', commit, '--'];
  const listed = await repository.git.run([...args, toText(path)]);
  if (listed.length === 0) return;
  const index = `${toText(repository.state)}/torn`;
  await repository.git.run(['read-tree', commit], { index });
  const input = Buffer.from(`${path}\0`, 'latin1');
  await repository.git.run(['checkout-index', '-z', '--stdin'], { index, input });
}

async function countCommits({ git }: Repository, to: string, from: string): Promise<number> {
  const out = await git.run(['rev-list', '--count', '--end-of-options', `${to}..${from}`]);
  return Number(out.toString().trim());
}
