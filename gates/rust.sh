#!/bin/sh
# Judges a Rust package or workspace, here: cargo fmt and cargo clippy where they are installed (a warning is red; without
# clippy, cargo check), and cargo test, by which at least one test must have passed.
# RUST_SKIP="fmt clippy": steps to leave out. Cargo's own variables count as always: CARGO_TARGET_DIR, CARGO_NET_OFFLINE …
# Exit status: 0 accepted, 1 rejected, 75 it could not judge (a dependency cannot be downloaded).
# shellcheck disable=SC2317 # what `step` starts is reached
set -u

accept() { echo "rust: accepted: $1"; exit 0; }
reject() { echo "rust: rejected: $1"; exit 1; }
unable() { echo "rust: $1"; exit 75; }

log=$(mktemp) || unable 'no room for a temporary file'
doing=start
trap 'rm -f "$log"' EXIT
# At a time limit: what the step has said so far, or nobody would know where it hung.
trap 'echo "rust: ended in the middle of: $doing"; tail -n 40 "$log"; exit 143' HUP INT TERM

# step NAME COMMAND...: one line if it passes, all that it said if not.
failed=
step() {
  doing=$1
  shift
  [ "$doing" = test ] || case " ${RUST_SKIP:-} " in *" $doing "*) echo "$doing: left out (RUST_SKIP)"; return 0 ;; esac
  "$@" >"$log" 2>&1 </dev/null
  ended=$?
  if [ "$ended" -eq 0 ]; then echo "$doing: ok"; return 0; fi
  cat "$log"
  if grep -Eq 'Could not resolve host|failed to download|download of .* failed|failed to fetch|offline mode|spurious network error|--offline was specified' "$log" &&
    grep -q '^error: ' "$log" && ! grep -q '^test result: ' "$log"; then
    unable 'a dependency cannot be downloaded'
  fi
  echo "$doing: failed, exit $ended: $*"
  failed="${failed:+$failed, }$doing"
  return 1
}

[ -f Cargo.toml ] || reject 'there is no Cargo.toml here'
command -v cargo >/dev/null || reject 'cargo is not installed: https://rustup.rs, or apt-get install cargo'
cargo --version >"$log" 2>&1 || { cat "$log"; reject 'cargo does not start'; }
CARGO_TERM_COLOR=never RUST_BACKTRACE=0
export CARGO_TERM_COLOR RUST_BACKTRACE

# A lock file that the repository holds is not written to, but has to be right; one that was not there does not stay.
set --
if git ls-files --error-unmatch Cargo.lock >/dev/null 2>&1; then set -- --locked
elif [ ! -e Cargo.lock ] && ! git check-ignore --quiet Cargo.lock 2>/dev/null; then trap 'rm -f "$log" Cargo.lock' EXIT
fi

if cargo fmt --version >/dev/null 2>&1; then step fmt cargo fmt --all --check
elif [ -f rustfmt.toml ] || [ -f .rustfmt.toml ]; then reject 'rustfmt is not installed: rustup component add rustfmt'
else echo 'fmt: left out, rustfmt is not installed'
fi
if cargo clippy --version >/dev/null 2>&1; then
  step clippy cargo clippy "$@" --workspace --all-targets --quiet -- -D warnings
elif [ -f clippy.toml ] || [ -f .clippy.toml ]; then reject 'clippy is not installed: rustup component add clippy'
else
  echo 'clippy: left out, it is not installed'
  step check cargo check "$@" --workspace --all-targets --quiet
fi
step test cargo test "$@" --workspace --no-fail-fast --quiet
[ -z "$failed" ] || reject "$failed failed"

# shellcheck disable=SC2046 # two numbers
set -- $(awk '/^test result: / {
  for (at = 1; at < NF; at += 1) { if ($(at + 1) == "passed;") passed += $at; if ($(at + 1) == "ignored;") ignored += $at }
} END { print passed + 0, ignored + 0 }' "$log")
if [ "$1" -gt 0 ]; then accept "$1 tests passed, $2 ignored"; fi
[ "$2" -eq 0 ] || reject "all $2 tests are ignored"
reject 'no test ran'
