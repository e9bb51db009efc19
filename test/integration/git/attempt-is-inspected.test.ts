import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openWorkspace } from '../../../src/git/workspace.ts';
import type { AttemptRules, Inspection } from '../../../src/ports.ts';
import {
  anAttempt,
  copyLab,
  makeFurnishedLab,
  planBefore,
  planTicked,
  someRules,
} from '../../support/git-lab.ts';
import type { Lab } from '../../support/git-lab.ts';

let template: Lab;
let lab: Lab;
beforeAll(() => {
  template = makeFurnishedLab();
  template.write('generated.txt', 'g\n');
  template.sh(
    'git add -f debug.log; git add -A; git commit -qm more; git rm -q --cached debug.log; git commit -qm less',
  );
});
afterAll(() => {
  template.remove();
});
afterEach(() => {
  lab.remove();
});

async function inspectAfter(script: string, rules: AttemptRules): Promise<Inspection> {
  lab = copyLab(template);
  const workspace = await openWorkspace({ cwd: lab.top });
  await workspace.begin(anAttempt, rules);
  lab.sh(script);
  return workspace.inspect(anAttempt, rules);
}

/** What the agent does, under which rules, and what it is rejected for. */
const rejections: readonly (readonly [string, string, Partial<AttemptRules>, object])[] = [
  ['nothing', ':', {}, { kind: 'no-change' }],
  ['only times', 'touch README.md', {}, { kind: 'no-change' }],
  ['only ignored files', 'echo x > .env; echo y > new.log', {}, { kind: 'no-change' }],
  ['only marks in the plan', "sed -i 's/\\[ \\]/[x]/' PLAN.md", {}, { kind: 'no-change' }],
  ['the plan rewritten', 'echo more >> PLAN.md', {}, { kind: 'tampered', paths: ['PLAN.md'] }],
  [
    'whitespace in the plan',
    "sed -i 's/Plan/Plan /' PLAN.md; echo x > new",
    {},
    { kind: 'tampered', paths: ['PLAN.md'] },
  ],
  ['the plan deleted', 'rm PLAN.md; echo x > new', {}, { kind: 'tampered', paths: ['PLAN.md'] }],
  [
    'the plan a link',
    'rm PLAN.md; ln -s README.md PLAN.md',
    {},
    { kind: 'tampered', paths: ['PLAN.md'] },
  ],
  [
    'a gate changed',
    'echo "exit 0" > gates/check.sh',
    {},
    { kind: 'tampered', paths: ['gates/check.sh'] },
  ],
  [
    'a gate added',
    'echo "exit 0" > gates/new.sh; echo x > new',
    {},
    { kind: 'tampered', paths: ['gates/new.sh'] },
  ],
  [
    'a gate of another mode',
    'chmod 644 gates/check.sh; echo x > new',
    {},
    { kind: 'tampered', paths: ['gates/check.sh'] },
  ],
  [
    'a gate of another mode that git does not see',
    'chmod 700 gates/check.sh; echo x > new',
    {},
    { kind: 'tampered', paths: ['gates/check.sh'] },
  ],
  [
    'gates deleted',
    'rm -r gates; echo x > new',
    {},
    { kind: 'tampered', paths: ['gates/check.sh'] },
  ],
  [
    'our settings',
    'echo "protect: []" > .skeleton.yml; mkdir .skeleton; echo p > .skeleton/prompt.md',
    {},
    { kind: 'tampered', paths: ['.skeleton.yml', '.skeleton/prompt.md'] },
  ],
  [
    'a protected file',
    'echo x > tests/t.sh',
    { protect: ['tests/**'] },
    { kind: 'tampered', paths: ['tests/t.sh'] },
  ],
  [
    'a protected folder by its name',
    'echo x > tests/t.sh',
    { protect: ['tests'] },
    { kind: 'tampered', paths: ['tests/t.sh'] },
  ],
  [
    'a new protected file',
    'echo x > tests/new.sh',
    { protect: ['tests/**'] },
    { kind: 'tampered', paths: ['tests/new.sh'] },
  ],
  [
    'a protected file changed where new ones are fine',
    'echo x > tests/new.sh; rm tests/t.sh',
    { protect: ['tests/**'], protectNew: false },
    { kind: 'tampered', paths: ['tests/t.sh'] },
  ],
  [
    'a protected ignored file',
    'echo x > .env; echo x > new',
    { protect: ['.env'] },
    { kind: 'tampered', paths: ['.env'] },
  ],
  [
    'a protected ignored file deleted',
    'rm .env',
    { protect: ['.env'] },
    { kind: 'tampered', paths: ['.env'] },
  ],
  [
    'a protected file in an ignored folder',
    'echo x > node_modules/x/index.js; echo x > new',
    { protect: ['node_modules/x/**'] },
    { kind: 'tampered', paths: ['node_modules/x/index.js'] },
  ],
  [
    'a protected path in a hidden folder',
    'mkdir -p .a/tests; echo x > .a/tests/t',
    { protect: ['**/tests/**'] },
    { kind: 'tampered', paths: ['.a/tests/t'] },
  ],
  [
    'tampering, committed',
    'echo x > gates/check.sh; git commit -qam x',
    {},
    { kind: 'tampered', paths: ['gates/check.sh'] },
  ],
  [
    'tampering hidden by a flag',
    'git update-index --skip-worktree gates/check.sh; echo x > gates/check.sh; echo x > new',
    {},
    { kind: 'tampered', paths: ['gates/check.sh'] },
  ],
  ['a FIFO', 'mkfifo pipe', {}, { kind: 'unaddable', paths: ['pipe'] }],
  [
    'a FIFO named .gitignore',
    'mkdir d; mkfifo d/.gitignore',
    {},
    { kind: 'unaddable', paths: ['d/.gitignore'] },
  ],
  [
    'a FIFO in the place of the plan',
    'rm PLAN.md; mkfifo PLAN.md',
    {},
    { kind: 'unaddable', paths: ['PLAN.md'] },
  ],
  [
    'a name that git refuses',
    "echo x > 'git~1'; echo x > new",
    {},
    { kind: 'unaddable', paths: ['git~1'] },
  ],
  ['a repository', 'git init -q sub; echo x > sub/x', {}, { kind: 'nested-repo', paths: ['sub'] }],
  [
    'a repository around tracked files',
    'git init -q src; echo x > new',
    {},
    { kind: 'nested-repo', paths: ['src'] },
  ],
  [
    'a huge file',
    'head -c 3000 /dev/zero > huge',
    { maxFile: 2000 },
    { kind: 'too-large', paths: ['huge'] },
  ],
  [
    '.env no longer ignored',
    'echo > .gitignore',
    {},
    {
      kind: 'unignored',
      paths: [
        '.env',
        'big.bin',
        'debug.log',
        'logs/only.log',
        'node_modules/x/index.js',
        'src/deep/d.log',
      ],
    },
  ],
  [
    '.env committed',
    'echo "*.log\nnode_modules/\n/big.bin" > .gitignore; git add -A; git commit -qm x',
    {},
    { kind: 'unignored', paths: ['.env'] },
  ],
  [
    'odd names',
    `printf x > "gates/$(printf 'caf\\xe9\\x1b')"`,
    {},
    { kind: 'tampered', paths: ['gates/caf\\xe9\\x1b'] },
  ],
];

describe('rejected', () => {
  test.each(rejections)('%s', async (_, script, rules, failure) => {
    expect(await inspectAfter(script, someRules(rules))).toMatchObject({
      kind: 'refused',
      failure,
    });
  });
});

async function candidateAfter(
  script: string,
  rules: AttemptRules = someRules(),
): Promise<Extract<Inspection, { kind: 'candidate' }>> {
  const seen = await inspectAfter(script, rules);
  if (seen.kind !== 'candidate') throw new Error(JSON.stringify(seen));
  return seen;
}

function treeFile(tree: string, path: string): string {
  return lab.git('cat-file', 'blob', `${tree}:${path}`);
}

describe('a candidate', () => {
  test('holds what changed, and the tick, which counts as no change', async () => {
    const script = `echo x > README.md; rm src/a.txt; chmod -x tool.sh; rm link; echo l > link; mkdir d; echo n > 'd/new
line é'`;
    const { tree, changed, notices } = await candidateAfter(script);
    expect(changed).toEqual([
      { path: 'README.md', status: 'M' },
      { path: 'd/new\nline é', status: 'A' },
      { path: 'link', status: 'T' },
      { path: 'src/a.txt', status: 'D' },
      { path: 'tool.sh', status: 'M' },
    ]);
    expect(notices).toEqual([]);
    expect(treeFile(tree, 'PLAN.md')).toBe(planTicked);
    expect(lab.read('PLAN.md')).toBe(planTicked);
    const difference = lab.git('diff-tree', '-r', '--name-status', '-z', 'HEAD', tree);
    expect(difference).toBe(
      'M\0PLAN.md\0M\0README.md\0A\0d/new\nline é\0T\0link\0D\0src/a.txt\0M\0tool.sh\0',
    );
  });

  test('leaves the index of the user alone', async () => {
    const index = (): string => lab.git('ls-files', '-s', '-v');
    await candidateAfter('git ls-files -s -v > ../index; echo x > README.md; echo n > new');
    expect(index()).toBe(lab.sh('cat ../index'));
  });

  test('has the marks that the agent set put back, with a notice', async () => {
    const { tree, notices } = await candidateAfter("sed -i 's/\\[ \\]/[x]/' PLAN.md; echo x > new");
    expect(treeFile(tree, 'PLAN.md')).toBe(planTicked);
    expect(notices).toEqual(['marks that the attempt set in PLAN.md are put back']);
  });

  test('has the tick of the agent itself', async () => {
    const rules = someRules();
    const { tree } = await candidateAfter(
      "sed -i 's/\\[ \\] One/[x] One/' PLAN.md; echo x > new",
      rules,
    );
    expect(treeFile(tree, 'PLAN.md')).toBe(planTicked);
  });

  test('keeps the mode of the plan', async () => {
    const { changed } = await candidateAfter('chmod +x PLAN.md; echo x > new');
    expect(changed).toEqual([{ path: 'new', status: 'A' }]);
    expect(lab.sh('stat -c %a PLAN.md')).toBe('644\n');
  });

  test('may be empty where the task says so', async () => {
    const { tree, changed } = await candidateAfter(':', someRules({ allowEmpty: true }));
    expect(changed).toEqual([]);
    expect(treeFile(tree, 'PLAN.md')).toBe(planTicked);
  });

  test('holds a change that the task allows', async () => {
    const rules = someRules({ mayChange: ['gates/**', 'tests/t.sh'], protect: ['tests/**'] });
    const { changed } = await candidateAfter('echo x > gates/check.sh; echo y > tests/t.sh', rules);
    expect(changed.map(({ path }) => path)).toEqual(['gates/check.sh', 'tests/t.sh']);
  });

  test('ticks a plan that the task allows to be rewritten', async () => {
    const rules = someRules({ mayChange: ['PLAN.md'] });
    const { tree, changed } = await candidateAfter('printf -- "- [ ] Three\\n" >> PLAN.md', rules);
    expect(treeFile(tree, 'PLAN.md')).toBe(`${planTicked}- [ ] Three\n`);
    expect(changed).toEqual([{ path: 'PLAN.md', status: 'M' }]);
  });

  test('is refused where the tick has no place in the rewritten plan', async () => {
    const rules = someRules({ mayChange: ['PLAN.md'] });
    const seen = await inspectAfter("sed -i 's/One/Uno/' PLAN.md", rules);
    expect(seen).toMatchObject({
      kind: 'refused',
      failure: { kind: 'tampered', paths: ['PLAN.md'] },
    });
  });

  test('may add protected files where new ones are fine', async () => {
    const rules = someRules({ protect: ['tests/**'], protectNew: false });
    const { changed } = await candidateAfter('echo x > tests/new.sh', rules);
    expect(changed).toEqual([{ path: 'tests/new.sh', status: 'A' }]);
  });

  test('honours new ignore rules, and loses what the agent untracked by them', async () => {
    const { tree, changed } = await candidateAfter(
      'echo "generated.txt\ndist/" >> .gitignore; git rm -q --cached generated.txt; mkdir dist; echo d > dist/d; echo x > new',
    );
    expect(changed).toEqual([
      { path: '.gitignore', status: 'M' },
      { path: 'generated.txt', status: 'D' },
      { path: 'new', status: 'A' },
    ]);
    expect(lab.git('ls-tree', '--name-only', tree, 'generated.txt', 'dist')).toBe('');
    expect(lab.read('generated.txt')).toBe('g\n');
  });

  test('keeps tracked files that new ignore rules only match', async () => {
    const { changed } = await candidateAfter('echo "generated.txt" >> .gitignore; echo x > new');
    expect(changed.map(({ path }) => path)).toEqual(['.gitignore', 'new']);
  });

  test('has new ignored files among the gates set aside', async () => {
    const { notices } = await candidateAfter('echo evil > gates/lib.log; echo x > new');
    expect(notices.join()).toMatch(/gates\/lib\.log is new among the gates .* set aside/);
    expect(lab.sh('ls gates')).toBe('check.sh\n');
  });

  test('stands on the branch of the user, whatever the agent did to HEAD', async () => {
    const { notices } = await candidateAfter(
      'git checkout -qb theirs; echo x > new; git add -A; git commit -qm x',
    );
    expect(lab.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main\n');
    expect(notices.join()).toMatch(
      /HEAD, refs\/heads\/theirs; .*refs\/skeleton\/agent\/plan\/one\/1\//,
    );
    expect(lab.git('for-each-ref', '--format=%(refname)', 'refs/skeleton/agent')).toMatch(
      /HEAD|theirs/,
    );
    expect(lab.git('diff', '--name-only', 'HEAD')).toBe('PLAN.md\nnew\n');
  });

  test('is taken again after gates that may change it', async () => {
    lab = copyLab(template);
    const workspace = await openWorkspace({ cwd: lab.top });
    await workspace.begin(anAttempt, someRules());
    lab.write('new', 'x \n');
    await workspace.inspect(anAttempt, someRules());
    lab.write('new', 'x\n');
    const seen = await workspace.reinspect(anAttempt, someRules());
    expect(seen).toMatchObject({
      kind: 'candidate',
      changed: [{ path: 'new', status: 'A' }],
      notices: [],
    });
    if (seen.kind === 'candidate') expect(treeFile(seen.tree, 'new')).toBe('x\n');
  });
});

test('the plan is not ticked on disk where the attempt is rejected', async () => {
  await inspectAfter('echo x > gates/check.sh', someRules());
  expect(lab.read('PLAN.md')).toBe(planBefore);
});
