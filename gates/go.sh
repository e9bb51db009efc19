#!/bin/sh
# Judges a Go module, here, or all modules of a go.work: gofmt of what changed, build, vet, golangci-lint where it is
# configured, and the tests, of which at least one must have passed.
# GO_SKIP="fmt vet lint": steps to leave out. GOFLAGS counts as always: GOFLAGS=-race, say. GO_TESTMAIN=accept: a new
# TestMain is no reason to reject, although it decides alone which tests run and what is said of them.
# Exit status: 0 accepted, 1 rejected, 75 it could not judge (a dependency cannot be downloaded).
# shellcheck disable=SC2317 # what `step` starts is reached
set -u

accept() { echo "go: accepted: $1"; exit 0; }
reject() { echo "go: rejected: $1"; exit 1; }
unable() { echo "go: $1"; exit 75; }

log=$(mktemp) || unable 'no room for a temporary file'
doing=start
trap 'rm -f "$log" "$log.files"' EXIT
# At a time limit: what the step has said so far, or nobody would know where it hung.
trap 'echo "go: ended in the middle of: $doing"; tail -n 40 "$log"; exit 143' HUP INT TERM

# step NAME COMMAND...: one line if it passes, all that it said if not.
failed=
step() {
  doing=$1
  shift
  [ "$doing" = test ] || case " ${GO_SKIP:-} " in *" $doing "*) echo "$doing: left out (GO_SKIP)"; return 0 ;; esac
  "$@" >"$log" 2>&1 </dev/null
  ended=$?
  if [ "$ended" -eq 0 ]; then echo "$doing: ok"; return 0; fi
  # What passed, and what only began, is left out.
  grep -Ev '^ *(=== (RUN|PAUSE|CONT|NAME) |--- (PASS|SKIP): |(ok|\?) .*	)|^PASS$' "$log"
  echo "$doing: failed, exit $ended"
  failed="${failed:+$failed, }$doing"
  return 1
}

[ -f go.mod ] || [ -f go.work ] || reject 'there is no go.mod here'
command -v go >/dev/null || reject 'go is not installed: https://go.dev/doc/install, or apt-get install golang-go'
set -- ./...
if [ -f go.work ]; then
  modules=$(go list -m -f '{{.Dir}}' 2>&1) || { printf '%s\n' "$modules"; reject 'go.work cannot be read'; }
  IFS='
'
  set -f --
  for module in $modules; do set -- "$@" "$module/..."; done
  set +f
  unset IFS
  [ "$#" -gt 0 ] || reject 'go.work uses no module'
fi

check_format() {
  command -v gofmt >/dev/null || { echo 'gofmt is not installed; it comes with go'; return 1; }
  if [ -s "${SKELETON_CHANGED_FILES:-}" ]; then cat "$SKELETON_CHANGED_FILES"
  elif git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard
  else find . -name '*.go' -print0
  fi >"$log.files"
  # shellcheck disable=SC2016 # for the inner shell
  bad=$(xargs -0 sh -c '
    for path do
      case /$path in */vendor/* | */testdata/*) continue ;; *.go) ;; *) continue ;; esac
      # Not its list only: a file that does not parse is on none.
      [ ! -f "$path" ] || gofmt -l "./$path" 2>&1 || exit 255
    done' sh <"$log.files" 2>&1)
  [ -n "$bad" ] || return 0
  printf '%s\n' "$bad" | sed 's|^\./\(.*\.go\)$|\1:1:1: error: not formatted: gofmt -w \1|'
  return 1
}

# One that was there before is the project's own.
new_test_mains() {
  git grep --untracked -lE '^func TestMain\(' -- '*_test.go' 2>/dev/null | while IFS= read -r path; do
    git show "$1:./$path" 2>/dev/null | grep -q '^func TestMain(' || printf '%s ' "$path"
  done
}
if [ -n "${SKELETON_BASE:-}" ] && [ "${GO_TESTMAIN:-}" != accept ]; then
  mains=$(new_test_mains "$SKELETON_BASE")
  [ -z "$mains" ] || reject "a new TestMain in $mains(it decides what runs; if it is right, set GO_TESTMAIN=accept)"
fi

# To nowhere: a program alone in its module would be left in the tree.
step build go build -o /dev/null "$@" || {
  if grep -Eq '^(go: |.*: ).*(dial tcp|no such host|i/o timeout|TLS handshake timeout|connection refused|GOPROXY=off)' "$log"; then
    unable 'a dependency cannot be downloaded'
  fi
  reject "$failed failed"
}
step fmt check_format
step vet go vet "$@"
for lint in .golangci.yml .golangci.yaml .golangci.toml .golangci.json; do
  [ -f "$lint" ] || continue
  command -v golangci-lint >/dev/null ||
    reject "$lint is here but golangci-lint is not installed: https://golangci-lint.run/docs/welcome/install"
  step lint golangci-lint run "$@"
done
# -v: what ran is seen in no other way.
step test go test -v "$@"
[ -z "$failed" ] || reject "$failed failed"

# shellcheck disable=SC2046 # two numbers
set -- $(awk '
  function close_package(name) {
    for (name in last) { if (last[name] == "PASS") passed += 1; else if (last[name] == "SKIP") skipped += 1 }
    split("", last)
  }
  # Of each test that began, what was said of it last: whatever it printed itself came before.
  /^=== RUN +[^ \/]+$/ { last[$3] = "RUN" }
  # A test may print half a line before it; the tests within one are indented.
  match($0, /(^|[^ ])--- (PASS|SKIP|FAIL): [^ ]+ \([0-9.]+s\)$/) {
    split(substr($0, RSTART), said, / +/)
    name = said[3]; verdict = said[2]
    sub(/:.*/, "", verdict)
    if (name in last) last[name] = verdict
  }
  /^(ok|FAIL|\?) .*	/ || /^(ok|FAIL)	/ { close_package() }
  END { close_package(); print passed + 0, skipped + 0 }' "$log")
if [ "$1" -gt 0 ]; then accept "$1 tests passed, $2 skipped"; fi
grep -E '^(ok|\?)|no test' "$log" | head -n 20
[ "$2" -eq 0 ] || reject "all $2 tests are skipped"
reject 'no test ran'
