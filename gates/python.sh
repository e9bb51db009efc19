#!/bin/sh
# Judges a Python project, here: syntax, the linters and type checkers that it configures (ruff, flake8, mypy), and its
# tests by pytest, else by unittest. At least one test must have passed. Installs nothing.
# PYTHON_SKIP="syntax ruff flake8 mypy": steps to leave out.
# Exit status: 0 accepted, 1 rejected, 75 it could not judge.
# shellcheck disable=SC2317 # what `step` starts is reached
set -u

accept() { echo "python: accepted: $1"; exit 0; }
reject() { echo "python: rejected: $1"; exit 1; }
unable() { echo "python: $1"; exit 75; }

scratch=$(mktemp -d) || unable 'no room for a temporary folder'
log=$scratch/log
doing=start
trap 'rm -rf "$scratch"' EXIT
# At a time limit: what the step has said so far, or nobody would know where it hung.
trap 'echo "python: ended in the middle of: $doing"; tail -n 40 "$log"; exit 143' HUP INT TERM

# step NAME COMMAND...: one line if it passes, all that it said if not.
failed=
step() {
  doing=$1
  shift
  [ "$doing" = test ] || case " ${PYTHON_SKIP:-} " in *" $doing "*) echo "$doing: left out (PYTHON_SKIP)"; return 0 ;; esac
  "$@" >"$log" 2>&1 </dev/null
  ended=$?
  if [ "$ended" -eq 0 ]; then echo "$doing: ok"; return 0; fi
  cat "$log"
  echo "$doing: failed, exit $ended"
  failed="${failed:+$failed, }$doing"
  return 1
}

# No __pycache__ in the tree.
PYTHONDONTWRITEBYTECODE=1 NO_COLOR=1
export PYTHONDONTWRITEBYTECODE NO_COLOR
unset FORCE_COLOR PY_COLORS

python=
for at in .venv/bin/python venv/bin/python "${VIRTUAL_ENV:-.venv}/bin/python"; do
  if [ -x "$at" ]; then python=$at; break; fi
done
if [ -z "$python" ] && [ -f poetry.lock ]; then
  command -v poetry >/dev/null || reject 'poetry is not installed: pipx install poetry'
  # None of its own is right where poetry is told to make none.
  if python=$(poetry env info --path 2>/dev/null); then python=$python/bin/python
  else echo 'poetry has no environment of its own here (poetry install makes one): python3 is taken'
  fi
elif [ -z "$python" ] && [ -f uv.lock ]; then
  command -v uv >/dev/null || reject 'uv is not installed: pipx install uv'
  reject 'there is no .venv: run: uv sync (or, for all judgements: setup: uv sync)'
fi
# Itself, not the shim of a version manager, which takes its time at each start.
python=${python:-python3}
found=$("$python" -c 'import sys; print(sys.executable)' 2>&1) ||
  reject "$python does not start ($found): apt-get install python3"
python=$found

# Python looks into this folder first, where a file pytest.py or xml.py would be taken for the real one.
inside() { "$python" -c "import sys; sys.path[:] = [at for at in sys.path if at]
$1" "$@"; }
is_installed() { inside 'import importlib.util as u; sys.exit(not u.find_spec(sys.argv[2]))' "$1"; }
says() { [ -f "$1" ] && grep -q "$2" "$1"; }
# tool NAME ARGUMENT...: the one of that environment before any other.
tool() {
  named=$1
  shift
  if is_installed "$named"; then
    inside 'import runpy; del sys.argv[:2]; runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)' "$named" "$@"
  elif command -v "$named" >/dev/null; then "$named" "$@"
  else echo "$named is configured here but not installed: $python -m pip install $named"; return 127
  fi
}

# Broken on purpose, or not yet Python: what lies in folders of such names.
check_syntax() {
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard -- '*.py'
  else
    find . -name '*.py' ! -path '*/.*' ! -path '*/venv/*' -print0
  fi | "$python" -I -c '
import os, sys
bad = 0
for path in sorted(filter(None, map(os.fsdecode, sys.stdin.buffer.read().split(b"\0")))):
    if {"fixtures", "testdata", "templates"} & set(path.split("/")) or not os.path.isfile(path):
        continue
    try:
        compile(open(path, "rb").read(), path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        bad = 1
        line, column = getattr(error, "lineno", None) or 1, getattr(error, "offset", None) or 1
        print(path, line, column, " error: " + getattr(error, "msg", str(error)), sep=":")
sys.exit(bad)'
}
step syntax check_syntax || reject "$failed failed"

if [ -f ruff.toml ] || [ -f .ruff.toml ] || says pyproject.toml '^\[tool\.ruff'; then
  step ruff tool ruff check --no-cache --output-format concise .
fi
if [ -f .flake8 ] || says setup.cfg '^\[flake8\]' || says tox.ini '^\[flake8\]'; then
  step flake8 tool flake8 .
fi
if [ -f mypy.ini ] || [ -f .mypy.ini ] || says pyproject.toml '^\[tool\.mypy\]' || says setup.cfg '^\[mypy\]'; then
  # Without a target of its own, mypy takes what its configuration lists as `files`.
  if cat mypy.ini .mypy.ini pyproject.toml setup.cfg 2>/dev/null | grep -Eq '^(files|packages|modules) *='; then
    step mypy tool mypy
  else
    step mypy tool mypy .
  fi
fi

# Counted by pytest itself: its output can be turned off, and tests print what they like.
run_pytest() {
  inside '
import os, pytest, unittest
class Counts:
    passed = skipped = 0
    def pytest_runtest_logreport(self, report):
        Counts.passed += report.when == "call" and report.passed
        Counts.skipped += report.skipped
sys.path.insert(0, os.getcwd())
status = pytest.main(sys.argv[3:], plugins=[Counts()])
with open(sys.argv[2], "w") as file:
    print(Counts.passed, Counts.skipped, file=file)
sys.exit(int(status))' "$scratch/counts" -q --color=no -o cache_dir="$scratch/cache"
}

# Without a package around them, tests in a folder of their own are not found from here.
run_unittest() {
  for from in . tests test; do
    [ -d "$from" ] || continue
    rm -f "$scratch/counts"
    inside '
import os, unittest
sys.path.insert(0, os.getcwd())
result = unittest.main(None, argv=["unittest", "discover", "-s", sys.argv[3]], exit=False).result
skipped = len(result.skipped) + len(result.expectedFailures)
with open(sys.argv[2], "w") as file:
    print(max(result.testsRun - skipped, 0), skipped, file=file)
sys.exit(not result.wasSuccessful())' "$scratch/counts" "$from" >"$scratch/out" 2>&1
    ended=$?
    if grep -Eq '^Ran [1-9]' "$scratch/out"; then break; fi
  done
  cat "$scratch/out"
  return "$ended"
}

if is_installed pytest; then
  step test run_pytest
  if [ "$ended" -eq 5 ]; then reject 'no test ran: pytest found none'; fi
else
  if [ -f pytest.ini ] || [ -f conftest.py ] || says pyproject.toml '^\[tool\.pytest' || says setup.cfg '^\[tool:pytest\]' ||
    git grep -qE --untracked '^(import|from) pytest' -- '*.py' 2>/dev/null; then
    reject "pytest is not installed: $python -m pip install pytest"
  fi
  step test run_unittest
fi
[ -z "$failed" ] || reject "$failed failed"
[ -s "$scratch/counts" ] || { tail -n 20 "$log"; reject 'the tests ended with 0 before they were counted'; }
# shellcheck disable=SC2046 # two numbers
set -- $(cat "$scratch/counts")
if [ "$1" -gt 0 ]; then accept "$1 tests passed, $2 skipped"; fi
tail -n 20 "$log"
[ "$2" -eq 0 ] || reject "all $2 tests are skipped"
reject 'no test ran'
