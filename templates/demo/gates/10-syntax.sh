#!/bin/sh
# Every module parses.
cd "$(dirname "$0")/.." || exit 1
status=0
for file in src/*.mjs test/*.mjs; do
  node --check "$file" || status=1
done
exit "$status"
