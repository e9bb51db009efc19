import { expect, test } from 'vitest';
import { withholdSecret } from '../../../src/core/withhold-secret.ts';

const ends = { from: 'base', to: 'refs/skeleton/attempts/plan/a/1' };
const fileOf = (path: string, line: string): string =>
  `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${line}\n`;
const patch = [
  fileOf('a/.env', 'KEY=s3cret\rdiff --git a/x b/x s3cret'),
  fileOf('.env', 'nothing'),
  fileOf('my notes', 's3cret'),
].join('');
const failureOf = (...paths: string[]): { kind: 'secret'; paths: string[] } => ({
  kind: 'secret',
  paths,
});

test('what it says of a file with a secret gives way to the command that shows it; the others stay', () => {
  const said = withholdSecret(patch, failureOf('a/.env', 'my notes'), ends);
  expect(said).not.toContain('s3cret');
  expect(said).toContain(fileOf('.env', 'nothing'));
  expect(said).toContain(
    `diff --git a/my notes b/my notes\nwithheld: it holds a secret; git diff base ${ends.to} -- ':/my notes'\n`,
  );
});

test('where one of the files is not found, nothing is shown', () => {
  const quoted = `diff --git "a/caf\\303\\251" "b/caf\\303\\251"\n+s3cret\n`;
  expect(withholdSecret(quoted + patch, failureOf('café', '.env'), ends)).toBe(
    `withheld: it holds a secret; git diff base ${ends.to} --\n`,
  );
});

test('other failures, and a secret that only commits held, leave a patch as it is', () => {
  expect(withholdSecret(patch, { kind: 'gate-failed', paths: ['.env'] }, ends)).toBe(patch);
  expect(withholdSecret(patch, failureOf(), ends)).toBe(patch);
});
