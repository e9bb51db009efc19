#!/bin/sh
# Judges a project with a Makefile, here: `make all` and `make lint` where there are such targets, then `make check`, or
# else `make test`. A target that does nothing is red, and so is one that ends well but says that no test ran.
# MAKE_TARGETS="build unit": these instead, in this order, all of them needed.
# Exit status: 0 accepted, 1 rejected, 75 it could not judge.
set -u

accept() { echo "make: accepted: $1"; exit 0; }
reject() { echo "make: rejected: $1"; exit 1; }
unable() { echo "make: $1"; exit 75; }

log=$(mktemp) || unable 'no room for a temporary file'
doing=start
trap 'rm -f "$log"' EXIT
# At a time limit: what the target has said so far, or nobody would know where it hung.
trap 'echo "make: ended in the middle of: $doing"; tail -n 40 "$log"; exit 143' HUP INT TERM

[ -f GNUmakefile ] || [ -f makefile ] || [ -f Makefile ] || reject 'there is no Makefile here'
command -v make >/dev/null || reject 'make is not installed: apt-get install make'
# Messages of make in English, with the locale of the tests as it is.
LANGUAGE=en
export LANGUAGE

idle='[Nn]othing to be done for|is up to date'
# exists TARGET: there is such a target, and it does something now. One that cannot be read exists: it will say why.
exists() {
  if planned=$(make -n "$1" 2>&1); then
    [ -n "$planned" ] && ! printf '%s\n' "$planned" | grep -Eq "^make.*($idle)"
  else
    ! printf '%s\n' "$planned" | grep -Eq "No rule to make target .$1'\\.  Stop|don't know how to make $1\\."
  fi
}

# Nothing for `all` to do is well; not so for what tests.
failed=
run() {
  doing=$1
  make "$doing" >"$log" 2>&1 </dev/null
  ended=$?
  if [ "$ended" -ne 0 ]; then
    cat "$log"
    echo "make $doing: failed, exit $ended"
    failed="${failed:+$failed, }make $doing"
    return 1
  fi
  echo "make $doing: ok"
}

if [ -n "${MAKE_TARGETS:-}" ]; then
  # shellcheck disable=SC2086 # words
  set -- $MAKE_TARGETS
else
  set --
  if exists all; then set -- "$@" all; fi
  if exists lint; then set -- "$@" lint; fi
  if exists check; then set -- "$@" check
  elif exists test; then set -- "$@" test
  else reject 'there is neither a target check nor a target test that does anything'
  fi
fi
for target do
  run "$target" || [ "$target" != all ] || reject "$failed failed"
done
[ -z "$failed" ] || reject "$failed failed"
if grep -Eq "^make.*($idle)" "$log"; then
  cat "$log"
  reject "make $doing does nothing"
fi

# In the words of CTest, automake, unittest, pytest, cargo, Go, node --test, mocha, jest and Perl; other runners count as they end.
some='100% tests passed|^# PASS: +[1-9]|^Ran [1-9]|[1-9][0-9]* (passed|passing)|^ok  |^[#ℹ]+ pass +[1-9]|^Files=[1-9]|--- PASS'
none='No tests were found|^# TOTAL: +0$|^Ran 0 tests|no tests (ran|to run|found)|[Nn]o test files|(^|[^0-9])0 (passed|passing)|^[#ℹ]+ tests +0$|^Files=0'
if grep -Eq "$none" "$log" && ! grep -Eq "$some" "$log"; then
  cat "$log"
  reject "make $doing ended with 0 but no test ran"
fi
accept "make $doing ended with 0"
