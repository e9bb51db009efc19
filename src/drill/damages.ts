/**
 * What an agent may do to a repository: a name and a shell script that does it. Links lead no further than the lab's own
 * folder: stories put these together, and a later one may write through a link that an earlier one made.
 */
export const damages: readonly (readonly [string, string])[] = [
  ['nothing', ':'],
  [
    'edits, new files, deletions',
    'echo x > README.md; echo n > new; mkdir -p d/e; echo n > d/e/f; rm src/a.txt',
  ],
  [
    'everything deleted',
    'find . -mindepth 1 -maxdepth 1 ! -name .git ! -name node_modules ! -name big.bin -exec rm -rf {} +',
  ],
  ['renames', 'rm src/deep/d.log; mv src lib; mv README.md read.me; mv tool.sh src'],
  [
    'mode bits',
    'chmod +x README.md; chmod -x tool.sh; chmod 644 private.key; chmod 600 README.md; chmod 755 src/deep',
  ],
  [
    'links changed, added, replaced',
    'rm link; ln -s README.md link; mkdir ../far; ln -s "$PWD/../far" out; rm README.md; ln -s "$PWD/../far/x" README.md; rm dangling; echo f > dangling',
  ],
  [
    'a folder replaced by a link to elsewhere',
    'mkdir ../outside; echo o > ../outside/a.txt; rm -r src; ln -s ../outside src',
  ],
  [
    'a file becomes a folder and a folder a file',
    'rm README.md; mkdir README.md; echo x > README.md/x; rm -r src; echo f > src',
  ],
  [
    'ignored files where a tracked file was',
    'rm README.md; mkdir README.md; echo x > README.md/b.log; mkdir README.md/c; echo y > README.md/c/d.log',
  ],
  [
    'ignored and other files where a tracked file was',
    'rm README.md; mkdir README.md; echo x > README.md/b.log; echo y > README.md/z',
  ],
  [
    'an ignored file where a tracked folder was',
    'rm -r src/deep; echo "deep" >> .gitignore; echo mine > src/deep',
  ],
  [
    'an ignored link where a tracked folder was',
    'rm -r src/deep; echo "deep" >> .gitignore; mkdir ../far; ln -s "$PWD/../far" src/deep',
  ],
  [
    'odd names',
    `printf z > "$(printf 'new\\xff')"; printf a > 'two
lines'; printf b > ' -rf'; printf c > ':(top)x'; rm "$(printf 'caf\\xe9.txt')"; printf d > 'a"b\\c*'; mv 'line
break.txt' 'other
break.txt'`,
  ],
  ['a FIFO', 'mkfifo pipe; mkfifo src/pipe'],
  ['a FIFO named .gitignore', 'mkdir n; mkfifo n/.gitignore; echo x > n/x'],
  ['a FIFO named .gitignore where one was', 'rm .gitignore; mkfifo .gitignore'],
  ['a FIFO named .gitattributes', 'mkfifo .gitattributes; echo x > README.md'],
  ['a FIFO in the place of the plan', 'rm PLAN.md; mkfifo PLAN.md'],
  ['a FIFO in the place of a tracked file', 'rm src/a.txt; mkfifo src/a.txt'],
  [
    'a socket',
    `node -e 'require("net").createServer().listen("sock", () => process.kill(process.pid, "SIGKILL"))' || true; test -S sock`,
  ],
  ['files of mode 000', 'echo n > closed; chmod 000 closed README.md'],
  ['folders of mode 000', 'mkdir c; echo x > c/x; chmod 000 c src'],
  ['a repository without a commit', 'git init -q nested; echo x > nested/x'],
  [
    'a repository with a commit',
    'git init -q nested; cd nested; echo x > x; git add x; git commit -qm x',
  ],
  ['a repository in a tracked folder', 'git init -q src; echo x > src/new; mkfifo src/pipe'],
  [
    'a repository in a repository',
    'git init -q a; git init -q a/b; echo x > a/b/x; git init -q src/deep',
  ],
  ['a linked .git file', 'mkdir m; echo "gitdir: ../.git" > m/.git; echo x > m/x'],
  [
    'a submodule added',
    'git init -q ../sub; (cd ../sub; echo s > s; git add s; git commit -qm s); git -c protocol.file.allow=always submodule --quiet add ../sub sub',
  ],
  ['names that git refuses', `mkdir -p q/.GIT; echo x > q/.GIT/x; echo y > 'git~1'; echo z > fine`],
  ['a commit', 'echo x > new; git add -A; git commit -qm theirs; echo y >> new'],
  [
    'commits, then a reset',
    'echo x > new; git add -A; git commit -qm theirs; git reset -q --hard HEAD~1',
  ],
  ['an amended commit', 'echo x > new; git add -A; git commit -q --amend -m amended'],
  ['another branch', 'git checkout -q other; echo x > new; git add -A; git commit -qm there'],
  ['a new branch', 'git checkout -q -b theirs; echo x > new; git add -A; git commit -qm there'],
  [
    'a detached HEAD',
    'git checkout -q --detach; echo x > new; git add -A; git commit -qm detached',
  ],
  [
    'an orphan branch',
    'git checkout -q --orphan lone; git rm -rqf .; echo x > new; git add -A; git commit -qm lone',
  ],
  ['an unborn branch', 'git checkout -q --orphan lone'],
  ['the branch renamed', 'git branch -m main trunk'],
  ['the branch moved', 'git reset -q --hard feature'],
  [
    'branches deleted and moved',
    'git branch -D feature other; git branch new; git branch feature/x 2>/dev/null; git branch feature-2',
  ],
  [
    'a branch where a folder of branches goes',
    'git branch -D feature; git branch feature/one; git branch feature/two',
  ],
  [
    'tags moved, deleted, made',
    'git tag -f v1 feature; git tag -d v2; git tag v3; git tag skeleton/plan/0001-one',
  ],
  ['all packed', 'git pack-refs --all; git tag -d v1; git gc -q --force'],
  [
    'branches, tags, stash dropped, then gc',
    'git branch -D feature other; git tag -d v1 v2; git stash clear; git reflog expire --expire=now --all; git gc -q --force --prune=now',
  ],
  [
    'the branch itself dropped, then gc',
    'git checkout -q --orphan x; git branch -D main; git tag -d v1 v2; git reflog expire --expire=now --all; git gc -q --force --prune=now',
  ],
  ['a stash', 'echo x > README.md; git stash push -q; echo y > new'],
  ['a stash dropped', 'git stash drop -q'],
  ['a stash popped', 'git stash pop -q'],
  ['all stashes dropped', 'git stash clear'],
  [
    'a merge with conflicts',
    'git checkout -q -b m; echo 1 > README.md; git commit -qam 1; git checkout -q main; echo 2 > README.md; git commit -qam 2; git merge -q m || true',
  ],
  [
    'a rebase with conflicts',
    'git checkout -q -b m; echo 1 > README.md; git commit -qam 1; git checkout -q main; echo 2 > README.md; git commit -qam 2; git rebase -q m || true; test -d .git/rebase-merge',
  ],
  [
    'a cherry-pick with conflicts',
    'git checkout -q -b m; echo 1 > README.md; git commit -qam 1; git checkout -q main; echo 2 > README.md; git commit -qam 2; git cherry-pick m || true',
  ],
  ['a bisect', 'git bisect start -q; git bisect bad; git bisect good feature || true'],
  [
    'core.worktree elsewhere',
    'mkdir ../elsewhere; echo precious > ../elsewhere/f; echo x > new; git config core.worktree "$PWD/../elsewhere"',
  ],
  ['core.bare', 'echo x > new; git config core.bare true'],
  [
    'a filter, an fsmonitor, hooks',
    `echo '* filter=evil' > .gitattributes; git config filter.evil.clean "touch '$PWD/../ran'; cat"; git config core.fsmonitor "touch '$PWD/../ran'; false"
    printf '#!/bin/sh\\ntouch "%s/../ran"\\n' "$PWD" > .git/hooks/reference-transaction; chmod +x .git/hooks/*; cp .git/hooks/reference-transaction .git/hooks/post-index-change; echo x > README.md`,
  ],
  ['configuration garbled', 'echo "[broken" > .git/config; echo x > new'],
  ['configuration deleted', 'rm .git/config; rm -r .git/info .git/hooks'],
  ['configuration a FIFO', 'rm .git/config; mkfifo .git/config'],
  ['hooks a link', 'rm -r .git/hooks; mkdir ../far; ln -s "$PWD/../far" .git/hooks'],
  [
    'excludes and attributes',
    'echo "new*" >> .git/info/exclude; echo "* -text" > .git/info/attributes; echo x > new1',
  ],
  ['alternates', 'mkdir -p ../o/objects; echo "$PWD/../o/objects" > .git/objects/info/alternates'],
  [
    'replaced objects',
    'echo x > new; git add -A; git commit -qm x; r=$(git rev-parse HEAD); git reset -q --hard v1; git replace HEAD $r',
  ],
  [
    'locks left',
    'echo x > new; touch .git/index.lock .git/HEAD.lock .git/refs/heads/main.lock .git/packed-refs.lock .git/config.lock',
  ],
  ['HEAD garbled', 'echo garbage > .git/HEAD; echo x > new'],
  ['HEAD gone', 'rm .git/HEAD; echo x > new'],
  [
    'HEAD at a missing commit',
    'echo 1234567890123456789012345678901234567890 > .git/HEAD; echo x > new',
  ],
  [
    'the branch at a missing commit',
    'echo 1234567890123456789012345678901234567890 > .git/refs/heads/main; echo x > new',
  ],
  [
    'the branch garbled',
    'echo garbage > .git/refs/heads/main; : > .git/refs/heads/other; echo x > new',
  ],
  ['refs gone', 'rm -r .git/refs; echo x > new'],
  [
    'refs odd',
    'mkfifo .git/refs/heads/pipe; mkdir ../far; ln -s "$PWD/../far" .git/refs/heads/dir; echo x > new',
  ],
  ['packed-refs garbled', 'echo garbage > .git/packed-refs; echo x > new'],
  ['index gone', 'rm .git/index; echo x > README.md'],
  ['index garbled', 'echo garbage > .git/index; echo x > README.md'],
  ['everything unstaged', 'git rm -rq --cached .; echo x > new'],
  [
    'things staged',
    'echo staged > README.md; git add README.md; echo later > README.md; echo only > gone; git add gone; rm gone; git add -N . ; git add -f .env',
  ],
  [
    'flags that hide',
    'git update-index --skip-worktree README.md; git update-index --assume-unchanged src/a.txt; echo x > README.md; echo y > src/a.txt',
  ],
  ['a sparse checkout', 'git sparse-checkout set src'],
  [
    'another index format',
    'git update-index --index-version 4; git update-index --split-index; echo x > README.md',
  ],
  ['.env un-ignored', 'echo > .gitignore; echo TOKEN=2 > .env'],
  [
    '.env un-ignored and committed',
    'echo > .gitignore; git add -A; git commit -qm all; echo TOKEN=3 > .env',
  ],
  ['.gitignore deleted', 'rm .gitignore; echo y > src/y'],
  [
    'everything ignored',
    'echo "*" > .gitignore; echo x > new; mkdir d; echo y > d/y; echo z > README.md',
  ],
  [
    'a folder newly ignored',
    'echo "dist/" >> .gitignore; mkdir -p dist/a; echo x > dist/a/x; git init -q dist/repo',
  ],
  [
    'a folder of the user newly ignored',
    'echo "logs/" >> .gitignore; echo x > logs/new; echo y > logs/only.log',
  ],
  [
    'ignore rules of a folder',
    'echo "*" > src/.gitignore; echo x > src/new; echo "!d.log" > src/deep/.gitignore; echo y > src/deep/d.log',
  ],
  [
    'a tracked file untracked and ignored',
    'git rm -q --cached README.md; echo README.md >> .gitignore; echo x > README.md',
  ],
  [
    'ignored files changed, deleted, replaced',
    'echo T=2 > .env; rm debug.log; mkdir debug.log; rm src/deep/d.log; ln -s "$PWD/../far" src/deep/d.log; chmod 644 .env',
  ],
  ['an ignored file behind a link', 'rm -r logs; mkdir ../elsewhere; ln -s ../elsewhere logs'],
  ['empty folders', 'rm -r empty; mkdir -p new/empty; mkdir -p src/void; chmod 700 src'],
  ['our own folder deleted', 'echo x > new; rm -rf .git/skeleton'],
  [
    'our refs forged',
    'echo x > new; git update-ref refs/skeleton/attempts/plan/one/1 feature; git update-ref refs/skeleton/proof/plan/0001 v2; git update-ref -d refs/skeleton/anchor/x',
  ],
  [
    'refs that leave no room for ours',
    'echo x > new; git branch foo; git update-ref refs/skeleton/agent HEAD; git update-ref refs/skeleton/attempts HEAD; git update-ref refs/skeleton/proof HEAD; git tag skeleton || true; git update-ref refs/skeleton-aside-again HEAD',
  ],
  [
    'refs below ours and above them',
    'echo x > new; git update-ref refs/skeleton/attempts/plan/one/1/x HEAD; git update-ref refs/skeleton/agent/plan/one HEAD; git tag skeleton/plan || true; git symbolic-ref refs/skeleton/proof refs/heads/main',
  ],
  ['a huge file', 'head -c 3000000 /dev/zero > huge; head -c 3000000 /dev/zero > README.md'],
  ['only line ends and times', 'touch -d 2001-01-01 README.md; printf "hello\\r\\n" > README.md'],
];
