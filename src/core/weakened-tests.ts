/** What an edit took from tests that were there, by the words of the usual runners: an indication, not a proof. */

interface Marker {
  readonly word: 'skipped' | 'focused';
  readonly pattern: RegExp;
}

const markers: readonly Marker[] = [
  // vitest, jest, mocha, node:test, bun, playwright
  {
    word: 'skipped',
    pattern: /\b(?:it|test|describe|context|suite|specify)\.(?:skip|todo|fixme|fails)\b/g,
  },
  { word: 'skipped', pattern: /\bx(?:it|test|describe|context|specify)\s*[.(]/g },
  { word: 'skipped', pattern: /\b(?:skip|todo)\s*:\s*(?:true|['"`])/g },
  { word: 'focused', pattern: /\b(?:it|test|describe|context|suite|specify)\.only\b/g },
  { word: 'focused', pattern: /\bf(?:it|describe|context)\s*\(/g },
  { word: 'focused', pattern: /\bonly\s*:\s*true\b/g },
  // pytest, unittest
  {
    word: 'skipped',
    pattern: /@pytest\.mark\.(?:skip|skipif|xfail)\b|\bpytest\.(?:skip|xfail)\s*\(/g,
  },
  {
    word: 'skipped',
    pattern: /@(?:unittest\.)?(?:skip(?:If|Unless)?|expectedFailure)\b|\.skipTest\s*\(/g,
  },
  // Go, Rust, JUnit, NUnit, RSpec and minitest
  { word: 'skipped', pattern: /\b[tbf]\.Skip(?:f|Now)?\s*\(/g },
  { word: 'skipped', pattern: /#\[\s*ignore\b/g },
  { word: 'skipped', pattern: /@(?:Disabled|Ignore)\b|\[Ignore\b/g },
  { word: 'skipped', pattern: /^\s*(?:skip|pending)(?:\s+['"]|\s*$|\s*\()/gm },
];

const declarations: readonly RegExp[] = [
  /\b(?:it|test|specify)(?:\.\w+)*\s*\(/g,
  /^\s*(?:async\s+)?def\s+test\w*\s*\(/gm,
  /^func\s+(?:Test|Fuzz|Example)\w*\s*\(/gm,
  /#\[(?:\w+::)?test\b/g,
  /@Test\b|\[(?:Test|Fact|Theory)\b/g,
];

/** In words, such as `2 removed, 1 skipped`; undefined where nothing of the kind shows. `now` is undefined for a deleted file. */
export function weakenedTests(before: string, now: string | undefined): string | undefined {
  const had = sum(declarations, before);
  if (now === undefined) return had > 0 ? `removed with ${had} tests` : 'removed';
  const removed = had - sum(declarations, now);
  const said = (word: Marker['word']): number => {
    const patterns = markers.filter((marker) => marker.word === word).map(({ pattern }) => pattern);
    return sum(patterns, now) - sum(patterns, before);
  };
  const parts = [
    [removed, 'removed'],
    [said('skipped'), 'skipped'],
    [said('focused'), 'focused'],
  ] as const;
  const found = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return found.length === 0 ? undefined : found.join(', ');
}

function sum(patterns: readonly RegExp[], text: string): number {
  return patterns.reduce((all, pattern) => all + (text.match(pattern)?.length ?? 0), 0);
}
