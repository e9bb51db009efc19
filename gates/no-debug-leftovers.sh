#!/bin/sh
# Rejects what only somebody who is debugging writes, in the lines that were added since where the attempt began
# (SKELETON_BASE, else HEAD): breakpoints, dumps, tests that run alone, notes to remove something before it is committed.
# Prints of any kind are no reason: they may be the program's output. A line of comment is none either, but for the notes.
# DEBUG_LEFTOVERS_ALSO: one more extended regular expression, for all files of code (console[.]log, say).
# DEBUG_LEFTOVERS_EXCEPT: an extended regular expression of paths that are not looked at.
# Exit status: 0 none, 1 found, 75 it could not look.
set -u

unable() { echo "no-debug-leftovers: $1" >&2; exit 75; }
for tool in git awk mktemp; do
  command -v "$tool" >/dev/null || unable "$tool is not installed"
done
base=${SKELETON_BASE:-HEAD}
git rev-parse --verify --quiet "$base^{commit}" >/dev/null || unable "$base is no commit here"
cd "$(git rev-parse --show-toplevel)" || unable 'the work tree cannot be entered'

# A copy of the index that knows of the new files too; the index itself stays as it is.
index=$(git rev-parse --git-path index)
GIT_INDEX_FILE=$(mktemp) || unable 'no room for a temporary file'
export GIT_INDEX_FILE
trap 'rm -f "$GIT_INDEX_FILE" "$GIT_INDEX_FILE.diff"' EXIT
if [ -e "$index" ]; then cp "$index" "$GIT_INDEX_FILE"; else rm "$GIT_INDEX_FILE"; fi ||
  unable 'the index cannot be copied'
git add --intent-to-add . || unable 'git add failed'
git -c core.quotePath=false diff --unified=0 --find-renames --no-color --no-ext-diff --no-textconv --src-prefix=a/ \
  --dst-prefix=b/ "$base" >"$GIT_INDEX_FILE.diff" || unable 'git diff failed'

# Bytes, not characters: a file that is no valid UTF-8 is read as well.
LC_ALL=C
export LC_ALL
DEBUG_LEFTOVERS_ALSO=${DEBUG_LEFTOVERS_ALSO:-} DEBUG_LEFTOVERS_EXCEPT=${DEBUG_LEFTOVERS_EXCEPT:-} awk '
  BEGIN {
    also = ENVIRON["DEBUG_LEFTOVERS_ALSO"]
    except = ENVIRON["DEBUG_LEFTOVERS_EXCEPT"]
    edge = "(^|[^A-Za-z0-9_.$/#\"\047])"
    js = "^[ \t]*(debugger[ \t]*;?[ \t]*$|debugger;|(it|test|describe|context|suite|specify)[.]only[ \t]*[.(]|(fit|fdescribe|fcontext)[ \t]*[(][ \t]*[\"`\047])"
    of["js"] = of["mjs"] = of["cjs"] = of["jsx"] = of["ts"] = of["mts"] = of["cts"] = of["tsx"] = js
    of["vue"] = of["svelte"] = js
    of["py"] = "^[^#\"\047]*(" edge "breakpoint[(][)]|" edge "i?pdb[.]set_trace[(]|" edge "pudb[.]set_trace[(])|^[ \t]*import +(i?pdb|pudb)([ \t;#]|$)"
    of["rb"] = of["rake"] = of["erb"] = "^[^#\"\047]*" edge "(binding[.](pry|irb|break)|byebug)([^A-Za-z0-9_]|$)"
    of["rs"] = "^([^/\"]|/[^/\"])*" edge "dbg!"
    of["php"] = "^([^/#\"\047]|/[^/\"\047])*" edge "(var_dump|xdebug_break)[ \t]*[(]"
    of["go"] = "^([^/\"]|/[^/\"])*" edge "(runtime[.]Breakpoint|spew[.]Dump)[(]"
    of["ex"] = of["exs"] = "^[^#\"]*IEx[.]pry"
    note = "(TODO|FIXME|XXX)[: ]+REMOVE|DO NOT (COMMIT|MERGE|SUBMIT)|" edge "NOCOMMIT([^A-Za-z0-9_]|$)"
    for (name in of) code[name] = 1
    split("c h cc cpp hpp cs java kt kts scala swift m mm sh bash zsh pl lua r jl dart sql css scss less html yml yaml toml", names, " ")
    for (nth in names) code[names[nth]] = 1
  }
  # The body of a hunk is counted: a line in it may look like a header.
  left > 0 {
    if ($0 ~ /^\\/) next
    left -= 1
    if ($0 !~ /^\+/) next
    look(substr($0, 2))
    line += 1
    next
  }
  /^\+\+\+ / { path = substr($0, 7); sub(/\t$/, "", path); next }
  /^@@ / {
    split($3, added, ",")
    line = substr(added[1], 2) + 0
    left = lines($2) + lines($3)
  }
  function lines(range) { return range ~ /,/ ? substr(range, index(range, ",") + 1) + 0 : 1 }
  function look(text,   kind) {
    kind = path
    sub(/^.*[.]/, "", kind)
    if (!(kind in code) || (except != "" && path ~ except)) return
    if (!((kind in of && text ~ of[kind]) || text ~ note || (also != "" && text ~ also))) return
    sub(/^[ \t]+/, "", text)
    printf "%s:%d:1: error: left over from debugging: %s\n", path, line, substr(text, 1, 120)
    found = 1
  }
  END { exit found }' "$GIT_INDEX_FILE.diff"
case $? in
  0) exit 0 ;;
  1) echo 'Take these out: they were added while debugging.'; exit 1 ;;
  *) unable 'the diff cannot be read (DEBUG_LEFTOVERS_ALSO and DEBUG_LEFTOVERS_EXCEPT are extended regular expressions)' ;;
esac
