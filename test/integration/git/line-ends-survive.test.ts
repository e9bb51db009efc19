import { afterEach, expect, test } from 'vitest';
import { openWorkspace } from '../../../src/git/workspace.ts';
import {
  allFiles,
  anAttempt,
  keptBytes,
  makeLab,
  photograph,
  planBefore,
  someRules,
} from '../../support/git-lab.ts';
import type { Lab } from '../../support/git-lab.ts';

let lab: Lab;
afterEach(() => {
  lab.remove();
});

const files = {
  'lf.txt': 'one\ntwo\n',
  'crlf.txt': 'one\r\ntwo\r\n',
  'mixed.txt': 'one\ntwo\r\nthree\n',
  'binary.bin': 'a\0b\r\n\n',
};

/** A repository whose files lie there with each kind of line end, and git says that nothing changed. */
function makeLineEnds(settings: Readonly<Record<string, string>>, attributes: string): Lab {
  const made = makeLab();
  made.git('init', '-q', '-b', 'main');
  for (const [key, value] of Object.entries(settings)) made.git('config', key, value);
  if (attributes !== '') made.write('.gitattributes', attributes);
  made.write('PLAN.md', planBefore);
  for (const [name, content] of Object.entries(files)) made.write(name, content);
  made.git('add', '-A');
  made.git('commit', '-qm', 'first');
  expect(made.git('status', '--porcelain')).toBe('');
  return made;
}

const settings: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
  ['nothing converted', {}, ''],
  ['core.autocrlf true', { 'core.autocrlf': 'true', 'core.safecrlf': 'false' }, ''],
  ['core.autocrlf input', { 'core.autocrlf': 'input', 'core.safecrlf': 'false' }, ''],
  ['text=auto', { 'core.safecrlf': 'false' }, '* text=auto\n'],
  ['eol=crlf', { 'core.safecrlf': 'false' }, '*.txt text eol=crlf\n'],
  ['eol=lf', { 'core.safecrlf': 'false' }, '*.txt text eol=lf\n'],
  ['core.eol crlf', { 'core.eol': 'crlf', 'core.safecrlf': 'false' }, '* text=auto\n'],
  ['ident', {}, '*.txt ident\n'],
  [
    'a filter',
    { 'filter.up.clean': 'tr a-z A-Z', 'filter.up.smudge': 'tr A-Z a-z' },
    '*.txt filter=up\n',
  ],
];

const damages: readonly (readonly [string, string])[] = [
  ['every file edited', 'for f in *.txt; do printf "four\\n" >> $f; done'],
  ['every file deleted', 'rm *.txt *.bin'],
  ['every line end changed', "sed -i 's/\\r$//' *.txt; sed -i 's/$/\\r/' lf.txt"],
  ['line ends mixed', 'printf "one\\r\\ntwo\\n" | tee lf.txt crlf.txt mixed.txt > new.txt'],
  [
    'other attributes',
    'printf "* -text\\n" > .gitattributes; printf "x\\r\\n" > new.txt; printf "y\\r\\n" >> crlf.txt',
  ],
];

const cases = settings.flatMap((setting) =>
  damages.map((damage) => [...setting, ...damage] as const),
);

test.each(cases)('%s, %s, %s: %s', async (_, config, attributes, __, script) => {
  lab = makeLineEnds(config, attributes);
  const workspace = await openWorkspace({ cwd: lab.top });
  const before = photograph(lab);
  await workspace.begin(anAttempt, someRules());
  lab.sh(script);
  const left = allFiles(lab);
  const { snapshot } = await workspace.rollBack(anAttempt);
  expect(photograph(lab)).toEqual(before);
  const kept = keptBytes(lab, snapshot.ref);
  const now = allFiles(lab);
  expect([...left].filter(([path, bytes]) => now.get(path) !== bytes && !kept.has(bytes))).toEqual(
    [],
  );
});

test('a checkpoint leaves the bytes on disk alone, and the status clean', async () => {
  lab = makeLineEnds({ 'core.autocrlf': 'true', 'core.safecrlf': 'false' }, '');
  const workspace = await openWorkspace({ cwd: lab.top });
  const base = await workspace.begin(anAttempt, someRules());
  lab.sh('printf "new\\n" > new.txt; printf "more\\n" >> mixed.txt');
  const seen = await workspace.inspect(anAttempt, someRules());
  if (seen.kind !== 'candidate') throw new Error(JSON.stringify(seen));
  expect(await workspace.settle(anAttempt, seen.tree)).toBeUndefined();
  const commit = await workspace.commitObject(seen.tree, base, {
    subject: 'One',
    body: '',
    trailers: [],
  });
  const proofObject = await workspace.proofObject(commit, 'p', '{}');
  const proof = 'refs/skeleton/proof/plan/0001';
  await workspace.checkpoint(anAttempt, {
    commit,
    base,
    tag: 'refs/tags/skeleton/plan/0001-one',
    proof,
    proofObject,
  });
  expect(lab.read('mixed.txt')).toBe('one\ntwo\r\nthree\nmore\n');
  expect(lab.git('status', '--porcelain')).toBe('');
  // The next attempt's rollback gives these very bytes back.
  const before = photograph(lab);
  const next = { ...anAttempt, number: 2 };
  await workspace.begin(next, someRules());
  lab.sh('echo x > new.txt; rm mixed.txt');
  await workspace.rollBack(next);
  expect(photograph(lab)).toEqual(before);
});
