#!/usr/bin/env bash
# floor.sh N REPO: the least work a passed task can cost, as a yardstick for `skeleton run`: an agent (one `sh -c` that edits a
# tracked file and adds a new one), a gate (one `sh -c`), then git add, commit, tag. Nothing is parsed, logged, locked or made safe.
# Prints the median milliseconds per task.
set -euo pipefail
n=$1 repo=$2
for v in $(env | sed -n 's/^\(GIT_[A-Z0-9_]*\)=.*/\1/p'); do unset "$v"; done
export GIT_AUTHOR_NAME=floor GIT_AUTHOR_EMAIL=floor@localhost GIT_COMMITTER_NAME=floor GIT_COMMITTER_EMAIL=floor@localhost LC_ALL=C
cd "$repo"
[[ -z $(git status --porcelain) ]] || { echo "floor.sh: $repo is not clean" >&2; exit 2; }
target=''
IFS= read -r -d '' target < <(git ls-files -z) || true
g=(git -c gc.auto=0 -c maintenance.auto=false -c commit.gpgsign=false -c tag.gpgsign=false -c core.hooksPath=/dev/null)
export FLOOR_TARGET=$target
times=()
now() { local t=${EPOCHREALTIME/[.,]/}; printf -v "$1" '%s' "$t"; }
for ((i = 1; i <= n; i++)); do
  now a
  FLOOR_I=$i sh -c 'echo "task $FLOOR_I" >>"$FLOOR_TARGET"; echo "$FLOOR_I" >"floor-$FLOOR_I.txt"'
  sh -c 'test -s "$FLOOR_TARGET"'
  "${g[@]}" add -A
  "${g[@]}" commit -q --no-verify -m "task $i"
  "${g[@]}" tag -f "floor/$i" >/dev/null
  now b
  times+=($((b - a)))
done
[[ $(git rev-parse "floor/$n^{commit}") == $(git rev-parse HEAD) && -z $(git status --porcelain) ]]
printf '%s\n' "${times[@]}" | sort -n | awk '{t[NR]=$1/1000} END {printf "%.2f\n", t[int((NR+1)/2)]}'
