import { describe, expect, test } from 'vitest';
import { protectionIn } from '../../../src/drill/keep-protection.ts';

const keptOf = (text: string): string | undefined => protectionIn(new TextEncoder().encode(text));

describe('of the own settings a drill keeps', () => {
  test('what is protected, and nothing of how a run goes', () => {
    const text = `branch: work
max_time: 1ms
agent: nobody
no_gates: true
protect: ['*.txt', "it's"]
protect_new: false
tests: [test/**]
`;
    expect(keptOf(text)).toBe(
      'protect: ["*.txt","it\'s"]\nprotect_new: false\ntests: ["test/**"]\n',
    );
  });

  test.each(['', 'branch: work\n', 'nonsense: 5\n', 'protect: {\n', '\u0000'])(
    'no file where there is nothing of that: %j',
    (text) => {
      expect(keptOf(text)).toBe(undefined);
    },
  );

  test('what is valid beside what is not', () => {
    expect(keptOf('nonsense: 5\nprotect: [a]\n')).toBe('protect: ["a"]\n');
  });
});
