import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { plantTree } from '../support/planted-tree.ts';

const preamble = `
  import { spawn } from 'node:child_process';
  import { mkdtempSync, openSync, writeFileSync } from 'node:fs';
  import { test } from 'vitest';
  const left = mkdtempSync(process.env.TMPDIR + '/left behind ');
  const idle = (options, [file, ...args] = ['sleep', '60']) => {
    const child = spawn(file, args, { detached: true, stdio: 'ignore', ...options });
    child.unref();
    writeFileSync('pid', String(child.pid));
  };
  writeFileSync('left', left);
`;

const cleanUp = `(await import('node:fs')).rmSync(left, { recursive: true });`;

/** A dead process stays in the table until its new parent asks for it. */
function isAlive(pid: string): boolean {
  const stat = `/proc/${pid}/stat`;
  return existsSync(stat) && !/\) [ZX] /.test(readFileSync(stat, 'utf8'));
}

describe('a suite on its own ground', () => {
  let remove: (() => void) | undefined;
  afterEach(() => remove?.());

  test('passes when it leaves nothing', async () => {
    const { status, output } = await runSuite(cleanUp);
    expect(output).not.toContain('left something behind');
    expect(status).toBe(0);
  });

  test('fails when a folder is left, and removes it', async () => {
    const { status, output, read } = await runSuite('');
    expect(output).toContain('TMPDIR still holds left behind ');
    expect(status).toBe(1);
    expect(existsSync(read('left'))).toBe(false);
  });

  test.each([
    ['with its environment', `idle({});`],
    ['without its environment, in its folder', `idle({ env: {}, cwd: left });`],
    [
      'without both, with a file of it open',
      `idle({ env: {}, cwd: '/', stdio: [openSync(left + '/f', 'w'), 'ignore', 'ignore'] });`,
    ],
    [
      'as a watcher that does not end',
      `idle({ env: {}, cwd: '/' }, ['/bin/sh', '-c', 'kill -STOP $$; :', 'skeleton-watcher']);`,
    ],
  ])('fails when a process is left %s, and ends it', async (_how, start) => {
    const { status, output, read } = await runSuite(start + cleanUp);
    expect(output).toContain(`process ${read('pid')} is still alive: `);
    expect(status).toBe(1);
    expect(isAlive(read('pid'))).toBe(false);
  });

  test('cleans up when it is interrupted', async () => {
    const { status, read } = await runSuite(
      `idle({}); writeFileSync('ready', ''); await new Promise((go) => setTimeout(go, 50_000));`,
      'ready',
    );
    expect(status).toBe(143);
    expect(existsSync(read('left'))).toBe(false);
    // On a busy machine even SIGKILL takes a moment.
    await expect.poll(() => isAlive(read('pid')), { timeout: 5000 }).toBe(false);
  });

  /** Runs a suite of one test; with `until`, only until that file is there. */
  async function runSuite(body: string, until?: string) {
    const ground = readFileSync('test/support/own-ground.ts', 'utf8');
    const tree = plantTree({
      'own-ground.ts': ground.replace('const grace = 10_000;', 'const grace = 500;'),
      'vitest.config.mjs': `export default { test: { globalSetup: 'own-ground.ts', testTimeout: 60_000 } };`,
      'one.test.mjs': `${preamble} test('one', async () => { ${body} });`,
    });
    remove = tree.remove;
    const vitest = resolve('node_modules/vitest/vitest.mjs');
    const child = spawn(process.execPath, [vitest, 'run'], {
      cwd: tree.top,
      // Vitest keeps files of its own there, and leaves them when it is interrupted.
      env: { ...process.env, TMPDIR: tree.top },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => (output += String(text)));
    const ended = once(child, 'close') as Promise<[number | null]>;
    if (until !== undefined) {
      while (child.exitCode === null && !existsSync(join(tree.top, until))) await sleep(20);
      child.kill('SIGTERM');
    }
    const [status] = await ended;
    const read = (file: string): string => readFileSync(join(tree.top, file), 'utf8');
    return { status, output, read };
  }
});
