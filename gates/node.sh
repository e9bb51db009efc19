#!/bin/sh
# Judges a Node or TypeScript project, here, by its own scripts: build, types, lint and test. Each is run where the
# project has it; `test` it must have, and at least one test must have passed. Installs nothing.
# NODE_SKIP="build types lint": steps to leave out. NODE_UNCOUNTED=accept: goes by the exit status of `test` alone,
# for a runner whose count of tests this gate cannot read.
# Exit status: 0 accepted, 1 rejected, 75 it could not judge.
# shellcheck disable=SC2317 # what `step` starts is reached
set -u

accept() { echo "node: accepted: $1"; exit 0; }
reject() { echo "node: rejected: $1"; exit 1; }
unable() { echo "node: $1"; exit 75; }

log=$(mktemp) || unable 'no room for a temporary file'
doing=start
trap 'rm -f "$log" "$log.had"' EXIT
# At a time limit: what the step has said so far, or nobody would know where it hung.
trap 'echo "node: ended in the middle of: $doing"; tail -n 40 "$log"; exit 143' HUP INT TERM

# step NAME COMMAND...: one line if it passes, all that it said if not.
failed=
step() {
  doing=$1
  shift
  [ "$doing" = test ] || case " ${NODE_SKIP:-} " in *" $doing "*) echo "$doing: left out (NODE_SKIP)"; return 0 ;; esac
  "$@" >"$log" 2>&1 </dev/null
  ended=$?
  if [ "$ended" -eq 0 ]; then echo "$doing: ok"; return 0; fi
  cat "$log"
  echo "$doing: failed, exit $ended"
  failed="${failed:+$failed, }$doing"
  return 1
}

[ -f package.json ] || reject 'there is no package.json here'
command -v node >/dev/null || reject 'node is not installed: https://nodejs.org/en/download'

# No watch mode and no new snapshots, whatever the runner.
CI=${CI:-true} NO_COLOR=1
export CI NO_COLOR
unset FORCE_COLOR

# What package.json says, a line each: its scripts, and which packages it names that are not installed.
facts=$(node -e '
  const { existsSync, readFileSync } = require("node:fs");
  const { dirname, join } = require("node:path");
  const said = JSON.parse(readFileSync("package.json", "utf8").replace(/^\uFEFF/, ""));
  const folders = [];
  for (let at = process.cwd(); ; at = dirname(at)) {
    folders.push(at);
    if (at === dirname(at)) break;
  }
  for (const name of Object.keys(said.scripts ?? {})) console.log("script " + name);
  if (said.packageManager) console.log("manager " + said.packageManager.split("@")[0]);
  for (const name of Object.keys({ ...said.dependencies, ...said.devDependencies })) {
    if (name in (said.optionalDependencies ?? {}) || existsSync(".pnp.cjs")) continue;
    if (!folders.some((at) => existsSync(join(at, "node_modules", name)))) console.log("missing " + name);
  }' 2>&1) || { printf '%s\n' "$facts"; reject 'package.json cannot be read'; }
has() { printf '%s\n' "$facts" | grep -qxF "script $1"; }

if [ -f pnpm-lock.yaml ]; then manager=pnpm install='pnpm install --frozen-lockfile'
elif [ -f yarn.lock ]; then manager=yarn install='yarn install'
elif [ -f bun.lock ] || [ -f bun.lockb ]; then manager=bun install='bun install --frozen-lockfile'
elif [ -f package-lock.json ] || [ -f npm-shrinkwrap.json ]; then manager=npm install='npm ci'
else
  manager=$(printf '%s\n' "$facts" | sed -n 's/^manager //p')
  manager=${manager:-npm}
  install="$manager install"
fi
case $manager in
  npm) get='it comes with node: https://nodejs.org/en/download' ;;
  *) get="npm install --global $manager" ;;
esac
command -v "$manager" >/dev/null || reject "$manager is not installed: $get"
missing=$(printf '%s\n' "$facts" | sed -n 's/^missing //p' | head -n 20)
if [ -n "$missing" ]; then
  # shellcheck disable=SC2086 # names of packages hold no blanks
  echo "not installed:" $missing
  reject "run: $install (or, for all judgements: setup: $install)"
fi

run_script() {
  if [ "$manager" = npm ]; then npm --silent run "$1"; else "$manager" run "$1"; fi
}

check_types() {
  if [ -f .pnp.cjs ]; then yarn tsc --noEmit --pretty false; return; fi
  # Those of this package or of the workspace around it; a global one may be of any version.
  at=$PWD
  until [ -x "$at/node_modules/.bin/tsc" ]; do
    [ -n "$at" ] || { echo 'tsc is not installed: add typescript to devDependencies'; return 1; }
    at=${at%/*}
  done
  # A tsconfig.json that only points to others checks nothing by itself.
  if grep -q '"references"' tsconfig.json; then set -- --build; else set --; fi
  # With --build it writes down what it saw, noEmit or not.
  find . -name node_modules -prune -o -name '*.tsbuildinfo' -print >"$log.had"
  "$at/node_modules/.bin/tsc" "$@" --noEmit --pretty false
  checked=$?
  find . -name node_modules -prune -o -name '*.tsbuildinfo' -print | grep -vxFf "$log.had" |
    while IFS= read -r info; do rm -f "$info"; rmdir "${info%/*}" 2>/dev/null; done
  return "$checked"
}

if has build; then step build run_script build || reject "$failed failed"; fi
for types in typecheck type-check check-types types; do
  ! has "$types" || break
done
if has "$types"; then step types run_script "$types"
elif [ -f tsconfig.json ]; then step types check_types
fi
if has lint; then step lint run_script lint; fi
has test || reject 'package.json has no test script: nothing says that this works'

# Reads the words of node --test, tape, vitest, jest, mocha, ava, bun, playwright, jasmine, karma and uvu. Only the last
# summary that counts any test is believed: what stands before it may be the output of a test.
count_tests() {
  escape=$(printf '\033')
  sed "s/$escape\\[[0-9;]*m//g" "$log" | awk '
    function number(of) { return match($0, of) ? substr($0, RSTART, RLENGTH) + 0 : 0 }
    function keep() {
      if (passed + failed + skipped > 0) { kept = 1; kept_passed = passed; kept_failed = failed; kept_skipped = skipped }
    }
    function begin() { keep(); passed = failed = skipped = 0 }
    function add(passing, failing, skipping) {
      if (!open) begin()
      known = open = here = 1; passed += passing; failed += failing; skipped += skipping
    }
    function all(passing, failing, skipping) { open = 0; add(passing, failing, skipping); open = 0 }
    function first(passing) { open = 0; add(passing, 0, 0) }
    { here = 0 }
    # node --test counts a file that holds no test as one that passed.
    /^(ok [0-9]+ -|✔) \/.*\.[cm]?[jt]sx?( \([0-9.]+ms\))?$/ { empty += 1 }
    /^(#|ℹ) tests +[0-9]+$/ { first(0); of_node = 1 }
    /^(#|ℹ) (suites|cancelled) +[0-9]+$/ && of_node { here = 1 }
    /^(#|ℹ) pass +[0-9]+$/ && of_node { add($3 - empty, 0, 0); empty = 0 }
    /^(#|ℹ) fail +[0-9]+$/ && of_node { add(0, $3, 0) }
    /^(#|ℹ) (skipped|todo) +[0-9]+$/ && of_node { add(0, 0, $3) }
    /^ *Tests:? +.*([0-9]|no tests)/ {
      all(number("[0-9]+ passed"), number("[0-9]+ failed"), number("[0-9]+ skipped") + number("[0-9]+ todo"))
    }
    /^ *[0-9]+ (passing|pass)( \(.*\))?$/ { first($1) }
    /^ *[0-9]+ (tests? )?passed( \(.*\))?$/ { add($1, 0, 0) }
    /^ *[0-9]+ (failing|fail)$/ || /^ *[0-9]+ (tests? )?failed$/ { add(0, $1, 0) }
    /^ *[0-9]+ (pending|skip)$/ || /^ *[0-9]+ (tests? )?skipped$/ { add(0, 0, $1) }
    /^[0-9]+ specs?, [0-9]+ failure/ { all($1 - $3 - number("[0-9]+ pending"), $3, number("[0-9]+ pending")) }
    /^TOTAL: [0-9]+ SUCCESS$/ { all($2, 0, 0) }
    /^ *Passed: +[0-9]+$/ { first($2) }
    /^ *Skipped: +[0-9]+$/ { add(0, 0, $2) }
    /[Nn]o tests? (files? )?found|find any files to test/ { known = 1 }
    # Titles of failed tests may stand within a summary.
    !here && !/^(    .*)?$/ { open = of_node = 0 }
    END {
      keep()
      if (kept) print kept_passed, kept_failed, kept_skipped
      else if (known) print 0, 0, 0
    }'
}

step test run_script test
counts=$(count_tests) || unable 'the output of the tests cannot be read'
[ -z "$failed" ] || reject "$failed failed"
if [ -z "$counts" ]; then
  [ "${NODE_UNCOUNTED:-}" = accept ] && accept 'the test script ended with 0; its tests were not counted'
  tail -n 20 "$log"
  reject 'the test script ended with 0 but says nothing of tests that ran; if it is right, set NODE_UNCOUNTED=accept'
fi
# shellcheck disable=SC2086 # three numbers
set -- $counts
if [ "$2" -gt 0 ]; then cat "$log"; reject "$2 tests failed, and the test script ended with 0 all the same"; fi
if [ "$1" -gt 0 ]; then accept "$1 tests passed, $3 skipped"; fi
tail -n 20 "$log"
[ "$3" -eq 0 ] || reject "all $3 tests are skipped"
reject 'no test ran'
