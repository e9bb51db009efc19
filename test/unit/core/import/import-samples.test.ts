/** Samples of each format, with its traps, and the plan that each has to become (test/fixtures/import). */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formats } from '../../../../src/core/import/dialect.ts';
import { importText, type Imported } from '../../../../src/core/import/import-text.ts';
import { planText } from '../../../../src/core/import/plan-text.ts';
import { readBack } from '../../../../src/core/import/read-back.ts';
import { parsePlan } from '../../../../src/core/plan/parse-plan.ts';

const root = 'test/fixtures/import';
const samples = formats.flatMap((format) =>
  readdirSync(join(root, format))
    .filter((name) => !name.includes('.expected.'))
    .map((name) => [format, name] as const),
);

function read(path: string): Imported {
  const bytes = readFileSync(join(root, path));
  return importText({ bytes, format: undefined, tag: undefined, beside: [] });
}

test('there are two samples of each format at least', () => {
  for (const format of formats)
    expect(samples.filter(([own]) => own === format).length, format).toBeGreaterThan(1);
});

describe.each(samples)('%s/%s', (format, name) => {
  const imported = read(`${format}/${name}`);
  const text = planText(imported.draft);

  test('is known by its content, and becomes the expected plan', async () => {
    expect([imported.format, imported.problems]).toEqual([format, []]);
    await expect(text).toMatchFileSnapshot(
      join(process.cwd(), root, format, `${name}.expected.md`),
    );
  });

  test('is read back without a doubt', () => {
    expect(readBack(text, imported.draft, 'PLAN.md')).toBeUndefined();
    const plan = parsePlan(new TextEncoder().encode(text), 'PLAN.md');
    expect([plan.problems, plan.notices, plan.ignored]).toEqual([[], [], []]);
  });

  test('tells what became of each field, and what was changed', async () => {
    const { fields, notices } = imported;
    const lines = [
      ...fields.map(
        ({ line, field, became, count }) =>
          `${line}: ${field} -> ${became ?? 'not mapped'}, ${count}`,
      ),
      ...notices.map(({ line, message }) => `${line}: ${message}`),
    ];
    const file = join(process.cwd(), root, format, `${name}.expected.txt`);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(file);
  });
});
