// node bench/per-task.mjs [TASKS] [FILES]: what a task costs beyond agent and gate, beside a bare shell loop of the same git
// commands (floor.sh), in a repository of so many files. Both take turns, three times; medians are printed.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [tasks = 50, files = 100] = process.argv.slice(2).map(Number);
const here = dirname(fileURLToPath(import.meta.url));
const skeleton = join(here, '../dist/cli/main.js');
const lab = mkdtempSync(join(tmpdir(), 'skeleton bench '));
const env = {
  PATH: process.env.PATH,
  HOME: lab,
  TMPDIR: lab,
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
};
const sh = (file, args, cwd) => execFileSync(file, args, { cwd, env, stdio: 'pipe' }).toString();

function newRepository(name) {
  const repo = join(lab, name);
  mkdirSync(repo);
  for (let i = 0; i < files; i++) {
    const folder = join(repo, `d${Math.floor(i / 100)}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `f${i}.txt`), `file ${i}\n`);
  }
  sh('git', ['init', '-q', '-b', 'main'], repo);
  sh('git', ['config', 'user.name', 'Bench'], repo);
  sh('git', ['config', 'user.email', 'bench@localhost'], repo);
  mkdirSync(join(repo, 'gates'));
  writeFileSync(join(repo, 'gates/check.sh'), '#!/bin/sh\ntest -s d0/f0.txt\n', { mode: 0o755 });
  const boxes = Array.from(
    { length: tasks },
    (_, i) => `- [ ] Task number ${i + 1} {#t${i + 1}}\n`,
  );
  writeFileSync(join(repo, 'PLAN.md'), boxes.join(''));
  sh('git', ['add', '-A'], repo);
  sh('git', ['commit', '-qm', 'start'], repo);
  return repo;
}

const agent =
  'cat >/dev/null; echo "$SKELETON_TASK_ID" >>d0/f0.txt; echo x >"new-$SKELETON_TASK_ID.txt"';

/** Milliseconds per task, start-up included. */
function timeSkeleton(repo) {
  const start = performance.now();
  sh(process.execPath, [skeleton, 'run', '--quiet', '--agent-command', agent], repo);
  const whole = performance.now() - start;
  const tags = sh('git', ['tag', '-l', 'skeleton/plan/*'], repo).trim().split('\n').length - 1;
  if (tags !== tasks) throw new Error(`${tags} checkpoints instead of ${tasks}`);
  return whole / tasks;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

try {
  const ours = [];
  const floor = [];
  for (const round of [1, 2, 3]) {
    floor.push(
      Number(
        sh('bash', [join(here, 'floor.sh'), String(tasks), newRepository(`floor ${round}`)], lab),
      ),
    );
    ours.push(timeSkeleton(newRepository(`ours ${round}`)));
  }
  const version = JSON.parse(readFileSync(join(here, '../package.json'), 'utf8')).version;
  const [a, b] = [median(ours), median(floor)];
  console.log(`skeleton ${version}, node ${process.version}, ${tasks} tasks, ${files} files`);
  console.log(
    `ms per task: skeleton ${a.toFixed(1)} (start-up included), bare shell loop ${b.toFixed(1)}, ratio ${(a / b).toFixed(2)}`,
  );
} finally {
  rmSync(lab, { recursive: true, force: true });
}
