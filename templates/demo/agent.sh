#!/bin/sh
# The agent of `skeleton demo`. It stands in for a real one, so that the loop can be watched without a key or a network: it
# reads its prompt on standard input, works in the current directory, and is believed by nobody. Its first try at `top`
# takes "The" and "the" for two words; it mends that only when the prompt holds what the tests said of it.
set -eu
prompt=$(cat)

told() { printf '%s\n' "$prompt" | grep -q -e "$1"; }

do_count() {
  cat >> src/words.mjs <<'CODE'

export function countWords(text) {
  return splitWords(text).length;
}
CODE
  cat > test/count.test.mjs <<'CODE'
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countWords } from '../src/words.mjs';

test('an empty text has no words', () => assert.equal(countWords(''), 0));
test('words are counted', () => assert.equal(countWords('one two, three'), 3));
CODE
}

do_top() {
  if told 'topWords ignores case'; then
    echo "The last attempt told words apart by their case: folding it."
    words='splitWords(text.toLowerCase())'
  else
    words='splitWords(text)'
  fi
  cat >> src/words.mjs <<CODE

export function topWords(text, most) {
  const counts = new Map();
  for (const word of $words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, most);
}
CODE
  cat > test/top.test.mjs <<'CODE'
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { topWords } from '../src/words.mjs';

test('topWords puts the most frequent first', () => {
  assert.deepEqual(topWords('b a b', 1), [['b', 2]]);
});
test('topWords ignores case', () => {
  assert.deepEqual(topWords('The cat and the dog', 1), [['the', 2]]);
});
CODE
}

do_command() {
  cat > src/main.mjs <<'CODE'
import { readFileSync } from 'node:fs';
import { countWords, topWords } from './words.mjs';

const text = readFileSync(0, 'utf8');
console.log(countWords(text));
for (const [word, count] of topWords(text, 5)) console.log(`${count} ${word}`);
CODE
  cat > test/command.test.mjs <<'CODE'
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

test('the command prints the number of words, then the most frequent', () => {
  const output = execFileSync(process.execPath, ['src/main.mjs'], { input: 'to be or not to be' });
  assert.equal(String(output), '6\n2 to\n2 be\n1 or\n1 not\n');
});
CODE
}

echo "Working on: $SKELETON_TASK_TITLE (attempt $SKELETON_ATTEMPT of $SKELETON_ATTEMPTS)"
case $SKELETON_TASK_ID in
  count) do_count ;;
  top) do_top ;;
  command) do_command ;;
  *)
    echo "This agent only knows the tasks of PLAN.md.example." >&2
    exit 1
    ;;
esac
