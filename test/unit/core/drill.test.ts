import { describe, expect, test } from 'vitest';
import { comparePictures, lostFiles } from '../../../src/core/drill.ts';
import type { Picture } from '../../../src/core/drill.ts';

const before: Picture = {
  'README.md': 'file 644 6 hello\n',
  'tool.sh': 'file 755 10 #!/bin/sh\n',
  link: 'link README.md',
  src: 'folder 755',
  '.env': 'file 600 8 TOKEN=1\n',
  'big.bin': 'file 644 1048577 digest',
  node_modules: 'folder 755',
  'node_modules/x': 'file 644 1 x',
  'common:config': 'file 644 5 core\n',
  'git:HEAD': 'file 644 21 ref: refs/heads/main\n',
  refs: 'refs/heads/main 1111\nrefs/tags/v1 2222',
  stash: '',
  index: 'H 100644 README.md\n',
  status: '!! .env\n!! big.bin\n!! node_modules/\n',
};

/** The picture with something of it replaced; undefined takes it away. */
function doctored(changes: Readonly<Record<string, string | undefined>>): Picture {
  const all = Object.entries({ ...before, ...changes });
  return Object.fromEntries(
    all.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

describe('a repository that is not as it was', () => {
  test.each([
    ['a byte', { 'README.md': 'file 644 6 hellO\n' }, /^README\.md: /],
    ['a mode', { 'tool.sh': 'file 644 10 #!/bin/sh\n' }, /^tool\.sh: "file 755/],
    ['a link', { link: 'link src' }, /^link: "link README\.md" became "link src"$/],
    ['a file that is gone', { 'README.md': undefined }, /^README\.md is gone$/],
    ['a file that was made', { new: 'file 644 1 x' }, /^new was made$/],
    ['an empty folder', { void: 'folder 755' }, /^void was made$/],
    ['a small ignored file', { '.env': 'file 600 8 TOKEN=2\n' }, /^\.env: /],
    ['the configuration', { 'common:config': 'file 644 4 bare' }, /^common:config: /],
    ['HEAD', { 'git:HEAD': 'file 644 4 1111' }, /^git:HEAD: /],
    ['a branch', { refs: 'refs/heads/main 3333\nrefs/tags/v1 2222' }, /main 1111" became .*3333/],
    ['a tag that is gone', { refs: 'refs/heads/main 1111' }, /^refs: "refs\/tags\/v1 2222" became/],
    ['the index', { index: 'S 100644 README.md\n' }, /^index: /],
    ['an untracked file', { status: `?? x\n${before['status'] ?? ''}` }, /^status: /],
  ])('is told by %s', (_, changes, said) => {
    const { differences, told } = comparePictures(before, doctored(changes));
    expect(differences).toHaveLength(1);
    expect(differences[0]).toMatch(said);
    expect(told).toEqual([]);
  });

  test('is not told by our own start tag', () => {
    const refs = `${before['refs'] ?? ''}\nrefs/tags/skeleton/plan/0000-start 1111`;
    expect(
      comparePictures({ ...before, refs: `${before['refs'] ?? ''}\n` }, doctored({ refs })),
    ).toEqual({
      differences: [],
      told: [],
    });
  });
});

describe('what is told and not undone', () => {
  test.each([
    ['a file in an ignored folder', { 'node_modules/x': 'file 644 1 y' }, 'node_modules/x'],
    ['an ignored folder that is gone', { 'node_modules/x': undefined }, 'node_modules/x'],
    ['a large ignored file', { 'big.bin': 'file 644 3 abc' }, 'big.bin'],
    [
      'a new ignored file',
      { 'new.log': 'file 644 1 x', status: `${before['status'] ?? ''}!! new.log\n` },
      'new.log',
    ],
  ])('%s', (_, changes, path) => {
    expect(comparePictures(before, doctored(changes))).toEqual({ differences: [], told: [path] });
  });

  test('a folder stays that was made for an ignored file', () => {
    const made = { d: 'folder 755', 'd/n.log': 'file 644 1 x', status: '!! d/n.log\n' };
    expect(comparePictures(before, doctored(made)).told).toEqual(['d/n.log']);
  });
});

test('a file of the vandal is lost if it is neither kept nor where it was left', () => {
  const left = [
    { path: 'kept', id: '1' },
    { path: 'still there', id: '2' },
    { path: 'lost', id: '3' },
  ];
  const now = (path: string): string | undefined => (path === 'still there' ? '2' : '9');
  expect(lostFiles(left, now, new Set(['1']))).toEqual(['lost']);
});
