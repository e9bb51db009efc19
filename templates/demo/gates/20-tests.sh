#!/bin/sh
# All tests pass, and each task has some: no test proves nothing.
cd "$(dirname "$0")/.." || exit 1
if [ -n "${SKELETON_TASK_ID:-}" ] && [ ! -e "test/$SKELETON_TASK_ID.test.mjs" ]; then
  echo "error: test/$SKELETON_TASK_ID.test.mjs is missing"
  exit 1
fi
exec node --test --test-reporter=spec test/*.test.mjs
