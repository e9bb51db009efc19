import { describe, expect, test } from 'vitest';
import { detectCiHost } from '../../../../src/core/ci-host.ts';
import { renderAnnotation } from '../../../../src/report/ci/annotations.ts';
import { renderGateSummary, renderVerifySummary } from '../../../../src/report/ci/check-summary.ts';
import { renderGroup } from '../../../../src/report/ci/groups.ts';
import { harmless, harmlessJson } from '../../../../src/report/ci/harmless.ts';
import { renderOutputCommands, renderOutputFile } from '../../../../src/report/ci/outputs.ts';
import { chooseLook } from '../../../../src/report/style.ts';
import { commandsIn, outputsIn } from '../../../support/ci-runner.ts';
import { gate, red } from '../../../support/history.ts';

test.each([
  [{ GITHUB_ACTIONS: 'true', CI: 'true' }, 'github'],
  [{ GITLAB_CI: 'true', CI: 'true' }, 'gitlab'],
  [{ TF_BUILD: 'True' }, 'azure'],
  [{ CI: '1' }, 'generic'],
  [{ CI: 'false', GITHUB_ACTIONS: '' }, 'none'],
  [{}, 'none'],
] as const)('%j is %s', (env, host) => {
  expect(detectCiHost(env)).toBe(host);
  expect(chooseLook({ ...env, TERM: 'xterm' }, true).isLive).toBe(host === 'none');
  expect(chooseLook({ ...env, FORCE_COLOR: '1' }, false).style.good('x')).not.toBe('x');
});

describe('harmless', () => {
  const lines = [
    '::error::x',
    ' \t::error file=a::x',
    '\u00a0\u2003\u0085::set-output name=a::x',
    'a\r::error::x',
    'a\r\n::error::x',
    '\n\n::stop-commands::x',
    'see ##[error]x',
    '###[group]x',
    '::endgroup::',
  ];

  test.each(lines)('%j commands GitHub nothing', (line) => {
    expect(commandsIn(line).length).toBeGreaterThan(0);
    expect(commandsIn(harmless(line, 'github'))).toEqual([]);
  });

  test.each(['\u200b::error::x', '\u00ad\ufeff::error::x'])(
    '%j neither, where a comparison passes over what is not seen',
    (line) => expect(harmless(line, 'github')).not.toContain('::error'),
  );

  test.each(['##vso[task.x]y', 'a ##VSO[task.x]', '###vso[a]', '##[error]x'])(
    '%j commands Azure nothing',
    (line) => expect(harmless(line, 'azure')).not.toMatch(/##(?:vso)?\[/i),
  );

  test.each(['std::vector<int>', 'a: b', '## heading', 'x ::y::', '::'.padStart(3, 'x')])(
    '%j is left alone',
    (line) => {
      for (const host of ['github', 'azure', 'gitlab', 'generic', 'none'] as const)
        expect(harmless(line, host)).toBe(line);
    },
  );

  test('JSON stays the same value', () => {
    const json = JSON.stringify({ a: '##[error]x ###vso[y]', b: '::error::' });
    expect(harmlessJson(json, 'github')).not.toMatch(/##(?:vso)?\[/i);
    expect(JSON.parse(harmlessJson(json, 'azure'))).toEqual(JSON.parse(json));
  });

  test('a megabyte of blanks is read at once', () => {
    const start = performance.now();
    harmless(`${' '.repeat(1_000_000)}x`, 'github');
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

describe('annotations', () => {
  const hostile = {
    path: 'a,b:c%.ts',
    line: 3,
    column: 4,
    severity: 'error',
    title: 'x::y,z=1',
    message: '100%\nline 2\r::error::no %0A',
  } as const;

  test('on GitHub everything arrives as it was', () => {
    const line = renderAnnotation(hostile, 'github');
    expect(line).not.toMatch(/[\r\n]/);
    expect(commandsIn(line)).toEqual([
      {
        name: 'error',
        properties: { file: 'a,b:c%.ts', line: '3', col: '4', title: 'x::y,z=1' },
        data: '100%\nline 2␍::error::no %0A',
      },
    ]);
  });

  test('on Azure too', () => {
    expect(renderAnnotation({ ...hostile, path: 'a;b].ts' }, 'azure')).toBe(
      '##vso[task.logissue type=error;sourcepath=a%3Bb%5D.ts;linenumber=3;columnnumber=4;]x::y,z=1: 100%AZP25%0Aline 2␍::error::no %AZP250A',
    );
  });

  test('of no line, and where there are none', () => {
    const task = { severity: 'error', message: 'no' } as const;
    expect(renderAnnotation(task, 'github')).toBe('::error::no');
    for (const host of ['gitlab', 'generic'] as const)
      expect(renderAnnotation(task, host)).toBe('');
  });
});

describe('groups', () => {
  const group = {
    title: 'gate a%\n',
    body: 'x\u001b[31m\r\n::endgroup::\n',
    nth: 2,
    began: 5.9,
    ended: 7,
  };

  test.each([
    ['github', '::group::gate a%25␊\nx\n: :endgroup::\n::endgroup::\n'],
    ['azure', '##[group]gate a%␊\nx\n::endgroup::\n##[endgroup]\n'],
    [
      'gitlab',
      '\u001b[0Ksection_start:5:skeleton_2[collapsed=true]\r\u001b[0Kgate a%␊\nx\n::endgroup::\n\u001b[0Ksection_end:7:skeleton_2\r\u001b[0K\n',
    ],
    ['generic', 'gate a%␊\nx\n::endgroup::\n'],
  ] as const)('on %s', (host, expected) => {
    expect(renderGroup(group, host)).toBe(expected);
  });

  test('what is printed opens and closes no section of GitLab', () => {
    const body = '\u001b[0Ksection_end:7:skeleton_2\r\u001b[0K\rsection_start:1:x\r\u001b[0K';
    const [, ...lines] = renderGroup({ ...group, body }, 'gitlab').split('\n');
    expect(lines[0]).not.toMatch(/[\r\u001b]/);
  });
});

test('outputs come back from the file, line breaks and all', () => {
  const outputs = { passed: '3', 'last-checkpoint': 'a\nfailed=9\nb' };
  expect(outputsIn(renderOutputFile(outputs, 'end-1'))).toEqual(outputs);
  expect(renderOutputCommands({ passed: '1%\n' })).toEqual([
    '##vso[task.setvariable variable=passed;isOutput=true]1%AZP25%0A',
  ]);
});

describe('summaries', () => {
  test('of gates: a table, and what the red ones printed in a fence that holds', () => {
    const evil = { ...red, name: 'a|<b>`.sh', tail: '```\n</details>\n````\n@user' };
    const gates = [gate(), evil, gate({ name: 's', soft: true })];
    expect(renderGateSummary({ verdict: 'fail', status: 1, gates })).toMatchInlineSnapshot(`
      "**skeleton gate**: the gates reject this tree: a\\|&lt;b&gt;\\\`.sh \\(exit 1\\)

      | gate | verdict | ended | time |
      | --- | --- | --- | --- |
      | <code>check.sh</code> | ✅ pass | exit 0 | 0.5s |
      | <code>a\\|&lt;b&gt;\\\`.sh</code> | ❌ fail | exit 1 | 0.5s |
      | <code>s</code> | ✅ pass (soft) | exit 0 | 0.5s |

      #### <code>a\\|&lt;b&gt;\\\`.sh</code>: exit 1

      \`\`\`\`\`
      \`\`\`
      </details>
      \`\`\`\`
      @user
      \`\`\`\`\`
      "
    `);
  });

  test('of checkpoints', () => {
    const held = { checkpoint: 'skeleton/plan/0001-a', notes: [], gates: [gate()] };
    const verified = [
      { ...held, outcome: 'holds', reasons: [] } as const,
      { ...held, outcome: 'differs', reasons: ['tests.sh passed then'], gates: [red] } as const,
    ];
    expect(renderVerifySummary(verified, 1)).toMatchInlineSnapshot(`
      "**skeleton verify**: 1 held, 1 did not hold \\(exit 1\\)

      | checkpoint |  | why |
      | --- | --- | --- |
      | <code>skeleton/plan/0001-a</code> | ✅ holds |  |
      | <code>skeleton/plan/0001-a</code> | ❌ does not hold | tests.sh passed then |

      #### <code>check.sh</code> of <code>skeleton/plan/0001-a</code>: exit 1

      \`\`\`
      one
      error: two is not three
      four
      \`\`\`
      "
    `);
  });

  test('stay far below 1 MiB', () => {
    const many = Array.from({ length: 3000 }, () => ({ ...red, tail: 'x\n'.repeat(2000) }));
    const summary = renderGateSummary({ verdict: 'fail', status: 1, gates: many });
    expect(summary.length).toBeLessThan(250_000);
    expect(summary).toContain('and 2800 more');
    expect(summary).toContain('More is in the log.');
  });
});
