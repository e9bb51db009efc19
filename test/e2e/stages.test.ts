import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, type TestContext } from 'vitest';
import { makeUserRepository, type Ended, type UserRepository } from '../support/user-repository.ts';

/** The built command with tasks of several stages (docs/stages.md). */

/** Of a test that runs beside others: the house is its own, and goes with it. */
type Lease = Pick<TestContext, 'onTestFinished'>;

const whole = 'test -f code.txt && test -f docs.txt && grep -q good code.txt';
const pass = `echo '{"verdict": "pass", "findings": []}'`;
const block = (message: string, severity = 'major'): string =>
  `echo 'I looked. {"verdict": "pass", "findings": [{"file": "code.txt", "line": 1, "severity": "${severity}", "message": "${message}"}]}'`;

const working = {
  implement: 'echo good > code.txt',
  tests: 'test -f code.txt || exit 9; echo t > test.txt',
  docs: 'test -f code.txt || exit 9; echo d > docs.txt',
};

interface House extends UserRepository {
  /** `STAGE ATTEMPT`, of each step of the agent. */
  readonly calls: () => readonly string[];
}

/** An agent that does, at each stage, what a piece of shell says; `$nth` counts the steps of that stage from 1. */
function aHouse(
  { onTestFinished }: Lease,
  front: string,
  scripts: Readonly<Record<string, string>>,
  tasks = '- [ ] One {#one}\n',
): House {
  const house = makeUserRepository();
  onTestFinished(() => house.remove());
  const calls = join(house.outside, 'calls');
  const cases = Object.entries({ ...working, ...scripts })
    .map(([stage, script]) => `${stage})\n${script}\n;;`)
    .join('\n');
  const agent = house.agent(`calls='${calls.replaceAll("'", String.raw`'\''`)}'
cat > "$calls.$SKELETON_TASK_ID.$SKELETON_STAGE.prompt"
echo "$SKELETON_STAGE $SKELETON_ATTEMPT" >> "$calls"
nth=$(grep -c "^$SKELETON_STAGE " "$calls")
case $SKELETON_STAGE in
${cases}
*) exit 8 ;;
esac
`);
  house.write(
    'PLAN.md',
    `---\nbaseline: skip\nagent_command: ${JSON.stringify(agent)}\n${front}\n---\n${tasks}`,
  );
  house.write('gates/whole.sh', `#!/bin/sh\n${whole}\n`);
  return {
    ...house,
    calls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []),
  };
}

const prompt = (house: House, stage: string): string =>
  readFileSync(join(house.outside, `calls.one.${stage}.prompt`), 'utf8');

interface Told {
  readonly type: string;
  readonly [field: string]: unknown;
}
const eventsOf = ({ stdout }: Ended, type: string): readonly Told[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Told)
    .filter((event) => event.type === type);
const files = (house: House): readonly string[] =>
  house.git('ls-tree', '--name-only', 'HEAD').split('\n');
const checkpoints = (house: House): readonly string[] =>
  house.git('tag', '-l', 'skeleton/plan/*-one', 'skeleton/plan/*-two').split('\n').filter(Boolean);

const four = 'stages: [implement, tests, review, docs]';
const all = ['PLAN.md', 'README.md', 'code.txt', 'docs.txt', 'gates', 'test.txt'];

async function passed(house: House, run: Promise<Ended>): Promise<Ended> {
  const end = await run;
  expect([end.status, end.status === 0 ? '' : end.stderr]).toEqual([0, '']);
  expect(house.git('status', '--porcelain')).toBe('');
  return end;
}

describe.concurrent('stages', () => {
  test('follow one another on the same work, and end in one commit', async (lease) => {
    const house = aHouse(lease, four, { review: pass });
    const end = await passed(house, house.run('run', '--json'));
    expect(house.calls()).toEqual(['implement 1', 'tests 1', 'review 1', 'docs 1']);
    expect(files(house)).toEqual(all);
    expect(house.git('rev-list', '--count', 'skeleton/plan/0000-start..HEAD')).toBe('1');
    expect(eventsOf(end, 'attempt.started').map(({ stage }) => stage)).toMatchObject([
      { nth: 0, name: 'implement', of: 4 },
      { nth: 1, name: 'tests' },
      { nth: 2, name: 'review', reviews: 1 },
      { nth: 3, name: 'docs' },
    ]);
    expect(prompt(house, 'review')).toContain('+good');
    expect(prompt(house, 'review')).not.toContain('PLAN.md b/PLAN.md');
    expect(prompt(house, 'review')).toContain('"verdict": "pass" | "block"');
    expect((await house.run('verify')).status).toBe(0);
    expect((await house.run('log')).stdout).toMatch(/one#3 review .*done/);
  });

  test('are judged by their own gates, charged, and begin again from the work before them', async (lease) => {
    const gate = '{ name: own, run: "test $SKELETON_STAGE = tests && grep -q two test.txt" }';
    const house = aHouse(lease, `stages: [implement, { name: tests, gates: [${gate}] }, docs]`, {
      tests:
        'test ! -f test.txt || exit 9; [ $nth = 1 ] && echo one > test.txt || echo two > test.txt',
    });
    const end = await passed(house, house.run('run', '--json'));
    expect(house.calls()).toEqual(['implement 1', 'tests 1', 'tests 2', 'docs 2']);
    expect(eventsOf(end, 'gate.finished').map(({ name, verdict }) => [name, verdict])).toEqual([
      ['own', 'fail'],
      ['own', 'pass'],
      ['whole.sh', 'pass'],
    ]);
  });

  test('are judged by their own gates with `setup:` too', async (lease) => {
    const house = aHouse(
      lease,
      'setup: "true"\nstages: [{ name: implement, gates: [{ name: own, run: "test $SKELETON_STAGE = implement && exit 1" }] }, docs]\nattempts: 1',
      {},
    );
    const end = await house.run('run', '--json');
    expect(end.status).toBe(1);
    expect(house.calls()).toEqual(['implement 1']);
    expect(eventsOf(end, 'gate.finished').map(({ name, verdict }) => [name, verdict])).toEqual([
      ['own', 'fail'],
    ]);
  });

  test.each([
    ['{ name: implement, gates: [nope.sh] }', 'nope.sh'],
    ['{ name: implement, agent: nope }', 'no agent is called nope'],
    ['{ name: implement, gates: ["true"] }', 'it is the last one of one'],
  ])('that cannot be worked through are refused where they are read: %s', async (stage, told) => {
    const isLast = told.includes('last');
    const house = makeUserRepository();
    try {
      const own = `  - ${stage}${isLast ? '' : '\n  - docs'}`;
      const front = `baseline: skip\nagent_command: "true"\nstages:\n${own}`;
      house.write('PLAN.md', `---\n${front}\n---\n- [ ] One {#one}\n`);
      house.write('gates/whole.sh', '#!/bin/sh\ntrue\n');
      for (const command of ['check', 'run']) {
        const end = await house.run(command);
        const said = end.stdout + end.stderr;
        expect([command, end.status, said]).toEqual([command, 2, expect.stringContaining(told)]);
        expect(said).toContain('PLAN.md:5: stage implement: ');
      }
      expect(house.git('tag', '-l')).toBe('');
    } finally {
      house.remove();
    }
  });

  test('are told of the gates that judge after the last one', async (lease) => {
    const house = aHouse(lease, 'stages: [implement, docs]', {});
    await passed(house, house.run('run'));
    expect(prompt(house, 'implement')).toContain('judge the work after the last stage: whole.sh');
    expect(prompt(house, 'docs')).toContain('These gates judge the work tree when you are done');
  });

  test('of work that is too long to be read show a part, and the names of all', async (lease) => {
    const house = aHouse(lease, 'stages: [implement, review, docs]\nmax_file: 100M', {
      implement: 'echo good > code.txt; yes 123456789 | head -c 20000000 > huge.txt',
      review: `yes | head -c 20000000 > other.txt; ${pass}`,
    });
    const end = await passed(house, house.run('run', '--json'));
    const asked = prompt(house, 'review');
    expect(asked.length).toBeLessThan(250_000);
    expect(asked).toContain('+good');
    expect(asked).toMatch(/not all of the patch[^]*huge\.txt +\| +2000000 /);
    expect(asked).not.toContain('PLAN.md |');
    expect(eventsOf(end, 'notice').map(({ message }) => message)).toContain(
      'a review changes nothing: what review did to other.txt is undone',
    );
  });

  test('may have fewer attempts than the task', async (lease) => {
    const house = aHouse(lease, 'stages: [implement, { name: docs, attempts: 2 }]', {
      docs: 'exit 3',
    });
    expect((await house.run('run')).status).toBe(1);
    expect(house.calls()).toEqual(['implement 1', 'docs 1', 'docs 2']);
    expect(house.git('status', '--porcelain')).toBe('');
  });

  test('of a task are those that it names', async (lease) => {
    const house = aHouse(
      lease,
      four,
      { review: pass },
      '- [ ] One {#one}\n  stages: implement, docs\n',
    );
    await passed(house, house.run('run'));
    expect(house.calls()).toEqual(['implement 1', 'docs 1']);
  });
});

describe.concurrent('a review', () => {
  test('that finds something sends the work back, with the findings and the work itself', async (lease) => {
    const house = aHouse(lease, 'stages: [implement, review, docs]', {
      implement:
        '[ $nth = 1 ] && echo bad > code.txt || { grep -q bad code.txt && echo good > code.txt; }',
      review: `[ $nth = 1 ] && ${block('it is bad')} || ${pass}`,
    });
    const end = await passed(house, house.run('run', '--json'));
    expect(house.calls()).toEqual(['implement 1', 'review 1', 'implement 2', 'review 2', 'docs 2']);
    expect(prompt(house, 'implement')).toContain('- major code.txt:1: it is bad');
    expect(prompt(house, 'implement')).toContain('still in the work tree');
    expect(prompt(house, 'review')).toContain('What you found the last time');
    expect(eventsOf(end, 'review.finished')).toMatchObject([
      { findings: [{ file: 'code.txt', severity: 'major' }] },
      { verdict: 'pass', findings: [] },
    ]);
    const shown = (await house.run('show', 'one#2')).stdout;
    expect(shown).toContain('major code.txt:1: it is bad');
  });

  test('lets lesser findings pass, and blocks from where it is told', async (lease) => {
    const minor = block('small', 'minor');
    const house = aHouse(lease, 'stages: [implement, review, docs]', { review: minor });
    await passed(house, house.run('run'));
    const strict = aHouse(
      lease,
      'attempts: 1\nstages: [implement, { name: review, block: minor }]',
      {
        review: minor,
      },
    );
    expect((await strict.run('run')).status).toBe(1);
  });

  test('changes nothing, whatever it does to files and commits', async (lease) => {
    const house = aHouse(lease, four, {
      review: `echo spoilt > code.txt; rm test.txt; echo n > new.txt; printf x > gates/whole.sh; git add -A; git commit -qm mine; ${pass}`,
    });
    const { stderr } = await passed(house, house.run('run'));
    expect(files(house)).toEqual(all);
    expect(house.git('show', 'HEAD:code.txt')).toBe('good');
    expect(house.git('show', 'HEAD:gates/whole.sh')).toContain(whole);
    expect(stderr).toContain(
      'what review did to code.txt, gates/whole.sh, new.txt, test.txt is undone',
    );
  });

  test('may find so much no more than so often', async (lease) => {
    const house = aHouse(lease, 'stages: [implement, { name: review, rounds: 2 }]', {
      implement: 'echo "$nth" > code.txt',
      review: block('never good enough'),
    });
    const { status, stderr } = await house.run('run');
    expect([status, house.calls().length]).toEqual([1, 4]);
    expect(stderr).toContain('round 2 of 2');
  });

  test('that says the same of the same work ends the argument', async (lease) => {
    const house = aHouse(lease, 'stages: [implement, review]', {
      implement: 'echo bad > code.txt',
      review: block('it is bad'),
    });
    const { status, stderr } = await house.run('run');
    expect([status, house.calls().length]).toEqual([1, 4]);
    expect(stderr).toContain('says the same as before');
    expect(stderr).toContain('the work did not change');
  });

  test('is asked once more where it gave no verdict, and is rejected then', async (lease) => {
    const house = aHouse(lease, 'stages: [implement, review, docs]', {
      review: `case $nth in 1|2) head -c 1000000 /dev/zero | tr '\\0' a; printf '\\0{"verdict": "fine"}' ;; 3) echo none ;; *) ${pass} ;; esac`,
    });
    const end = await passed(house, house.run('run', '--json'));
    expect(house.calls()).toEqual([
      ...['implement 1', 'review 1', 'review 1', 'review 2', 'review 2', 'docs 2'],
    ]);
    expect(eventsOf(end, 'attempt.rejected')).toMatchObject([
      {
        failure: {
          kind: 'agent-error',
          detail: expect.stringContaining('no verdict: `verdict`') as string,
        },
      },
    ]);
    expect(prompt(house, 'review')).toContain('Your last answer could not be taken');
  });

  test('that comes last is followed by all gates, which send the work back to who made it', async (lease) => {
    const house = aHouse(lease, 'stages: [implement, review]', {
      implement:
        '[ $nth = 1 ] && echo good > code.txt || { test -f code.txt && echo d > docs.txt; }',
      review: pass,
    });
    const end = await passed(house, house.run('run', '--json'));
    expect(house.calls()).toEqual(['implement 1', 'review 1', 'implement 2', 'review 2']);
    expect(prompt(house, 'implement')).toContain('Gate whole.sh');
    expect(eventsOf(end, 'attempt.started').at(-1)).toMatchObject({ judge: {}, stage: { nth: 1 } });
  });

  test('cannot make a terminal or a CI do anything with what it found', async (lease) => {
    const house = aHouse(lease, 'attempts: 1\nstages: [implement, review]', {
      review: String.raw`printf '%s\n' '{"verdict": "block", "findings": [{"file": "a\u001b[31m\n::error::x", "severity": "critical", "message": "\u001b]0;t\u0007\n::set-output name=x::y\r::error::z"}]}'`,
    });
    const { ended } = house.start(['run'], { GITHUB_ACTIONS: 'true', CI: 'true' });
    const end = await ended;
    expect(end.status).toBe(1);
    for (const text of [end.stdout, end.stderr, (await house.run('show', 'one#2')).stdout]) {
      expect(text).not.toMatch(/[\u0007\u001b]\]|\u001b\[31m/);
      expect(text).not.toMatch(/^::(?:set-output|error::[xz])/m);
    }
  });
});

async function begun(path: string): Promise<void> {
  for (let tries = 0; !existsSync(path); tries += 1) {
    if (tries > 600) throw new Error(`${path} never came`);
    await sleep(50);
  }
}

describe.concurrent('a run that ends in the middle', () => {
  const stuck = (marker: string, script: string): string =>
    `[ $nth = 1 ] && { echo half > half.txt; touch "$calls.${marker}"; sleep 60; } || { ${script}; }`;
  const scripts: Readonly<Record<string, string>> = { ...working, review: pass };

  test.each(['implement', 'tests', 'review', 'docs'])(
    'killed in %s, goes on there',
    async (stage) => {
      const open: (() => void)[] = [];
      const lease: Lease = { onTestFinished: (close) => void open.push(close as () => void) };
      try {
        const house = aHouse(lease, four, {
          review: pass,
          [stage]: stuck('on', scripts[stage] ?? ''),
        });
        const { child, ended } = house.start(['run']);
        await begun(join(house.outside, 'calls.on'));
        child.kill('SIGKILL');
        await ended;
        await passed(house, house.run('run'));
        const order = ['implement', 'tests', 'review', 'docs'];
        const at = order.indexOf(stage);
        expect(house.calls()).toEqual([
          ...order.slice(0, at + 1).map((one) => `${one} 1`),
          ...order.slice(at).map((one) => `${one} 2`),
        ]);
        expect(files(house)).toEqual(all);
        expect(checkpoints(house)).toHaveLength(1);
      } finally {
        for (const close of open) close();
      }
    },
  );

  test('interrupted, goes on at the same stage and costs nothing', async (lease) => {
    const house = aHouse(lease, four, { review: pass, tests: stuck('on', working.tests) });
    const { child, ended } = house.start(['run']);
    await begun(join(house.outside, 'calls.on'));
    child.kill('SIGINT');
    expect((await ended).status).toBe(130);
    expect(house.git('status', '--porcelain')).toBe('');
    await passed(house, house.run('run'));
    expect(house.calls()).toEqual(['implement 1', 'tests 1', 'tests 1', 'review 1', 'docs 1']);
  });

  test('goes on with the work after a commit by a person, where the two go together', async (lease) => {
    const house = aHouse(lease, four, { review: pass, tests: stuck('on', working.tests) });
    const { child, ended } = house.start(['run']);
    await begun(join(house.outside, 'calls.on'));
    child.kill('SIGINT');
    await ended;
    house.write('README.md', 'hello, you\n');
    house.git('commit', '--quiet', '--all', '--message=mine');
    await passed(house, house.run('run'));
    expect(house.calls().slice(2)).toEqual(['tests 1', 'review 1', 'docs 1']);
    expect(house.git('show', 'HEAD:README.md')).toBe('hello, you');
  });

  test('begins at the first stage again where the two do not', async (lease) => {
    const house = aHouse(lease, four, {
      implement: 'echo good > code.txt; echo changed > README.md',
      review: pass,
      tests: stuck('on', working.tests),
    });
    const { child, ended } = house.start(['run']);
    await begun(join(house.outside, 'calls.on'));
    child.kill('SIGINT');
    await ended;
    house.write('README.md', 'hello, you\n');
    house.git('commit', '--quiet', '--all', '--message=mine');
    await passed(house, house.run('run'));
    expect(house.calls().slice(2)).toEqual(['implement 1', 'tests 1', 'review 1', 'docs 1']);
  });
});

describe.concurrent('a recorded run with stages', () => {
  test('is repeated without the agent, answers of reviews included', async (lease) => {
    const house = aHouse(lease, 'stages: [implement, review, docs]', {
      implement: 'echo "good $nth" > code.txt',
      review: `[ $nth = 1 ] && ${block('it is bad')} || ${pass}`,
    });
    await passed(house, house.run('run'));
    const [calls, tree] = [house.calls(), house.git('rev-parse', 'HEAD^{tree}')];
    expect((await house.run('undo')).status).toBe(0);
    await passed(house, house.run('run', '--replay'));
    expect(house.calls()).toEqual(calls);
    expect(house.git('rev-parse', 'HEAD^{tree}')).toBe(tree);
  });
});

describe.concurrent('stages beside one another', () => {
  test('of two tasks at once end as one after the other would', async (lease) => {
    const house = aHouse(
      lease,
      'jobs: 2\ngates: ["test -f $SKELETON_TASK_ID.txt"]\nstages: [implement, review]',
      { implement: 'echo x > $SKELETON_TASK_ID.txt', review: pass },
      '- [ ] One {#one}\n- [ ] Two {#two}\n  needs: none\n',
    );
    await passed(house, house.run('run'));
    expect([...house.calls()].sort()).toEqual([
      ...['implement 1', 'implement 1', 'review 1', 'review 1'],
    ]);
    expect(checkpoints(house)).toHaveLength(2);
    expect(files(house)).toEqual(expect.arrayContaining(['one.txt', 'two.txt']));
  });
});

describe.concurrent('stages that are not right', () => {
  test.each([
    ['stages: [implement, polish]', 'PLAN.md:4: `stages`: no stage polish is shipped'],
    ['stages: [review]', 'the first stage has to make something'],
    ['stages: [implement, implement]', 'implement stands twice'],
    ['stages: [implement, { name: docs, rounds: 2 }]', 'rounds: docs is no verdict stage'],
    [`stages: [${'abcdefghi'.split('').join(', ')}]`, 'expected 1 to 8 stages'],
    ['stages: [implement, { name: x, prompt: none.md }]', 'none.md is not there'],
  ])('%s', async (front, message) => {
    const open: (() => void)[] = [];
    try {
      const house = aHouse(
        { onTestFinished: (close) => void open.push(close as () => void) },
        front,
        {},
      );
      const { status, stderr } = await house.run('run');
      expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
      expect(house.calls()).toEqual([]);
      expect(house.git('tag', '-l')).toBe('');
    } finally {
      for (const close of open) close();
    }
  });
});
