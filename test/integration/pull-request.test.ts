import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test, type TestContext } from 'vitest';
import { shellWord } from '../../src/core/shell-word.ts';
import { makeUserRepository, type Ended, type UserRepository } from '../support/user-repository.ts';

/** skeleton pr, with a remote behind a scripted ssh, and scripted gh and glab that note what they are called with. */

interface Called {
  readonly args: readonly string[];
  readonly input: string;
}

interface House extends UserRepository {
  readonly bare: string;
  readonly pr: (...args: readonly string[]) => Promise<Ended>;
  /** Of a program, in order; `[]` where it was never called. */
  readonly calls: (tool: 'gh' | 'glab') => readonly Called[];
  readonly onRemote: () => string;
}

const ssh = `#!/bin/sh
for last; do :; done
case "$last" in
  git-upload-pack*) exec git upload-pack "$BARE" ;;
  git-receive-pack*) exec git receive-pack "$BARE" ;;
esac
exit 9
`;

/** Notes its arguments, one a line (line ends in them as \\n), and its input; then does what it is told. */
const tool = (name: string, script: string): string => `#!/bin/sh
n=$(ls "$NOTES" | grep -c '^${name}-.*-args$')
printf '%s\\0' "$@" > "$NOTES/${name}-$n-args"
cat > "$NOTES/${name}-$n-input"
${script}
`;

const plan = `# A better parser

- [x] Read the file {#read}
- [ ] Print it, for @everyone {#print}
`;

async function aHouse(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  url: string,
  tools: Readonly<Record<string, string>>,
): Promise<House> {
  const house = makeUserRepository();
  onTestFinished(() => house.remove());
  const { outside, git } = house;
  const [bare, bin, notes] = ['bare.git', 'bin', 'notes'].map((name) => join(outside, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [bin, notes]) mkdirSync(folder);
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare]);
  for (const [name, text] of Object.entries({
    'my-ssh': ssh,
    ...Object.fromEntries(Object.entries(tools).map(([name, text]) => [name, tool(name, text)])),
  })) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
  git('remote', 'add', 'origin', url);
  git('push', '--quiet', bare, 'main:main');
  git('switch', '--quiet', '-c', 'topic/parser');
  house.write('PLAN.md', plan);
  git('add', '--all');
  git('commit', '--quiet', '--message=a plan');
  // No program of the machine's own: git alone is found there.
  const where = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const env = {
    ...{ BARE: bare, NOTES: notes, GIT_SSH_COMMAND: 'my-ssh', GIT_SSH_VARIANT: 'ssh' },
    PATH: [bin, join(where, '..'), '/usr/bin', '/bin'].join(delimiter),
    ...{ GH_HOST: '', GITLAB_HOST: '', GL_HOST: '', MY_API_KEY: 'k-8f3a9c2b7d1e4f60' },
  };
  const textOf = (name: string): string | undefined =>
    existsSync(join(notes, name)) ? readFileSync(join(notes, name), 'utf8') : undefined;
  return {
    ...house,
    bare,
    pr: (...args) => house.start(['pr', ...args], env).ended,
    calls: (name) => {
      const calls: Called[] = [];
      for (let nth = 0; ; nth += 1) {
        const args = textOf(`${name}-${nth}-args`);
        if (args === undefined) return calls;
        calls.push({
          args: args.split('\0').slice(0, -1),
          input: textOf(`${name}-${nth}-input`) ?? '',
        });
      }
    },
    onRemote: () =>
      execFileSync('git', ['-C', bare, 'for-each-ref', '--format=%(refname) %(objectname)'], {
        encoding: 'utf8',
      }).trim(),
  };
}

const noneOpen = `case "$2" in list) echo '[]' ;; *) echo https://github.com/me/app/pull/7 ;; esac`;

test.concurrent(
  'gh: the branch is pushed, and one is opened with the text on standard input',
  async (lease) => {
    const house = await aHouse(lease, 'git@github.com:me/app.git', { gh: noneOpen });
    const { status, stdout, stderr } = await house.pr('--draft');
    expect(stdout).toBe(
      'created: topic/parser into main; pushed to origin: topic/parser\nhttps://github.com/me/app/pull/7\n',
    );
    expect(status).toBe(0);
    expect(stderr).toBe('notice  PLAN.md is not finished: 1 pending of 2 tasks\n');
    expect(house.onRemote().split('\n')).toEqual([
      `refs/heads/main ${house.git('rev-parse', 'main')}`,
      `refs/heads/topic/parser ${house.git('rev-parse', 'HEAD')}`,
    ]);
    const [list, create, ...more] = house.calls('gh');
    expect(more).toEqual([]);
    expect(list).toEqual({
      args: [
        ...['pr', 'list', '--repo', 'me/app', '--head', 'topic/parser', '--state', 'open'],
        ...['--limit', '30', '--json', 'number,url,baseRefName,isCrossRepository'],
      ],
      input: '',
    });
    expect(create?.args).toEqual([
      ...['pr', 'create', '--repo', 'me/app', '--head', 'topic/parser', '--base', 'main'],
      ...['--title', 'A better parser', '--body-file', '-', '--draft'],
    ]);
    expect(create?.input).toBe(
      [
        '<code>PLAN.md</code>: **0 of 2 tasks passed**; 1 ticked; 1 pending',
        '',
        '- [x] <code>read</code> Read the file: ticked',
        '- [ ] <code>print</code> Print it, for @<!-- -->everyone: pending',
        '',
      ].join('\n'),
    );
  },
);

test.concurrent(
  'gh: an open one gets the new text, and what was pushed is not pushed again',
  async (lease) => {
    const list = JSON.stringify([
      {
        number: 3,
        url: 'https://github.com/x/app/pull/3',
        baseRefName: 'main',
        isCrossRepository: true,
      },
      {
        number: 5,
        url: 'https://github.com/me/app/pull/5',
        baseRefName: 'next',
        isCrossRepository: false,
      },
    ]);
    const house = await aHouse(lease, 'ssh://git@github.com/me/app', {
      gh: `[ "$2" != list ] || echo '${list}'`,
    });
    expect((await house.pr()).stdout).toBe(
      'updated: topic/parser into next; pushed to origin: topic/parser\nhttps://github.com/me/app/pull/5\n',
    );
    const again = await house.pr('--title', 'Another', '--base', 'main', '--json');
    expect(again.status).toBe(0);
    expect(JSON.parse(again.stdout)).toEqual({
      ...{ action: 'updated', url: 'https://github.com/me/app/pull/5', branch: 'topic/parser' },
      ...{ base: 'main', remote: 'origin', title: 'Another', pushed: [], commands: [] },
    });
    const [, first, , second] = house.calls('gh');
    expect(first?.args).toEqual(['pr', 'edit', '5', '--repo', 'me/app', '--body-file', '-']);
    expect(second?.args).toEqual([
      ...['pr', 'edit', '5', '--repo', 'me/app', '--body-file', '-'],
      ...['--title', 'Another', '--base', 'main'],
    ]);
    expect(second?.input).toContain('0 of 2 tasks passed');
  },
);

test.concurrent('glab: on a host of its own, with the text as an argument', async (lease) => {
  const script = `[ "$2" = list ] && echo '[]' || echo 'made: https://gitlab.example.com/a/b/app/-/merge_requests/2'`;
  const house = await aHouse(lease, 'git@gitlab.example.com:a/b/app.git', { glab: script });
  const { status, stdout } = await house.pr('--title', 'Mine');
  expect(stdout.split('\n')[1]).toBe('https://gitlab.example.com/a/b/app/-/merge_requests/2');
  expect(status).toBe(0);
  const repo = 'https://gitlab.example.com/a/b/app';
  const [list, create] = house.calls('glab');
  expect(list?.args).toEqual([
    ...['mr', 'list', '--repo', repo, '--source-branch', 'topic/parser'],
    ...['--per-page', '30', '--output', 'json'],
  ]);
  expect(create?.args.map((arg) => (arg.startsWith('<code>') ? 'THE TEXT' : arg))).toEqual([
    ...['mr', 'create', '--repo', repo, '--head', 'a/b/app', '--source-branch', 'topic/parser'],
    ...['--target-branch', 'main', '--title', 'Mine', '--description', 'THE TEXT', '--yes'],
  ]);
});

test.concurrent('glab: an open one is updated', async (lease) => {
  const one = {
    ...{ iid: 4, web_url: 'https://gitlab.com/me/app/-/merge_requests/4', target_branch: 'main' },
    ...{ source_project_id: 1, target_project_id: 1 },
  };
  const house = await aHouse(lease, 'git@gitlab.com:me/app.git', {
    glab: `[ "$2" != list ] || echo '${JSON.stringify([one])}'`,
  });
  expect((await house.pr()).stdout.split('\n')[1]).toBe(one.web_url);
  const [, update] = house.calls('glab');
  expect(update?.args.slice(0, 6)).toEqual([
    ...['mr', 'update', '4', '--repo', 'https://gitlab.com/me/app', '--description'],
  ]);
});

test.concurrent(
  'with neither of them, nothing is pushed, and what to run instead is exact',
  async (lease) => {
    const house = await aHouse(lease, 'git@github.com:me/app.git', {});
    const before = house.onRemote();
    const { status, stdout, stderr } = await house.pr();
    expect(status).toBe(3);
    expect(stderr).toContain('https://github.com/me/app/compare/main...topic/parser?expand=1');
    expect(house.onRemote()).toBe(before);
    const file = join(house.top, '.git/skeleton/pull-request.md');
    expect(stdout).toBe(
      `git push origin refs/heads/topic/parser:refs/heads/topic/parser\n` +
        `gh pr create --repo me/app --head topic/parser --base main --title 'A better parser' --body-file ${shellWord(file)}\n`,
    );
    expect(readFileSync(file, 'utf8')).toContain('0 of 2 tasks passed');
  },
);

test.concurrent(
  'a signed-out gh is told before anything is pushed, one that fails later after it',
  async (lease) => {
    const house = await aHouse(lease, 'git@github.com:me/app.git', {
      gh: `[ -e "$NOTES/in" ] || { echo 'not logged in' >&2; exit 4; }\n[ "$2" = list ] && echo '[]' || { echo 'no rights' >&2; exit 1; }`,
    });
    const before = house.onRemote();
    const out = await house.pr();
    expect(out.status).toBe(3);
    expect(out.stderr).toContain('gh pr list ended with 4: not logged in; nothing was pushed');
    expect(out.stderr).toContain('gh auth login --hostname github.com');
    expect(house.onRemote()).toBe(before);
    writeFileSync(join(house.outside, 'notes', 'in'), '');
    const late = await house.pr();
    expect(late.status).toBe(4);
    expect(late.stderr).toContain(
      'gh pr create ended with 1: no rights; topic/parser is pushed to origin',
    );
  },
);

test.concurrent(
  'the default branch, a detached HEAD, nothing new, no such remote or base: refused',
  async (lease) => {
    const house = await aHouse(lease, 'git@github.com:me/app.git', { gh: noneOpen });
    const refusals: readonly (readonly [readonly string[], number, string])[] = [
      [['--remote', 'fork'], 2, 'there is no remote fork; there are: origin'],
      [['--base', 'gone'], 2, 'origin has no branch gone'],
      [['--base', 'topic/parser'], 3, 'topic/parser is the base itself'],
      [['--title', ' '], 2, 'It is empty'],
    ];
    for (const [args, status, words] of refusals) {
      const end = await house.pr(...args);
      expect([end.status, end.stderr]).toEqual([status, expect.stringContaining(words)]);
    }
    house.git('switch', '--quiet', 'main');
    expect((await house.pr()).stderr).toContain('main is the default branch, which is not pushed');
    house.git('switch', '--quiet', '-c', 'empty');
    const empty = await house.pr('--plan', 'PLAN.md');
    expect([empty.status, empty.stderr]).toEqual([
      3,
      expect.stringContaining('nothing to propose'),
    ]);
    house.git('checkout', '--quiet', '--detach');
    expect((await house.pr()).stderr).toContain('HEAD is detached');
    expect(house.calls('gh')).toEqual([]);
  },
);

test.concurrent('a branch that somebody else has moved is not forced over', async (lease) => {
  const house = await aHouse(lease, 'git@github.com:me/app.git', { gh: noneOpen });
  expect((await house.pr()).status).toBe(0);
  const theirs = house.git('commit-tree', '-m', 'theirs', '-p', 'HEAD', 'HEAD^{tree}');
  house.git('push', '--quiet', house.bare, `${theirs}:refs/heads/topic/parser`);
  house.git('commit', '--quiet', '--allow-empty', '--message=mine');
  const { status, stderr } = await house.pr();
  expect(status).toBe(3);
  expect(stderr).toContain('refs/heads/topic/parser [rejected] (non-fast-forward)');
  expect(stderr).toContain('git fetch origin && git log --oneline HEAD..origin/topic/parser');
  expect(house.onRemote()).toContain(`refs/heads/topic/parser ${theirs}`);
});

test.concurrent(
  'a run, its failed task, secrets and uncommitted work; --tags takes checkpoints along',
  async (lease) => {
    const house = await aHouse(lease, 'git@github.com:me/app.git', { gh: noneOpen });
    house.write('PLAN.md', '---\nbaseline: skip\nattempts: 1\n---\n# P\n\n- [ ] One\n- [ ] Two\n');
    house.write('gates/a.sh', '#!/bin/sh\necho k-8f3a9c2b7d1e4f60; test ! -e two.txt\n');
    const agent = house.agent(`[ "$SKELETON_TASK_ID" = one ] && touch one.txt || touch two.txt`);
    expect((await house.run('run', '--agent-command', agent)).status).toBe(1);
    house.write('left.txt', 'x');
    const { status, stderr, stdout } = await house.pr('--tags');
    expect(stderr).toBe(
      'notice  PLAN.md is not finished: 1 failed of 2 tasks\nnotice  not committed, so not in it: left.txt\n',
    );
    expect(status).toBe(0);
    expect(stdout).toContain('pushed to origin: topic/parser, skeleton/plan/0000-start');
    const names = house
      .onRemote()
      .split('\n')
      .map((line) => line.split(' ')[0]);
    expect(names).toEqual([
      ...['refs/heads/main', 'refs/heads/topic/parser', 'refs/skeleton/proof/plan/0001'],
      ...['refs/tags/skeleton/plan/0000-start', 'refs/tags/skeleton/plan/0001-one'],
    ]);
    const body = house.calls('gh')[1]?.input ?? '';
    expect(body).toContain('**1 of 2 tasks passed**; **failed: <code>two</code>**');
    expect(body).toContain('- [ ] <code>two</code> Two: **failed: rejected by a.sh**');
    expect(body).toContain('### The last run');
    expect(body).toContain('[masked MY_API_KEY]');
    expect(body).not.toContain('k-8f3a9c2b7d1e4f60');
  },
);
