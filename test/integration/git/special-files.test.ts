import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openWorkspace } from '../../../src/git/workspace.ts';
import {
  anAttempt,
  copyLab,
  makeFurnishedLab,
  photograph,
  someRules,
} from '../../support/git-lab.ts';
import type { Lab } from '../../support/git-lab.ts';

/** Tracked files that a whitelist ignores, with line ends that are converted. */
const whitelist = `printf '*\\n!.gitignore\\n!*.md\\n' > .gitignore
  printf '* text=auto eol=crlf\\n' > .gitattributes
  git add -f .gitattributes; git add -u; git commit -qm whitelist`;

let template: Lab;
let lab: Lab | undefined;
beforeAll(() => {
  template = makeFurnishedLab();
});
afterAll(() => {
  template.remove();
});
afterEach(() => {
  lab?.remove();
});

/** Git waits for ever at each of these once it opens it: then the test runs out of time. */
const damages = [
  ['for a tracked file', 'rm src/a.txt; mkfifo src/a.txt'],
  ['for a tracked program', 'rm tool.sh; mkfifo tool.sh'],
  ['for a folder of tracked files', 'rm -r src; mkfifo src'],
  ['beside tracked files, as ignore rules', 'mkfifo src/.gitignore'],
  ['beside tracked files, as attributes', 'mkfifo src/.gitattributes; echo x > src/a.txt'],
  ['for the attributes', 'rm -f .gitattributes; mkfifo .gitattributes; echo x > src/a.txt'],
  ['as .gitmodules', 'mkfifo .gitmodules; echo x > src/a.txt'],
  [
    'in a folder that is no longer ignored',
    'echo > .gitignore; mkfifo node_modules/.gitignore node_modules/x/.gitignore',
  ],
  [
    'in an ignored folder of a whitelist that was opened',
    "echo '!node_modules/' >> .gitignore; mkfifo node_modules/.gitignore",
  ],
] as const;

describe.each([
  ['as it is', ''],
  ['with a whitelist', whitelist],
] as const)('%s', (_, prepare) => {
  test.each(damages)('a FIFO %s', { timeout: 20_000 }, async (__, script) => {
    lab = copyLab(template);
    lab.sh(prepare);
    const workspace = await openWorkspace({ cwd: lab.top });
    const before = photograph(lab);
    await workspace.begin(anAttempt, someRules());
    lab.sh(script);
    const { kind } = await workspace.inspect(anAttempt, someRules());
    expect(kind).toBe('refused');
    const { notices } = await workspace.rollBack(anAttempt);
    expect(photograph(lab)).toEqual(before);
    expect(notices.join('\n')).toMatch(/special file .* is set aside/);
  });
});
