import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { commandOf, readProcessTable, startTimeOf } from '../../../src/exec/process-table.ts';
import { parsePs, psCommand, psStartTime } from '../../../src/exec/ps-processes.ts';
import { assertToken, chainToken, tokensOf } from '../../../src/exec/step-token.ts';

describe.runIf(process.platform === 'linux')('the table of processes', () => {
  it('holds us, as we are', () => {
    const us = readProcessTable().entries.find(({ pid }) => pid === process.pid);
    expect(us).toMatchObject({
      ppid: process.ppid,
      startTime: startTimeOf(process.pid),
      tokens: [],
    });
  });

  it('holds no kernel thread and no zombie, and nothing older than asked', async () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    const pid = child.pid ?? 0;
    const since = startTimeOf(pid) ?? '';
    const young = readProcessTable(since).entries.map((entry) => entry.pid);
    expect(young).toContain(pid);
    expect(young).not.toContain(process.pid);
    expect(readProcessTable().entries.map((entry) => entry.pid)).not.toContain(2);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(startTimeOf(pid)).toBeUndefined();
  });

  it('reads names with parentheses and line feeds', async () => {
    const name = 'a) Z 1 (b\n';
    const child = spawn('sh', ['-c', `printf '${name}' >/proc/$$/comm; echo; read line`]);
    await once(child.stdout, 'data');
    const entry = readProcessTable().entries.find(({ pid }) => pid === child.pid);
    expect(entry).toMatchObject({ ppid: process.pid, group: expect.any(Number) as unknown });
    child.stdin.end();
    await once(child, 'exit');
  });

  it('tells every token in an environment, and no other variable', async () => {
    const env = { X_SKELETON_STEP: 'no', Y: 'SKELETON_STEP=no', SKELETON_STEP: 'a/1,b/2' };
    const child = spawn('sleep', ['60'], {
      env: { ...env, PATH: process.env['PATH'] },
      stdio: 'ignore',
    });
    const entry = readProcessTable().entries.find(({ pid }) => pid === child.pid);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(entry?.tokens).toEqual(['a/1', 'b/2']);
  });

  it('names a process by its arguments, in bounds', async () => {
    const child = spawn('sh', ['-c', 'read line', 'x'.repeat(1000)]);
    const said = commandOf(child.pid ?? 0);
    child.stdin.end();
    await once(child, 'exit');
    expect(said).toBe(`sh -c read line ${'x'.repeat(1000)}`.slice(0, 200));
  });
});

describe('what ps says', () => {
  // As macOS 14 prints it: ps -axEww -o pid=,ppid=,pgid=,state=,lstart=,command=
  const output = [
    '    1     0     1 Ss   Mon Aug  4 09:12:33 2025     /sbin/launchd',
    '  512     1   512 S    Tue Sep 30 23:59:59 2025     /bin/sh -c sleep 60 PATH=/bin SKELETON_STEP=run/1 HOME=/Users/a b',
    '  513   512   512 Z    Tue Sep 30 23:59:59 2025     (sleep)',
    ' 6014   512  6014 R+   Wed Oct  1 00:00:00 2025     node x.js NOT_SKELETON_STEP=no SKELETON_STEP=run/1,run/2',
    '',
  ].join('\n');

  it('becomes entries, without zombies', () => {
    expect(parsePs(output)).toEqual([
      {
        pid: 1,
        ppid: 0,
        group: 1,
        session: undefined,
        startTime: 'Mon Aug 4 09:12:33 2025',
        tokens: [],
      },
      {
        pid: 512,
        ppid: 1,
        group: 512,
        session: undefined,
        startTime: 'Tue Sep 30 23:59:59 2025',
        tokens: ['run/1'],
      },
      {
        pid: 6014,
        ppid: 512,
        group: 6014,
        session: undefined,
        startTime: 'Wed Oct 1 00:00:00 2025',
        tokens: ['run/1', 'run/2'],
      },
    ]);
  });

  it('of one process: when it began and what it is called', () => {
    expect(psStartTime(process.pid)).toMatch(/^\w{3} \w{3} \d+ \d\d:\d\d:\d\d \d{4}$/);
    expect(psStartTime(2 ** 22 + 5)).toBeUndefined();
    expect(psCommand(process.pid)).toContain('node');
  });
});

describe('tokens', () => {
  it.each(['a', '01J/task-1/3', 'run:1@host.local#2+x_y', 'x'.repeat(200)])(
    '%s is one',
    (token) => {
      expect(() => assertToken(token)).not.toThrow();
    },
  );

  it.each(['', ' ', 'a b', 'a,b', 'a\nb', "a'b", '*', 'ü', 'x'.repeat(201)])(
    '%j is none',
    (token) => {
      expect(() => assertToken(token)).toThrow(TypeError);
    },
  );

  it('of nested steps form a chain', () => {
    expect(chainToken(undefined, 'a')).toBe('a');
    expect(chainToken('', 'a')).toBe('a');
    expect(tokensOf(chainToken('outer,inner', 'a'))).toEqual(['outer', 'inner', 'a']);
  });
});
