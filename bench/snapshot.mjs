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
    execFileSync('git', args, { cwd: repo, env, stdio: 'pipe', maxBuffer: 2 ** 26 })
      .toString()
      .trim();
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Bench');
  git('config', 'user.email', 'bench@localhost');
  git('add', '-A');
  git('commit', '-qm', 'start');
  git('repack', '-adq');
  git('prune-packed', '-q');
  return { repo, git };
}

/** Two files edited, one deleted, one new: in each round others, as far apart as the repository is wide. */
function changerOf({ repo, git }, round) {
  const listed = git('ls-files', 'd*').split('\n');
  const at = (part) => join(repo, listed[Math.floor((listed.length * part) / 4) + round]);
  return () => {
    writeFileSync(at(0), `edited in round ${round}\n`);
    writeFileSync(at(1), `edited in round ${round}\n`);
    rmSync(at(2));
    writeFileSync(join(repo, `d0/new-${round}.txt`), `${round}\n`);
  };
}

function plainCommit(git, round) {
  git('add', '-A');
  const tree = git('write-tree');
  return { tree, commit: git('commit-tree', tree, '-p', 'HEAD', '-m', `plain ${round}`) };
}

const plainPass = ({ git }) => ({
  begin: () => undefined,
  finish: (round) => git('update-ref', 'refs/heads/main', plainCommit(git, round).commit),
});

const plainReject = ({ git }) => ({
  begin: () => undefined,
  finish: (round) => {
    const { tree, commit } = plainCommit(git, round);
    git('update-ref', `refs/kept/${round}`, commit);
    git('read-tree', '-m', '-u', tree, 'HEAD');
  },
});

const before = Buffer.from(plan);
const rules = {
  plan: { path: 'PLAN.md', before, ticked: before, differsInMarksOnly: () => false },
  ...{ protect: [], judges: [], mayChange: [], allowEmpty: false, keepCommits: false },
  ...{ protectNew: true, maxFile: 50 * 2 ** 20 },
};

/** What `skeleton run` asks of the work tree in one attempt; `end` is the way it ends. */
function ours(workspace, end) {
  const idOf = (round) => ({ plan: 'plan', task: 'bench', id: 'bench', number: round });
  let base;
  return {
    begin: async (round) => {
      base = await workspace.begin(idOf(round), rules);
    },
    finish: async (round) => {
      const attempt = idOf(round);
      const seen = await workspace.inspect(attempt, rules);
      if (seen.changed?.length !== 4) throw new Error(JSON.stringify(seen));
      const unsettled = await workspace.settle(attempt, seen.tree);
      if (unsettled !== undefined) throw new Error(JSON.stringify(unsettled));
      await end(attempt, base, seen.tree);
      await workspace.end(attempt);
    },
  };
}

const ourReject = (workspace) => ours(workspace, (attempt) => workspace.rollBack(attempt));

const ourPass = (workspace) =>
  ours(workspace, async (attempt, base, tree) => {
    const number = String(attempt.number).padStart(4, '0');
    const message = { subject: 'Bench', body: '', trailers: [['Skeleton-Task', 'bench']] };
    const commit = await workspace.commitObject(tree, base, message);
    const proofObject = await workspace.proofObject(commit, `skeleton/plan/${number}`, '{}');
    const tag = `refs/tags/skeleton/plan/${number}-bench`;
    const proof = `refs/skeleton/proof/plan/${number}`;
    await workspace.checkpoint(attempt, { commit, base, tag, proof, proofObject });
  });

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function timed(action) {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

/** Milliseconds; the time that the changes themselves take is not counted. */
async function measure(repository, attempt, isOver) {
  const times = [];
  for (let count = 0; count <= rounds; count++) {
    const round = (repository.round += 1);
    const change = changerOf(repository, round);
    const begun = await timed(() => attempt.begin(round));
    change();
    times.push(begun + (await timed(() => attempt.finish(round))));
    isOver(repository.git('status', '--porcelain'));
  }
  return median(times.slice(1));
}

function clean(status) {
  if (status !== '') throw new Error(`not clean after the attempt:\n${status}`);
}

async function measureAll(files) {
  const repository = { ...makeRepository(files), round: 0 };
  const plain = [];
  for (const attempt of [plainPass, plainReject])
    plain.push(await measure(repository, attempt(repository), clean));
  const workspace = await openWorkspace({ cwd: repository.repo, env });
  const whole = [];
  for (const attempt of [ourPass, ourReject])
    whole.push(await measure(repository, attempt(workspace), clean));
  rmSync(repository.repo, { recursive: true });
  return [whole[0], plain[0], whole[1], plain[1]].map((ms) => `${Math.round(ms)} ms`);
}

try {
  const git = execFileSync('git', ['--version'], { env }).toString().trim();
  console.log(`node ${process.version}, ${git}, ${process.platform}, files in ${place}\n`);
  console.log('| files | passed | plain git | rejected | plain git |');
  console.log('| ----: | -----: | --------: | -------: | --------: |');
  for (const files of sizes) {
    const cells = await measureAll(files);
    console.log(`| ${[files.toLocaleString('en'), ...cells].join(' | ')} |`);
  }
} finally {
  rmSync(lab, { recursive: true, force: true });
}
