import { expect, test } from 'vitest';
import { isOwnReport } from '../../../src/report/own-report.ts';

test.each([
  ['<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>mine</title>\n'],
  ['<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="jest tests" tests="1">\n'],
  ['**bold** in a note of mine\n'],
  ['{"schema":1,"rows":[]}\n'],
  ['# Plan\n\n**1 passed** in 1s (run <code>x</code> on <code>main</code>)\n'],
])('%j is another program’s, or a person’s', (head) => {
  expect(isOwnReport(head)).toBe(false);
});
