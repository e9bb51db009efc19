import { Ajv } from 'ajv';
import fc from 'fast-check';
import { join } from 'node:path';
import { format } from 'prettier';
import { describe, expect, it } from 'vitest';
import type { Config, TaskConfig } from '../../../src/core/config/config.ts';
import { configKeys, propertyOf, type Place } from '../../../src/core/config/keys.ts';
import { readProjectConfig } from '../../../src/core/config/read-config.ts';
import { configSchema } from '../../../src/core/config.ts';
import { parsePlan } from '../../../src/core/plan/parse-plan.ts';
import type { Plan, Problem } from '../../../src/core/plan/plan.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const withFront = (yaml: string): Plan =>
  parsePlan(encode(`---\n${yaml}\n---\n- [ ] a\n`), 'PLAN.md');
const told = (problems: readonly Problem[]): readonly string[] =>
  problems.map(({ line, message }) => `${line} ${message}`);

const everyKey = {
  agent: 'claude',
  agentCommand: 'claude -p',
  attempts: 3,
  timeout: 5_400_000,
  idleTimeout: 90_000,
  maxTime: 28_800_000,
  maxWait: 21_600_000,
  limit: 10,
  keepGoing: true,
  jobs: 3,
  share: [{ path: 'node_modules', how: 'symlink' }],
  failFast: false,
  autostash: true,
  branch: 'work',
  isolate: true,
  keepAwake: false,
  noGates: false,
  gates: [
    'npm test',
    {
      name: 'lint',
      run: 'npx eslint .',
      timeout: 60_000,
      only: ['src/**'],
      soft: true,
      fix: false,
      retries: 0,
    },
  ],
  gateTimeout: 900_000,
  baseline: 'require',
  tasks: 'heading-3',
  protect: ['gates/**'],
  protectNew: false,
  tests: ['test/**', 'src/**/*.test.ts'],
  setup: { run: 'npm ci', files: ['package-lock.json'] },
  maxFile: 52_428_800,
  maxLog: 10_000_000,
  keepCommits: true,
  commit: '{id}: {title}',
  prompt: 'docs/prompt.md',
  model: 'small',
  models: ['small', 'large'],
  fallback: ['codex', 'gemini'],
  permissions: 'configured',
  retry: 'continue',
  budget: { usd: 5, tokens: 2_000_000, per: 'task', reached: 'cut' },
  env: { allow: ['PATH', 'LC_*'], deny: ['AWS_*'], notSecret: ['CI_*'] },
  push: false,
  replay: true,
  pushAttempts: true,
  stagnation: 2,
  notify: [{ command: 'notify-send done' }, { webhook: '$CHAT', on: ['failed', 'refused'] }],
  onSuccess: ['skeleton pr'],
  onFailure: ['./tell.sh', 'cat > last.json'],
  stages: [
    { name: 'implement', line: 57 },
    { name: 'review', block: 'minor', line: 57 },
  ],
} satisfies Omit<Required<Config>, 'agentApi' | 'ledger' | 'remote'>;

const everyKeyWritten = `
agent: claude
agent_command: claude -p
attempts: 3
timeout: 1h30m
idle_timeout: 90s
max_time: 8h
max_wait: 6h
limit: 10
jobs: 3
share: {path: node_modules, how: symlink}
keep_going: true
fail_fast: no
autostash: on
branch: work
isolate: True
keep_awake: no
no_gates: false
gates:
  - npm test
  - name: lint
    run: npx eslint .
    timeout: 1m
    only: src/**
    soft: true
    fix: false
    retries: 0
gate_timeout: 15m
baseline: require
tasks: heading-3
protect: gates/**
protect_new: false
tests: [test/**, src/**/*.test.ts]
setup: { run: npm ci, files: package-lock.json }
max_file: 50MiB
max_log: 10MB
keep_commits: true
commit: "{id}: {title}"
prompt: docs/prompt.md
model: small
models: [small, large]
fallback: [codex, gemini]
permissions: configured
retry: continue
budget: { usd: 5, tokens: 2M, per: task, reached: cut }
env: { allow: [PATH, LC_*], deny: AWS_*, not_secret: CI_* }
push: false
replay: true
push_attempts: true
stagnation: 2
notify:
  - notify-send done
  - webhook: $CHAT
    on: [failed, refused]
on_success: skeleton pr
on_failure: [./tell.sh, cat > last.json]
stages: [implement, { name: review, block: minor }]`;

describe('the table of keys', () => {
  const namesAt = (place: Place): readonly string[] =>
    configKeys
      .filter(({ places }) => places.includes(place))
      .map(({ name }) => propertyOf(name))
      .sort();

  it('has every property of a plan’s configuration, and reads each as its type', () => {
    expect(namesAt('plan')).toEqual(Object.keys(everyKey).sort());
    const { config, problems } = withFront(everyKeyWritten.trim());
    expect(config).toEqual(everyKey);
    expect(told(problems)).toEqual(
      [
        '3 `agent` and `agent_command` exclude each other: keep one',
        '1 no task in this plan: looked for ### headings',
      ].sort(),
    );
  });

  it('has every property of a task’s', () => {
    const everyTaskKey = {
      gate: ['npm test', 'lint'],
      mayChange: ['gates/**', '.skeleton.yml'],
      allowEmpty: true,
      agent: 'codex',
      model: 'large',
      timeout: 1000,
      idleTimeout: 500,
      attempts: 1,
      stages: [
        { name: 'implement', line: 11 },
        { name: 'docs', line: 11 },
      ],
    } satisfies Required<TaskConfig>;
    expect(namesAt('task')).toEqual(Object.keys(everyTaskKey).sort());
    const fields = `gate: npm test\n  Gate: lint\n  may_change: gates/**, .skeleton.yml\n  allow empty: true
  agent: codex\n  model: large\n  timeout: 1s\n  idle-timeout: 500ms\n  attempts: 1\n  stages: implement, docs\n`;
    const { tasks, problems } = parsePlan(encode(`- [ ] a\n  ${fields}`), 'PLAN.md');
    expect(told(problems)).toEqual([]);
    expect(tasks[0]?.config).toEqual(everyTaskKey);
  });
});

describe('an agent given as a map', () => {
  it('is a command, or an endpoint', () => {
    expect(withFront('agent: { command: my-agent --quick }').config).toEqual({
      agentCommand: 'my-agent --quick',
    });
    const api = 'agent: { api: "http://127.0.0.1:11434/v1", model: m, key_env: K, tokens: 500k }';
    expect(withFront(api).config).toEqual({
      agentApi: { api: 'http://127.0.0.1:11434/v1', model: 'm', keyEnv: 'K', tokens: 500_000 },
    });
  });

  it.each([
    ['{ model: m }', 'either command or api'],
    ['{ command: a, api: "http://b" }', 'either command or api'],
    ['{ api: 127.0.0.1 }', 'an address that begins with http'],
  ])('%s is a problem', (map, word) => {
    expect(told(withFront(`agent: ${map}`).problems).join()).toContain(word);
  });
});

describe('a model', () => {
  it.each([
    'model: --dangerous',
    'models: [small, --dangerous]',
    'agent: { api: "http://b", model: -x }',
  ])('that would be an option is a problem: %s', (line) => {
    expect(told(withFront(line).problems).join()).toContain('expected a name');
  });
});

it('a password in a wrong address is not shown', () => {
  const said = told(withFront('agent: { api: "ftp://joe:PASS@host/v1" }').problems).join();
  expect(said).toContain('ftp://…@host/v1');
  expect(said).not.toMatch(/PASS|joe/);
});

describe('a budget', () => {
  it.each([
    ['5', { usd: 5 }],
    ['$0.50', { usd: 0.5 }],
    ['{ tokens: 2M }', { tokens: 2_000_000 }],
  ])('%s', (text, budget) => {
    expect(withFront(`budget: ${text}`).config.budget).toEqual(budget);
  });

  it.each(['0', '-1', 'much', '{ per: run }', '{ usd: 1, per: night }'])('%s is none', (text) => {
    expect(withFront(`budget: ${text}`).config.budget).toBeUndefined();
    expect(withFront(`budget: ${text}`).problems).not.toEqual([]);
  });
});

describe('front matter', () => {
  it.each([
    'js',
    'javascript',
    'JavaScript',
    'json',
    'coffee',
    'toml',
    'json5',
    'constructor',
    ' js',
  ])('tagged %s is refused and never evaluated', (tag) => {
    const text = `---${tag}\n{ attempts: globalThis.owned = 1 }\n---\n- [ ] a\n`;
    const plan = parsePlan(encode(text), 'PLAN.md');
    expect(told(plan.problems)).toEqual([
      `1 front matter has to be YAML, without a language tag: \`${tag.trim()}\` is not read`,
    ]);
    expect(plan.tasks).toHaveLength(1);
    expect(plan.config).toEqual({});
    expect('owned' in globalThis).toBe(false);
  });

  it.each([
    ['the tag of YAML', '---yaml\nattempts: 2\n---\n- [ ] a', { attempts: 2 }],
    ['blanks behind the fences', '---  \nattempts: 2\n---\t\n- [ ] a', { attempts: 2 }],
    ['comments', '---\n# none\n\nattempts: 2 # two\n---\n- [ ] a', { attempts: 2 }],
    ['nothing in it', '---\n---\n- [ ] a', {}],
    ['flow style', '---\n{attempts: 2}\n---\n- [ ] a', { attempts: 2 }],
    ['quotes', '---\n"attempts": \'2\'\n---\n- [ ] a', { attempts: 2 }],
    ['what YAML would make a number of', '---\nbranch: 1.10\n---\n- [ ] a', { branch: '1.10' }],
    [
      'what YAML would make a date of',
      '---\nbranch: 2026-01-29\n---\n- [ ] a',
      { branch: '2026-01-29' },
    ],
    [
      'several lines',
      '---\nagent_command: |\n  a\n  ---\n  b\n---\n- [ ] a',
      { agentCommand: 'a\n---\nb' },
    ],
    ['an agent by a map', '---\nagent:\n  command: x y\n---\n- [ ] a', { agentCommand: 'x y' }],
  ])('may have %s', (_, text, config) => {
    const plan = parsePlan(encode(text), 'PLAN.md');
    expect(told(plan.problems)).toEqual([]);
    expect(plan.config).toEqual(config);
    expect(plan.tasks).toHaveLength(1);
  });

  it.each([
    ['four dashes', '----\nattempts: 9\n---\n- [ ] a'],
    ['a thematic break', '---\n\n- [ ] a'],
    ['text between two', '---\n\n# Plan\n\nWords\n\n---\n- [ ] a'],
    ['a title between two', '---\n\n# Plan\n\n---\n- [ ] a'],
    ['a task between two', '---\n## Task 1: a\n---\n'],
    ['a fence inside', '# Plan\n\n---\nattempts: 9\n---\n- [ ] a'],
  ])('is not %s', (_, text) => {
    const plan = parsePlan(encode(text), 'PLAN.md');
    expect(told(plan.problems)).toEqual([]);
    expect(plan.config).toEqual({});
    expect(plan.tasks).toHaveLength(1);
  });

  it.each([
    ['an open list', 'agent: [unclosed', 2, 'end of the stream'],
    ['a key twice', 'attempts: 3\nattempts: 4', 3, 'duplicated'],
    ['a tab as indentation', 'gates:\n\t- a', 3, 'tab'],
    ['words', 'just text', 2, 'key: value'],
    ['a list', '- a\n- b', 2, 'key: value'],
    ['a task', '- [ ] a', 2, 'YAML'],
    ['an anchor', 'agent: &a x\nbranch: *a', 2, 'anchors'],
    ['an alias of nothing', 'agent: *a', 2, 'alias'],
    ['a tag of a type', 'attempts: !!int 3', 2, 'tag'],
    ['a tag of JavaScript', 'agent: !!js/function "x"', 2, 'tag'],
    ['the end of a document', 'attempts: 3\n...\nlimit: 1', 3, '...'],
    ['a line of dashes', 'attempts: 3\n---- \nlimit: 1', 3, '----'],
    ['too many brackets', `agent: ${'['.repeat(50_000)}`, 2, 'deep'],
    ['too many lines', '\n'.repeat(5000), 2, 'long'],
  ])('with %s is refused at its line', (_, yaml, line, says) => {
    const { problems } = withFront(yaml);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ line, message: expect.stringContaining(says) as string });
  });

  it('says the column too', () => {
    expect(withFront('agent: &a x').problems[0]).toMatchObject({ line: 2, column: 7 });
  });

  it('gives the same answer twice', () => {
    expect(withFront('agent: [x')).toEqual(withFront('agent: [x'));
  });

  it('without an end is a problem, where keys follow at once', () => {
    const plan = parsePlan(encode('---\nattempts: 3\n\n- [ ] a\n'), 'PLAN.md');
    expect(told(plan.problems)).toEqual([
      '1 front matter is not closed: put a line `---` after its last key',
    ]);
    expect(plan.tasks.map(({ line }) => line)).toEqual([4]);
  });

  it('takes a setup by its command alone', () => {
    const plan = parsePlan(encode('---\nsetup: npm ci\n---\n- [ ] a\n'), 'PLAN.md');
    expect(plan.config).toEqual({ setup: { run: 'npm ci' } });
  });

  it('that begins too late is text, with a notice', () => {
    const plan = parsePlan(encode('\n---\nattempts: 3\n---\n- [ ] a\n'), 'PLAN.md');
    expect(plan.config).toEqual({});
    expect(plan.notices.map(({ line }) => line)).toContain(2);
  });
});

describe('readProjectConfig', () => {
  it('reads .skeleton.yml, which may begin with a document marker', () => {
    expect(
      readProjectConfig(encode('# ours\n---\nattempts: 2\ngates: [a]\n'), '.skeleton.yml'),
    ).toEqual({
      config: { attempts: 2, gates: ['a'] },
      problems: [],
    });
  });

  it('knows the lines of the file', () => {
    const text = encode('\ufeffattempts: 9\r\n\r\nsandbox: 1\r\n');
    expect(readProjectConfig(text, 'sub/.skeleton.yml').problems.map(({ line }) => line)).toEqual([
      1, 3,
    ]);
  });

  it.each([
    ['.skeleton.yml', 'tasks: boxes', "belongs in the plan's front matter"],
    ['/home/x/.config/skeleton/config.yml', 'gates: [a]', "belongs in the plan's front matter"],
    ['/home/x/.config/skeleton/config.yml', 'tasks: boxes', "belongs in the plan's front matter"],
  ])('%s may not say %s', (path, text, says) => {
    const { problems } = readProjectConfig(encode(text), path);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain(says);
  });

  it.each([
    ['', []],
    ['# nothing\n', []],
    ['attempts: [', [1]],
    ['a: 1\n---\nb: 2\n', [2]],
    ['words', [1]],
  ])('reads %j', (text, lines) => {
    const { problems } = readProjectConfig(encode(text), '.skeleton.yml');
    expect(problems.map(({ line }) => line)).toEqual(lines);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), fc.string().map(encode)), (bytes) => {
        readProjectConfig(bytes, '.skeleton.yml');
      }),
    );
  });
});

describe('the JSON schema', () => {
  it('is what ships', async () => {
    const file = join(import.meta.dirname, '../../../schema/config.schema.json');
    const text = await format(JSON.stringify(configSchema()), { parser: 'json', printWidth: 100 });
    await expect(text).toMatchFileSnapshot(file);
  });

  const schema = configSchema();
  const accepts = new Ajv({ strict: true, strictRequired: false }).compile(schema);

  it('accepts what we accept', () => {
    const written = {
      ...{
        agent: { command: 'x' },
        attempts: 5,
        timeout: '1h 30m',
        max_file: '1.5GiB',
        max_log: 4096,
      },
      ...{
        gates: ['a', { run: 'b', only: ['c'], retries: 2 }],
        protect: 'd',
        setup: 'e',
        baseline: 'run',
      },
    };
    expect(accepts(written)).toBe(true);
  });

  it.each([
    [{ atempts: 3 }],
    [{ attempts: 6 }],
    [{ timeout: 30 }],
    [{ timeout: '30' }],
    [{ gates: [{ soft: true }] }],
    [{ baseline: 'never' }],
    [{ gate: 'a' }],
    [{ setup: { files: 'a' } }],
  ])('refuses %j', (written) => expect(accepts(written)).toBe(false));
});
