#!/bin/sh
# Rejects a change that nobody will review: more than DIFF_SIZE_FILES files (50) or DIFF_SIZE_LINES lines added and
# deleted (2000) since where the attempt began. Lock files do not count.
# Exit status: 0 small enough, 1 too large, 75 it could not measure.
set -u

unable() { echo "diff-size: $1" >&2; exit 75; }
for tool in git awk mktemp; do
  command -v "$tool" >/dev/null || unable "$tool is not installed"
done
base=${SKELETON_BASE:-HEAD}
git rev-parse --verify --quiet "$base^{commit}" >/dev/null || unable "$base is no commit here"
most_files=${DIFF_SIZE_FILES:-50}
most_lines=${DIFF_SIZE_LINES:-2000}
case $most_files$most_lines in
  *[!0-9]*) unable 'DIFF_SIZE_FILES and DIFF_SIZE_LINES are whole numbers' ;;
esac

cd "$(git rev-parse --show-toplevel)" || unable 'the work tree cannot be entered'
set -- . ':(exclude,glob)**/package-lock.json' ':(exclude,glob)**/npm-shrinkwrap.json' \
  ':(exclude,glob)**/yarn.lock' ':(exclude,glob)**/pnpm-lock.yaml' ':(exclude,glob)**/bun.lock' \
  ':(exclude,glob)**/Cargo.lock' ':(exclude,glob)**/go.sum' ':(exclude,glob)**/poetry.lock' \
  ':(exclude,glob)**/uv.lock' ':(exclude,glob)**/composer.lock' ':(exclude,glob)**/Gemfile.lock'

# A copy of the index that knows of the new files too; the index itself stays as it is.
index=$(git rev-parse --git-path index)
GIT_INDEX_FILE=$(mktemp) || unable 'no room for a temporary file'
export GIT_INDEX_FILE
trap 'rm -f "$GIT_INDEX_FILE" "$GIT_INDEX_FILE.list"' EXIT
if [ -e "$index" ]; then cp "$index" "$GIT_INDEX_FILE"; else rm "$GIT_INDEX_FILE"; fi ||
  unable 'the index cannot be copied'
git add --intent-to-add . || unable 'git add failed'
git diff --numstat --no-renames --no-ext-diff --no-textconv "$base" -- "$@" >"$GIT_INDEX_FILE.list" ||
  unable 'git diff failed'

awk -v most_files="$most_files" -v most_lines="$most_lines" '
  { files += 1; lines += $1 + $2 }
  END {
    printf "%d files (at most %d), %d lines added or deleted (at most %d)\n", files, most_files, lines, most_lines
    if (files > most_files || lines > most_lines) { print "Too large to review: do less, or split the task."; exit 1 }
  }' "$GIT_INDEX_FILE.list"
