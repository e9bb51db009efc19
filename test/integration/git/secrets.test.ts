import { symlinkSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWorkspace } from '../../../src/git/workspace.ts';
import type { AttemptRules, Inspection, Workspace } from '../../../src/ports.ts';
import { anAttempt, makeFurnishedLab, someRules, type Lab } from '../../support/git-lab.ts';

const value = 'v4lue-of-mine';
const pem = `-----BEGIN K-----\n${'ab1+'.repeat(12)}\n${'cd2/'.repeat(12)}\n-----END K-----`;

let lab: Lab;
let workspace: Workspace;

beforeEach(async () => {
  lab = makeFurnishedLab();
  workspace = await openWorkspace({
    cwd: lab.top,
    env: {
      ...process.env,
      API_TOKEN: value,
      DEPLOY_KEY: pem,
      EDITOR_KEY: 'emacs',
      APP_PORT: value,
    },
  });
});
afterEach(() => {
  lab.remove();
});

async function inspected(
  damage: () => void,
  more: Partial<AttemptRules> = {},
): Promise<Inspection> {
  await workspace.begin(anAttempt, someRules(more));
  damage();
  return workspace.inspect(anAttempt, someRules(more));
}

function secretIn(paths: readonly string[], detail: string) {
  return { kind: 'refused', failure: { kind: 'secret', paths, detail } };
}

test('a new file with the value of a secret rejects, by path and variable', async () => {
  const seen = await inspected(() => {
    lab.write('src/new.ts', `const key = '${value}';\n`);
    lab.write('src/fine.ts', 'fine\n');
  });
  expect(seen).toMatchObject(secretIn(['src/new.ts'], 'the value of API_TOKEN'));
  expect(JSON.stringify(seen)).not.toContain(value);
});

test('so does a changed one, among other bytes and across two pieces of reading, and a link', async () => {
  const seen = await inspected(() => {
    lab.write('README.md', `${'\0'.repeat(2 ** 20 - 5)}${value}\xff`);
    symlinkSync(value, lab.path('new-link'));
  });
  expect(seen).toMatchObject(secretIn(['README.md', 'new-link'], 'the value of API_TOKEN'));
});

test('and one line of a key', async () => {
  const seen = await inspected(() => {
    lab.write('key', `${'cd2/'.repeat(12)}\n`);
  });
  expect(seen).toMatchObject(secretIn(['key'], 'the value of DEPLOY_KEY'));
});

test('what the tree held before is no finding, wherever it goes, and neither is a word', async () => {
  lab.write('config.example', `token=${value}\n`);
  lab.git('add', 'config.example');
  lab.git('commit', '--quiet', '--message=example');
  const seen = await inspected(() => {
    lab.write('copy', `${value}\nemacs\n`);
  });
  expect(seen.kind).toBe('candidate');
});

test('a file that the agent deleted or that is ignored is none', async () => {
  const seen = await inspected(() => {
    lab.write('.env', `API_TOKEN=${value}\n`);
    lab.write('new', 'fine\n');
  });
  expect(seen.kind).toBe('candidate');
});

test('with keep_commits, a value that was committed and taken away again rejects', async () => {
  const commitIt = (): void => {
    lab.write('new', `${value}\n`);
    lab.sh('git add new && git commit -q -m one && echo fine > new && git commit -q -a -m two');
  };
  const seen = await inspected(commitIt, { keepCommits: true });
  expect(seen).toMatchObject(secretIn([], 'the value of API_TOKEN, in its commits'));
});

test('so does one in the message of a commit that stays', async () => {
  const commitIt = (): void => {
    lab.sh(`echo fine > new && git add new && git commit -q -m 'with ${value}'`);
  };
  const seen = await inspected(commitIt, { keepCommits: true });
  expect(seen).toMatchObject(secretIn([], 'the value of API_TOKEN, in its commits'));
  await workspace.rollBack(anAttempt);
  expect((await inspected(commitIt)).kind).toBe('candidate');
});

test('and in its names, and the name of who committed it', async () => {
  const seen = await inspected(
    () => {
      lab.sh(
        `echo x > 'a ${value}' && git add . && git commit -qm one && git rm -q 'a ${value}' && echo f > new && git add new && git commit -qm two`,
      );
    },
    { keepCommits: true },
  );
  expect(seen).toMatchObject(secretIn([], 'the value of API_TOKEN, in its commits'));
  await workspace.rollBack(anAttempt);
  const signed = await inspected(
    () => {
      lab.sh(`echo f > new && git add new && GIT_COMMITTER_NAME='${value}' git commit -qm two`);
    },
    { keepCommits: true },
  );
  expect(signed).toMatchObject(secretIn([], 'the value of API_TOKEN, in its commits'));
});

test('a name of a new file or folder with it rejects', async () => {
  const seen = await inspected(() => {
    lab.write(`d/${value}/a`, 'fine\n');
  });
  expect(seen).toMatchObject(secretIn([`d/${value}/a`], 'the value of API_TOKEN'));
});

test('unless one like it was there', async () => {
  lab.write(`e/${value}/a`, 'fine\n');
  lab.sh('git add e && git commit -q -m e');
  const seen = await inspected(() => {
    lab.write(`e/${value}/b`, 'fine\n');
  });
  expect(seen.kind).toBe('candidate');
});

test('other spellings of it reject: JSON, and JSON in JSON', async () => {
  const seen = await inspected(() => {
    lab.write('key.json', JSON.stringify({ key: pem }));
    lab.write('twice.json', JSON.stringify(JSON.stringify({ key: pem })));
  });
  expect(seen).toMatchObject(secretIn(['key.json', 'twice.json'], 'the value of DEPLOY_KEY'));
});

test('what the configuration calls no secret rejects nothing', async () => {
  const damage = (): void => {
    lab.write('new', `${value}\n`);
  };
  expect((await inspected(damage, { notSecret: ['API_*'] })).kind).toBe('candidate');
  await workspace.rollBack(anAttempt);
  expect((await inspected(damage, { notSecret: ['API'] })).kind).toBe('refused');
});
