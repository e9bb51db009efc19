import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitWords } from '../src/words.mjs';

test('words are split at whatever is no letter, digit or apostrophe', () => {
  assert.deepEqual(splitWords("It's 7 o'clock; be here."), ["It's", '7', "o'clock", 'be', 'here']);
});
