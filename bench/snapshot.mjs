// node bench/snapshot.mjs [FILES…]: what git costs in an attempt that passes (begin, look, commit, tag) and in one that is
// rejected (begin, look, snapshot, roll back), with an agent and a gate that do nothing and 4 changed files, beside the plain
// git commands that nothing makes safe. Medians of 5 after a first round that does not count.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWorkspace } from '../dist/src/git/workspace.js';

const given = process.argv.slice(2).map(Number);
const sizes = given.length > 0 ? given : [100, 10_000, 100_000];
const rounds = 5;
const memory = '/dev/shm';
const place = statSync(memory, { throwIfNoEntry: false })?.isDirectory() ? memory : tmpdir();
const lab = mkdtempSync(join(place, 'skeleton bench '));
const env = {
  ...{ PATH: process.env.PATH, HOME: lab, TMPDIR: lab, LC_ALL: 'C' },
  ...{ GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
};
const plan = '- [ ] Bench\n';

function makeRepository(files) {
  const repo = join(lab, String(files));
  for (let i = 0; i < files; i++) {
    if (i % 100 === 0) mkdirSync(join(repo, `d${i / 100}`), { recursive: true });
    writeFileSync(join(repo, `d${Math.floor(i / 100)}`, `f${i}.txt`), `file ${i}\n`);
  }
  writeFileSync(join(repo, 'PLAN.md'), plan);
  const git = (...args) =>
    execFileSync('git', args, { cwd: repo, env, stdio: 'pipe' }).toString().trim();
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Bench');
  git('config', 'user.email', 'bench@localhost');
  git('add', '-A');
  git('commit', '-qm', 'start');
  git('repack', '-adq');
  git('prune-packed', '-q');
  return { repo, git };
}

/** Two files edited, one deleted, one new; each round others, as far apart as the repository is wide. */
function change({ repo, git }, round) {
  const listed = git('ls-files', 'd*').split('\n');
  const at = (part) => join(repo, listed[Math.floor((listed.length * part) / 4) + round]);
  writeFileSync(at(0), `edited in round ${round}\n`);
  writeFileSync(at(1), `edited in round ${round}\n`);
  rmSync(at(2));
  writeFileSync(join(repo, `d0/new-${round}.txt`), `${round}\n`);
}

function plainPass({ git }, round) {
  git('add', '-A');
  const commit = git('commit-tree', git('write-tree'), '-p', 'HEAD', '-m', `plain ${round}`);
  git('update-ref', 'refs/heads/main', commit);
}

function plainReject({ git }, round) {
  git('add', '-A');
  const tree = git('write-tree');
  const commit = git('commit-tree', tree, '-p', 'HEAD', '-m', `plain ${round}`);
  git('update-ref', `refs/kept/${round}`, commit);
  git('read-tree', '-m', '-u', tree, 'HEAD');
}

function rulesOf() {
  const before = Buffer.from(plan);
  const none = { protect: [], judges: [], mayChange: [], allowEmpty: false, keepCommits: false };
  return {
    plan: { path: 'PLAN.md', before, ticked: before, differsInMarksOnly: () => false },
    ...{ ...none, protectNew: true, maxFile: 50 * 2 ** 20 },
  };
}

/** What run and gates ask of the work tree, without them. */
async function ourAttempt(workspace, round, passes) {
  const attempt = { plan: 'plan', task: passes ? 'pass' : 'reject', id: 'bench', number: round };
  const rules = rulesOf();
  const base = await workspace.begin(attempt, rules);
  change({ repo: workspace.facts.top, git: workspace.git }, round);
  const seen = await workspace.inspect(attempt, rules);
  if (seen.kind !== 'candidate' || seen.changed.length !== 4)
    throw new Error(JSON.stringify(seen));
  const unsettled = await workspace.settle(attempt, seen.tree);
  if (unsettled !== undefined) throw new Error(JSON.stringify(unsettled));
  if (passes) await checkpoint(workspace, { attempt, base, tree: seen.tree });
  else await workspace.rollBack(attempt);
  await workspace.end(attempt);
}

async function checkpoint(workspace, { attempt, base, tree }) {
  const message = { subject: 'Bench', body: '', trailers: [['Skeleton-Task', 'bench']] };
  const commit = await workspace.commitObject(tree, base, message);
  const number = String(attempt.number).padStart(4, '0');
  const proofObject = await workspace.proofObject(commit, `skeleton/plan/${number}`, '{}');
  const tag = `refs/tags/skeleton/plan/${number}-bench`;
  const proof = `refs/skeleton/proof/plan/${number}`;
  await workspace.checkpoint(attempt, { commit, base, tag, proof, proofObject });
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
