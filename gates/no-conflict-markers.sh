#!/bin/sh
# Rejects merge conflict markers in the files that changed, or, where no list of them is given, in all files.
# Exit status: 0 none, 1 found, 75 it could not look.
set -u

unable() { echo "no-conflict-markers: $1" >&2; exit 75; }
for tool in git xargs; do
  command -v "$tool" >/dev/null || unable "$tool is not installed"
done
git rev-parse --is-inside-work-tree >/dev/null || unable 'not in a work tree of git'

# Status 1 of git grep means that nothing matches; only more than that is an error. -I: no binary files.
look() {
  xargs -0 sh -c '
    git --literal-pathspecs -c submodule.recurse=false grep --untracked --no-color --no-column -nIE \
      "^(<<<<<<<|>>>>>>>|[|]{7}) " -- "$@"
    [ $? -le 1 ]' sh
}

if [ -s "${SKELETON_CHANGED_FILES:-}" ]; then
  found=$(look <"$SKELETON_CHANGED_FILES") || unable 'git grep failed'
else
  found=$(printf '.\0' | look) || unable 'git grep failed'
fi

[ -n "$found" ] || exit 0
echo 'Merge conflict markers, to be resolved:'
printf '%s\n' "$found" | cut -c 1-200
exit 1
