/** What holds for every plan, also one that nobody would write. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePlan } from '../../../src/core/plan/parse-plan.ts';
import type { Plan } from '../../../src/core/plan/plan.ts';
import { differsInMarksOnly, tick } from '../../../src/core/plan/tick.ts';

const runs = process.env['NIGHTLY'] === undefined ? 400 : 20_000;

/** Lines that mean something here, and bits that break them. */
const scraps = fc.constantFrom(
  ...['- [ ] a', '* [x] b {#b}', '1. [-] c', '- [~] d', '  - [ ] e', '\t- [X] f', '- g', '- [ ]'],
  ...['## Task 1: One', '### Task 2 — Two', '#### Step 3 - Three', '### US-004: Four', '# Title'],
  ...['## Success criteria', '## Notes', 'Text', 'More text', '    code', '', '', '', '  ', '\t'],
  ...[
    '**Depends on:** 1',
    '**ID:** x',
    '**Goal:** go',
    '**Files:**',
    '**Acceptance:**',
    '**Own:**',
  ],
  ...['  needs: a', 'needs: none', '  gate: true', '  timeout: 5m', 'timeout: x', '  needs: all'],
  ...['```', '~~~', '````', '> quote', '> - [ ] q', '---', '***', '===', '-----', '+++', '...'],
  ...['<!--', '-->', '<!-- x -->', '<!-- ✅ Task 1 completed -->', '<div>', '</div>', '<script>'],
  ...['| Task | Depends On |', '| --- | --- |', '| 1 | All |', '| 2 | — |', 'attempts: 3', 'a: [b'],
  ...['### Task 5: `<!-- ✅ Task 5 completed -->`', '### Task --> : x', '{#id}', '[P]', '$(x) `y`'],
  ...['<![CDATA[', '<?php', '- ```', '  ```', '> ```', '- <!--', '* * *', '- - [ ] h', '[r]: /u'],
);
const lineEnd = fc.constantFrom('\n', '\n', '\n', '\r\n', '\r');
const noise = fc.constantFrom(
  '',
  '',
  '',
  '',
  '\u00e9',
  '\0',
  '\u2028',
  '\ufeff',
  ' ',
  '日',
  '🎉',
  '`',
);
const line = fc.tuple(scraps, noise, lineEnd).map((parts) => parts.join(''));

function encoded(text: string, bom: boolean, raw: readonly number[]): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  return Uint8Array.from([...(bom ? [0xef, 0xbb, 0xbf] : []), ...bytes, ...raw]);
}

const soup = fc
  .tuple(
    fc.array(line, { maxLength: 40 }).map((lines) => lines.join('')),
    fc.boolean(),
    fc.array(fc.constantFrom(0xff, 0xc3, 0x80, 0x0a), { maxLength: 2 }),
  )
  .map(([text, bom, raw]) => encoded(text, bom, raw));

const anything = fc.oneof(
  soup,
  fc.uint8Array({ maxLength: 300 }),
  fc.string({ unit: 'binary' }).map((text) => new TextEncoder().encode(text)),
);

function expectSound(plan: Plan, lines: number): void {
  const ids = plan.tasks.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const task of plan.tasks) {
    expect(ids).toEqual(expect.arrayContaining([...task.needs]));
    expect(task.line).toBeLessThanOrEqual(lines);
    expect(task.id).not.toBe('');
  }
  for (const problem of [...plan.problems, ...plan.notices]) {
    expect(problem.line).toBeGreaterThanOrEqual(1);
    expect(problem.line).toBeLessThanOrEqual(lines);
  }
  const order = plan.tasks.map(({ line: at }) => at);
  expect(order).toEqual([...order].sort((a, b) => a - b));
  if (plan.tasks.length === 0) expect(plan.problems).not.toEqual([]);
}

function linesIn(bytes: Uint8Array): number {
  return new TextDecoder().decode(bytes).split(/\r\n?|\n/).length;
}

/** The bytes without any mark of a box and without markers: what ticking may not touch. */
function withoutMarks(bytes: Uint8Array): string {
  return [...bytes]
    .map((byte) => String.fromCharCode(byte))
    .join('')
    .replace(/<!-- \xe2\x9c\x85 Task [^]*? completed -->/g, '')
    .replace(/\[[^[\]]{0,4}\]/g, '[]')
    .replace(/[\r\n]+/g, '\n')
    .trimEnd();
}

describe('every plan', () => {
  it('is read without a throw, with unique ids, and lines that exist', () => {
    fc.assert(
      fc.property(anything, (bytes) => {
        expectSound(parsePlan(bytes, 'PLAN.md'), linesIn(bytes));
      }),
      { numRuns: runs },
    );
  });

  it('has exactly the ticked task done after a tick, and not a byte else changed', () => {
    fc.assert(
      fc.property(soup, fc.nat(), (bytes, choice) => {
        const before = parsePlan(bytes, 'PLAN.md');
        fc.pre(before.tasks.length > 0);
        const task = before.tasks[choice % before.tasks.length];
        const after = tick(bytes, 'PLAN.md', task?.id ?? '');
        const again = parsePlan(after, 'PLAN.md');
        expect(again.tasks.map(({ id, state }) => [id, state])).toEqual(
          before.tasks.map(({ id, state }) => [id, id === task?.id ? 'done' : state]),
        );
        expect(withoutMarks(after)).toBe(withoutMarks(bytes));
        expect(differsInMarksOnly(bytes, after)).toBe(true);
        expect(tick(after, 'PLAN.md', task?.id ?? '')).toEqual(after);
      }),
      { numRuns: runs },
    );
  });

  it('differs in more than marks where any other byte was changed', () => {
    fc.assert(
      fc.property(soup, fc.nat(), fc.constantFrom('y', '#', '[', '`'), (bytes, at, char) => {
        // What a completion marker says is the marker's own.
        fc.pre(!new TextDecoder().decode(bytes).includes('✅'));
        const text = bytes.slice();
        const places = [...text.keys()].filter((index) =>
          /[a-wz]/i.test(String.fromCharCode(text[index] ?? 0)),
        );
        fc.pre(places.length > 0);
        const place = places[at % places.length] ?? 0;
        fc.pre(text[place - 1] !== '['.charCodeAt(0));
        text[place] = char.charCodeAt(0);
        expect(differsInMarksOnly(bytes, text)).toBe(false);
      }),
      { numRuns: runs },
    );
  });
});
