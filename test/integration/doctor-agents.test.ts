import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { doctor } from '../../src/app/doctor.ts';
import type { DoctorLine } from '../../src/core/doctor.ts';
import { doctorData } from '../../src/report/doctor.ts';
import { startFakeModel } from '../support/fake-model.ts';
import { makeUserRepository, type UserRepository } from '../support/user-repository.ts';

/** What `skeleton doctor` says of agents, with clients on PATH that are none. */

let house: UserRepository;
beforeEach(() => {
  house = makeUserRepository();
});
afterEach(() => house.remove());

function install(program: string, script: string): void {
  house.write(join('..', 'bin', program), `#!/bin/sh\n${script}\n`);
}

interface Said {
  readonly lines: readonly DoctorLine[];
  readonly text: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

async function examine(more: NodeJS.ProcessEnv = {}, cwd = house.top): Promise<Said> {
  const PATH = [join(house.top, '..', 'bin'), '/usr/bin', '/bin'].join(delimiter);
  const env = { ...process.env, PATH, HOME: house.outside, ...more };
  const sections = (await doctor({ cwd, env })).filter(({ title }) => title === 'agents');
  const lines = sections.flatMap((section) => section.lines);
  const rows = doctorData(sections) as Said['rows'];
  return { lines, rows, text: lines.map((line) => line.text).join('\n') };
}

const rowOf = ({ rows }: Said, name: string): object | undefined =>
  rows.find((row) => row['name'] === name);

test('each that is installed: version, sign-in, how it is known, what it reports and may do', async () => {
  install('claude', '[ "$1" = auth ] && exit 1; echo "2.1.300 (Claude Code)"');
  install('aider', 'echo "aider 0.86.1"');
  const said = await examine();
  expect(said.text).toContain(
    'claude 2.1.300: not signed in (claude auth login, or set ANTHROPIC_API_KEY); run offline with 2.1.197; reports tokens and cost',
  );
  expect(said.text).toContain(
    'claude --dangerously-skip-permissions: It edits any file and runs any command that you could, without asking.',
  );
  expect(said.text).toContain('aider 0.86.1: sign-in unknown (');
  expect(said.text).toContain('known from https://aider.chat/docs/scripting.html');
  expect(said.text).toContain('several are installed: claude, aider');
  expect(said.text).toContain(
    'not installed: codex, gemini, opencode, qwen, copilot, cursor-agent,',
  );
  expect(rowOf(said, 'claude')).toMatchObject({
    ...{ version: '2.1.300', signed_in: 'no', ran_version: '2.1.197', usd: true },
    ...{ path: join(house.top, '..', 'bin', 'claude'), documentation: null },
  });
  expect(rowOf(said, 'codex')).toMatchObject({ path: null, signed_in: null, tokens: true });
  expect(said.rows.filter((row) => typeof row['name'] === 'string')).toHaveLength(13);
});

test('one that hangs holds it up for 6 s at most, and is ended', async () => {
  install('codex', `trap '' TERM; [ "$1" = login ] && exit 0; while :; do sleep 0.1; done`);
  const began = performance.now();
  const said = await examine();
  expect(performance.now() - began).toBeLessThan(9000);
  expect(said.text).toContain('codex (no version): signed in; run offline with');
  expect(said.lines[0]).toMatchObject({
    state: 'ok',
    text: 'a run here takes codex: the only one that is installed',
  });
});

test('the one that the plan names, and what keeps it from working', async () => {
  install('claude', '[ "$1" = auth ] && exit 1; echo 2');
  house.write('PLAN.md', '---\nagent: claude\npermissions: configured\n---\n- [ ] One\n');
  const said = await examine();
  expect(said.lines[0]).toMatchObject({
    state: 'problem',
    text: 'a run here would take claude, but it is not signed in: claude auth login, or set ANTHROPIC_API_KEY',
  });
  expect(said.text).toContain('claude is called without permission flags');
  const key = { ANTHROPIC_API_KEY: 'a key of the test' };
  expect((await examine(key)).lines[0]).toMatchObject({ state: 'ok' });
  house.write('PLAN.md', '---\nagent: codex\n---\n- [ ] One\n');
  expect((await examine()).lines[0]?.text).toContain('codex is not on PATH');
});

test('an endpoint is asked whether it is there', async () => {
  const model = await startFakeModel([]);
  house.write('PLAN.md', `---\nagent: {api: ${model.url}, model: m}\n---\n- [ ] One\n`);
  expect((await examine()).lines[0]).toMatchObject({ state: 'ok' });
  await model.close();
  const [line] = (await examine()).lines;
  expect(line).toMatchObject({ state: 'problem' });
  expect(line?.text).toContain('nothing answers at');
});

test('outside of a repository, the user’s own configuration', async () => {
  const file = '../outside/.config/skeleton/config.yml';
  house.write(file, 'agent_command: no-such-agent\n');
  const said = await examine({}, house.outside);
  expect(said.lines[0]).toMatchObject({ state: 'problem' });
  expect(said.lines[0]?.text).toContain("the agent's command no-such-agent is not on PATH");
  expect(rowOf(said, 'kiro')).toBeDefined();
});
