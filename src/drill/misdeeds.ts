import { damages } from './damages.ts';

/** Where chance comes from in a test: the same seed gives the same story, on any machine. */
export interface Draw {
  /** A whole number below `count`. */
  readonly below: (count: number) => number;
  readonly of: <T>(things: readonly T[]) => T;
  /** Content that no other file of the story has, so that its bytes tell whether it was kept. */
  readonly bytes: () => string;
}

/** Mulberry32: 32 bits of state, good enough to shuffle with. */
function drawFrom(seed: number): Draw {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  let written = 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (count: number): number => next() % count;
  return {
    below,
    of: (things) => {
      const thing = things[below(things.length)];
      if (thing === undefined) throw new Error('nothing to draw from');
      return thing;
    },
    bytes: () => `bytes ${seed}.${(written += 1)}`,
  };
}

/**
 * One thing an agent may do to the repository it works in, as a bash script with real git; goes as far as it gets. None leaves
 * the lab's own folder, not even through a link that another one made.
 */
type Misdeed = readonly [kind: string, script: (draw: Draw) => string];

const tracked = ['README.md', 'src/a.txt', 'src/deep/b.txt', 'tool.sh', 'link', '.gitignore'];
const folders = ['src', 'src/deep', 'empty', 'empty/inner', 'tests', 'gates'];
const ignored = ['.env', 'debug.log', 'src/deep/d.log'];
const fresh = [
  'new.txt',
  'src/new.txt',
  'd/e/f',
  'src/deep/n',
  "' two  words'",
  "$'line\\nbreak'",
  "$'caf\\xe9'",
  '-rf',
  "':(top)x'",
  'empty/x',
  "$'q\"b\\\\c*'",
];
const everything = [...tracked, ...ignored, 'PLAN.md', 'gates/check.sh', 'tests/t.sh'];
const branches = ['other', 'theirs', 'main', 'deep/er'];
const tags = ['v1', 'v2', 'skeleton/plan/0001-one', 'theirs'];

const put = (draw: Draw, path: string): string =>
  `mkdir -p -- "$(dirname -- ${path})"; echo '${draw.bytes()}' > ./${path}`;
const commit = (rest = ''): string => `git add -A; git commit -q ${rest}`;
const plan = (edit: string): string => `sed -i '${edit}' PLAN.md`;

const files: readonly Misdeed[] = [
  ['create', (draw) => put(draw, draw.of(fresh))],
  ['change', (draw) => put(draw, draw.of(tracked))],
  ['append', (draw) => `echo '${draw.bytes()}' >> ${draw.of(everything)}`],
  ['delete', (draw) => `rm -f ${draw.of(everything)}`],
  ['delete a folder', (draw) => `rm -rf ${draw.of(folders)}`],
  ['rename', (draw) => `mv ${draw.of(everything)} ./${draw.of(fresh)}`],
  ['rename a folder', (draw) => `mv ${draw.of(folders)} moved`],
  ['chmod', (draw) => `chmod ${draw.of(['755', '600', '444', '4755'])} ${draw.of(everything)}`],
  ['chmod a folder', (draw) => `chmod ${draw.of(['700', '777', '555'])} ${draw.of(folders)}`],
  [
    'symlink',
    (draw) => {
      const at = draw.of([...everything, 'new-link', ...folders]);
      const to = draw.of(['"$PWD/../far"', '"$PWD/../far/x"', 'README.md', 'src', '/none']);
      return `rm -rf ${at}; mkdir -p ../far; ln -s ${to} ${at}`;
    },
  ],
  ['folder for file', (draw) => filled(draw, draw.of([...tracked, ...ignored]))],
  ['file for folder', (draw) => replaced(draw, draw.of(folders))],
  ['nested repo', (draw) => nested(draw, draw.of(['nested', 'src', 'd/e', 'src/deep/r']))],
  ['FIFO', (draw) => fifo(draw.of(['pipe', 'src/pipe', 'n/.gitignore', ...everything]))],
  ['mode 000', (draw) => `chmod 000 ${draw.of([...everything, ...folders])}`],
  ['name git refuses', (draw) => put(draw, draw.of(['q/.GIT/x', "'git~1'", 'src/.git/x']))],
];

const ignoring: readonly Misdeed[] = [
  ['ignored files', (draw) => put(draw, draw.of([...ignored, 'gates/new.log', 'd/new.log']))],
  ['ignored files deleted', (draw) => `rm -rf ${draw.of(ignored)}`],
  ['ignore more', (draw) => ignore(draw.of(['*', 'src/', 'new*', 'gates/', 'd', 'PLAN.md']))],
  ['ignore less', (draw) => draw.of(['echo > .gitignore', 'rm .gitignore', ignore('!.env')])],
  ['untrack and ignore', (draw) => untrack(draw, draw.of(tracked))],
  ['exclude', () => 'mkdir -p .git/info; echo "*.txt" >> .git/info/exclude'],
];

const history: readonly Misdeed[] = [
  ['commit', (draw) => `${put(draw, draw.of(fresh))}; ${commit('-m theirs')}`],
  ['amend', (draw) => `${put(draw, draw.of(tracked))}; ${commit('--amend -m amended')}`],
  ['reset', (draw) => `git reset -q ${draw.of(['--hard', '--soft', '--mixed'])} HEAD~1`],
  ['switch', (draw) => `git switch -q ${draw.of(['', '-c', '--detach'])} ${draw.of(branches)}`],
  ['delete a branch', (draw) => `git branch -D ${draw.of(branches)}`],
  ['update-ref', (draw) => `git update-ref refs/heads/${draw.of(branches)} HEAD~1`],
  ['tag', (draw) => `git tag -f ${draw.of(['', '-a -m x'])} ${draw.of(tags)} HEAD~0`],
  ['delete a tag', (draw) => `git tag -d ${draw.of(tags)}`],
  ['stash', (draw) => `git stash ${draw.of(['push -q', 'push -qu', 'push -qa', 'pop', 'drop'])}`],
  ['gc', () => 'git reflog expire --expire=now --all; git gc -q --force --prune=now'],
  ['merge', (draw) => `git ${draw.of(['merge', 'rebase', 'cherry-pick'])} ${draw.of(branches)}`],
  [
    'forged trailers',
    () => commit(`--allow-empty -m 'One\n\nSkeleton-Task: one\nSkeleton-Attempt: 1'`),
  ],
  ['forged proof', () => 'git update-ref refs/skeleton/proof/plan/0001 HEAD'],
];

const gitFolder: readonly Misdeed[] = [
  ['config', (draw) => `git config ${draw.of(settings)}`],
  ['config garbled', (draw) => draw.of(['echo "[x" > .git/config', 'rm .git/config'])],
  ['hooks', (draw) => hook(draw.of(['pre-commit', 'reference-transaction', 'post-checkout']))],
  ['index.lock', (draw) => `touch .git/${draw.of(['index', 'HEAD', 'refs/heads/main'])}.lock`],
  ['index', (draw) => draw.of(['rm .git/index', 'echo x > .git/index', 'git add -A -f'])],
  ['flags', (draw) => `git update-index ${draw.of(hiding)} ${draw.of(everything)}`],
  ['our folder', (draw) => draw.of(['rm -rf .git/skeleton', 'find .git/skeleton -type f -delete'])],
  [
    'our refs',
    () => 'git for-each-ref --format="delete %(refname)" refs/skeleton | git update-ref --stdin',
  ],
];

const judging: readonly Misdeed[] = [
  ['tick', (draw) => plan(draw.of(['s/\\[ \\]/[x]/', '0,/\\[ \\]/s//[x]/']))],
  ['edit the plan', (draw) => plan(draw.of(['s/Two/Deux/', '$a - [ ] Three', '2d']))],
  ['gates', (draw) => put(draw, draw.of(['gates/check.sh', 'gates/new.sh', '.skeleton.yml']))],
  ['protected', (draw) => put(draw, draw.of(['tests/t.sh', 'tests/new.sh']))],
];

const known: Misdeed = ['a known damage', (draw: Draw): string => draw.of(damages)[1]];

/** Every kind of misdeed. What the product states as its limits (objects deleted, writes elsewhere) is not among them. */
export const misdeeds: readonly Misdeed[] = [
  ...[...files, ...ignoring, ...history, ...gitFolder, ...judging],
  known,
];

export interface Story {
  readonly kinds: readonly string[];
  readonly scripts: readonly string[];
  readonly isInspected: boolean;
  /** The process that began the attempt is gone when it is rolled back. */
  readonly isNewProcess: boolean;
}

/** One to six misdeeds. So many neighbouring seeds as there are kinds begin with each of them. */
export function storyOf(seed: number): Story {
  const draw = drawFrom(seed);
  const first = misdeeds[seed % misdeeds.length] ?? known;
  const more = Array.from({ length: draw.below(6) }, () => draw.of(misdeeds));
  const drawn = [first, ...more].map(([kind, script]) => ({ kind, script: script(draw) }));
  const scripts = drawn.map(({ script }) => script);
  const isRecordGone = scripts.some((script) => script.includes('.git/skeleton'));
  return {
    kinds: drawn.map(({ kind }) => kind),
    scripts,
    isInspected: draw.below(4) > 0,
    isNewProcess: draw.below(3) === 0 && !isRecordGone,
  };
}

const settings = [
  'core.bare true',
  'core.worktree "$PWD/../elsewhere"; mkdir -p ../elsewhere',
  'core.fsmonitor "touch ../ran; false"',
  'core.fileMode false',
  'core.autocrlf true',
  'core.symlinks false',
  'user.name ""',
  'commit.gpgSign true',
];
const hiding = ['--skip-worktree', '--assume-unchanged', '--chmod=+x', '--force-remove'];

function ignore(rule: string): string {
  return `printf '%s\\n' '${rule}' >> .gitignore`;
}

function untrack(draw: Draw, path: string): string {
  return `git rm -q --cached ${path}; ${ignore(path)}; ${put(draw, path)}`;
}

function filled(draw: Draw, path: string): string {
  return `rm -rf ${path}; ${put(draw, `${path}/x`)}; ${put(draw, `${path}/y.log`)}`;
}

function replaced(draw: Draw, path: string): string {
  return `rm -rf ${path}; ${put(draw, path)}`;
}

function nested(draw: Draw, path: string): string {
  const inside = put(draw, `${path}/inside`);
  return `git init -q ${path}; ${inside}; git -C ${path} add -A; git -C ${path} commit -qm inner`;
}

function fifo(path: string): string {
  return `rm -rf ${path}; mkdir -p "$(dirname ${path})"; mkfifo ${path}`;
}

function hook(name: string): string {
  const path = `.git/hooks/${name}`;
  return `mkdir -p .git/hooks; printf '#!/bin/sh\\ntouch "%s/../ran"\\n' "$PWD" > ${path}; chmod +x ${path}`;
}
