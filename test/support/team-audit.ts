/** What a team has left, looked at from outside: git, the ledger's rows and what agents and gates have written down, nothing of the product's. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replay } from '../../src/core/machine.ts';
import type { Recorded, TaskEvent } from '../../src/core/events.ts';
import { processesIn } from './processes-in.ts';
import { branch, type TeamLab, type TeamMachine } from './team-lab.ts';

interface Published {
  readonly task: string;
  readonly commit: string;
  readonly tree: string;
}

/** Everything that is not as it has to be once all of a plan has passed; nothing else was to be said. */
export async function complaintsOf(
  lab: TeamLab,
  machines: readonly TeamMachine[],
): Promise<readonly string[]> {
  const history = await lab.history();
  return [
    ...ofBranch(lab),
    ...ofRefs(lab),
    ...ofFiles(lab),
    ...ofGates(lab),
    ...ofPushes(lab),
    ...ofHistory(lab, history),
    ...ofSecrets(lab, machines, history),
    ...machines.flatMap((machine) => ofMachine(lab, machine)),
    ...ofFsck(lab, machines),
    ...processesIn(lab.folder).map((one) => `still alive: ${one}`),
  ];
}

/** The checkpoints on the remote's branch, oldest first. */
export function published({ there, refs }: Pick<TeamLab, 'there' | 'refs'>): readonly Published[] {
  if (!refs().includes(branch)) return [];
  const format = '%H %T %(trailers:key=Skeleton-Task,valueonly,separator=%x2C)';
  const lines = there('log', '--reverse', `--format=${format}`, branch).split('\n');
  return lines.flatMap((line) => {
    const [commit = '', tree = '', task = ''] = line.split(' ');
    return task === '' ? [] : [{ task, commit, tree }];
  });
}

function ofBranch(lab: TeamLab): readonly string[] {
  const complaints: string[] = [];
  const done = published(lab).map(({ task }) => task);
  for (const { id, needs = [] } of lab.tasks) {
    const times = done.filter((task) => task === id).length;
    if (times !== 1) complaints.push(`${id} is on the branch ${times} times`);
    const early = needs.filter((need) => done.indexOf(need) > done.indexOf(id));
    if (early.length > 0) complaints.push(`${id} stands before ${early.join(', ')}`);
  }
  if (done.length !== lab.tasks.length) complaints.push(`the branch has ${done.length} tasks`);
  const merges = lab.there('rev-list', '--merges', branch);
  if (merges !== '') complaints.push(`not linear: ${merges}`);
  const open = lab.there('show', `${branch}:PLAN.md`).match(/^- \[[^x]\] .*/gm) ?? [];
  return [...complaints, ...open.map((line) => `not ticked: ${line}`)];
}

/** Commits, tags, proofs and fences are one to one; nothing else is there. */
function ofRefs(lab: TeamLab): readonly string[] {
  const refs = lab.there('for-each-ref', '--format=%(refname) %(objectname) %(*objectname)');
  const named = new Map(
    refs.split('\n').map((line) => {
      const [ref = '', object = '', peeled = ''] = line.split(' ');
      return [ref, { object, commit: peeled === '' ? object : peeled }] as const;
    }),
  );
  const complaints: string[] = [];
  const expected = new Set(['refs/heads/main', branch, 'refs/tags/skeleton/plan/0000-start']);
  for (const { task, commit } of published(lab)) {
    const tags = [...named.keys()].filter((ref) => new RegExp(`/\\d{4}-${task}$`).test(ref));
    const number = /(\d{4})-/.exec(tags[0] ?? '')?.[1] ?? '';
    const own = [...tags, `refs/skeleton/proof/plan/${number}`];
    if (own.length !== 2) complaints.push(`${task} has the tags ${tags.join(', ')}`);
    for (const ref of own) {
      expected.add(ref);
      if (named.get(ref)?.commit !== commit) complaints.push(`${ref} is not at ${commit}`);
    }
    // It stands elsewhere where somebody had to write down what a dead worker had pushed.
    const fence = `refs/skeleton/fence/plan/${task}`;
    expected.add(fence);
    if (!named.has(fence)) complaints.push(`${task} has no fence`);
  }
  // Work that has passed goes there so that it outlives its machine.
  const more = [...named.keys()].filter(
    (ref) => !expected.has(ref) && !ref.startsWith('refs/skeleton/attempts/plan/'),
  );
  return [...complaints, ...more.map((ref) => `the remote has ${ref}, too`)];
}

/** `TASK` → what each call of its agent left behind. */
function noncesOf(lab: TeamLab): ReadonlyMap<string, ReadonlySet<string>> {
  const nonces = new Map<string, Set<string>>();
  for (const line of lab.calls()) {
    const [task = '', nonce = ''] = line.split(' ');
    nonces.set(task, (nonces.get(task) ?? new Set()).add(nonce));
  }
  return nonces;
}

function ofFiles(lab: TeamLab): readonly string[] {
  const nonces = noncesOf(lab);
  return lab.tasks.flatMap(({ id }) => {
    const text = fileAt(lab, `${branch}:${id}.txt`);
    const [nonce = '', done, ...more] = text.split('\n');
    const isWhole = nonces.get(id)?.has(nonce) === true && done === 'done' && more.length === 0;
    return isWhole ? [] : [`${id}.txt is ${JSON.stringify(text)}`];
  });
}

function fileAt({ there }: Pick<TeamLab, 'there'>, name: string): string {
  try {
    return there('show', name);
  } catch {
    return '';
  }
}

function ofGates(lab: TeamLab): readonly string[] {
  const passed = new Set(
    lab.gated().flatMap((line) => {
      const [, tree = '', said = ''] = line.split(' ');
      return said === 'pass' ? [tree] : [];
    }),
  );
  return published(lab)
    .filter(({ tree }) => !passed.has(tree))
    .map(({ task, tree }) => `no gate has passed the tree ${tree} of ${task}`);
}

/** By the remote's own reflogs: the branch only went forward, and nothing else ever moved again. */
function ofPushes({ there, bare, refs }: TeamLab): readonly string[] {
  const complaints: string[] = [];
  let at = '';
  for (const { from, to } of movesOf(bare, branch)) {
    if (at !== '' && from !== at) complaints.push(`the branch was at ${at}, and went from ${from}`);
    const left = at === '' ? '' : there('rev-list', '--count', `${to}..${from}`);
    if (left !== '' && left !== '0') complaints.push(`the push to ${to} took commits away`);
    at = to;
  }
  for (const ref of refs().filter((one) => /^refs\/(?:tags|skeleton\/proof)\//.test(one)))
    if (movesOf(bare, ref).length > 1) complaints.push(`${ref} was moved`);
  return complaints;
}

function movesOf(
  bare: string,
  ref: string,
): readonly { readonly from: string; readonly to: string }[] {
  const lines = readFileSync(join(bare, 'logs', ref), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => {
    const [from = '', to = ''] = line.split(' ');
    return { from, to };
  });
}

/** Each task's rows are a possible history without a gap, with one checkpoint, which is the one on the branch. */
function ofHistory(lab: TeamLab, history: readonly Recorded[]): readonly string[] {
  const onBranch = new Map(published(lab).map(({ task, commit }) => [task, commit]));
  return lab.tasks.flatMap(({ id }) => {
    const rows = history.filter(({ task }) => task === id);
    const gaps = rows.filter(({ seq }, index) => seq !== index + 1);
    const made = rows.flatMap(({ event }) =>
      event.type === 'checkpoint.created' ? [event.commit] : [],
    );
    return [
      ...gaps.map(({ seq }) => `${id}: the row ${seq} is not in its place`),
      ...(made.join() === onBranch.get(id) ? [] : [`${id}: its checkpoints are ${made.join()}`]),
      ...impossible(id, rows),
    ];
  });
}

function impossible(id: string, rows: readonly Recorded[]): readonly string[] {
  try {
    const { phase } = replay(rows.map(({ event }) => event as TaskEvent));
    return phase === 'passed' ? [] : [`${id} is ${phase} in the ledger`];
  } catch (error) {
    return [`${id}: an impossible history: ${String(error)}`];
  }
}

/** The ledger's password is nowhere but in the environment of those that need it. */
function ofSecrets(
  lab: TeamLab,
  machines: readonly TeamMachine[],
  history: readonly Recorded[],
): readonly string[] {
  const { password } = new URL(lab.url);
  const told = lab.calls().filter((line) => line.split(' ')[2] !== 'untold');
  const places = machines.flatMap(({ top }) => filesIn(join(top, '.git/skeleton')));
  return [
    ...told.map((line) => `an agent knew the ledger: ${line}`),
    ...history
      .filter(({ event }) => JSON.stringify(event).includes(password))
      .map(({ task, seq }) => `the row ${task} ${seq} holds the password`),
    ...places
      .filter((file) => readFileSync(file, 'latin1').includes(password))
      .map((file) => `${file} holds the password`),
  ];
}

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
}

/** Nothing that an agent began is lost: it is on the branch, or kept in the clone where it was made. */
function ofMachine(lab: TeamLab, { name, git, worktree }: TeamMachine): readonly string[] {
  const dirt = existsSync(worktree) ? git('-C', worktree, 'status', '--porcelain') : '';
  const refs = git('for-each-ref', '--format=%(refname)', 'refs/skeleton/attempts').split('\n');
  const lost = lab.calls().filter((line) => {
    const [task = '', nonce = '', , ...folder] = line.split(' ');
    if (folder.join(' ') !== worktree) return false;
    if (fileAt(lab, `${branch}:${task}.txt`).startsWith(nonce)) return false;
    const own = refs.filter((ref) => ref.startsWith(`refs/skeleton/attempts/plan/${task}/`));
    return !own.some((ref) => fileAt({ there: git }, `${ref}:${task}.txt`).startsWith(nonce));
  });
  return [
    ...(dirt === '' ? [] : [`the worktree of ${name} is not clean: ${dirt}`]),
    ...lost.map((line) => `what the agent began on ${name} is lost: ${line}`),
  ];
}

function ofFsck(lab: TeamLab, machines: readonly TeamMachine[]): readonly string[] {
  return [lab.bare, ...machines.map(({ top }) => top)].flatMap((folder) => {
    try {
      execFileSync('git', ['fsck', '--no-dangling', '--no-progress'], { cwd: folder });
      return [];
    } catch (error) {
      return [`${folder}: ${String(error)}`];
    }
  });
}
