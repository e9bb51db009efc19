import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import type { NotifyConfig } from '../../src/core/config.ts';
import { notificationOf } from '../../src/core/notification.ts';
import { openNotifier } from '../../src/notify/notifier.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'a notifier '));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const words = notificationOf({
  ...{ event: 'done', repository: 'r', host: 'h', plan: 'PLAN.md', status: 0, planOption: '' },
});

const tell = (
  target: NotifyConfig,
  { limitMs = 5000, signal = new AbortController().signal, env = {} } = {},
): Promise<string | undefined> => {
  const secrets = [{ name: 'KEY', value: 'hidden-0123' }];
  const all = { PATH: process.env['PATH'], ...env };
  return openNotifier({ cwd: folder, env: all, secrets }).tell(target, words, { limitMs, signal });
};

describe('a command', () => {
  it('gets the JSON on standard input, and the word in its environment', async () => {
    const command = 'cat > "got one"; echo $SKELETON_NOTIFY $PWD > word';
    expect(await tell({ command })).toBeUndefined();
    expect(JSON.parse(readFileSync(join(folder, 'got one'), 'utf8'))).toEqual(words);
    expect(readFileSync(join(folder, 'word'), 'utf8')).toBe(`done ${folder}\n`);
  });

  it('need not read it', async () => {
    expect(await tell({ command: 'exec 0<&-; true' })).toBeUndefined();
  });

  it.each([
    ['echo "so: hidden-0123"; exit 3', 'the command ended with exit 3: so: [masked KEY]'],
    ['no-such-program-here', /^the command ended with not found: .*no-such-program-here/],
    ['kill -9 $$', 'the command ended with SIGKILL'],
  ])('%s: said in one line', async (command, wrong) => {
    expect(await tell({ command })).toEqual(
      typeof wrong === 'string' ? wrong : expect.stringMatching(wrong),
    );
  });

  it('that hangs is ended, and all that it started', async () => {
    const began = performance.now();
    const deaf = `sh -c 'trap "" TERM; while echo >> beats; do sleep 0.1; done'`;
    const command = `${deaf} & sleep 60`;
    expect(await tell({ command }, { limitMs: 2000 })).toBe('the command was ended after 2 s');
    expect(performance.now() - began).toBeLessThan(30_000);
    // Nothing of it writes any more.
    const beats = (): number => readFileSync(join(folder, 'beats'), 'utf8').length;
    const then = beats();
    await new Promise((done) => setTimeout(done, 500));
    expect(then).toBeGreaterThan(0);
    expect(beats()).toBe(then);
  });

  it('that prints 100 MB is heard to its end', async () => {
    const command = 'head -c 100000000 /dev/zero; echo; echo end; exit 1';
    expect(await tell({ command }, { limitMs: 9000 })).toBe('the command ended with exit 1: end');
  });

  it('is ended where the run is', async () => {
    const signal = AbortSignal.timeout(100);
    expect(await tell({ command: 'sleep 60' }, { signal })).toBe(
      'the command was ended with the run',
    );
  });
});

type Reply = (asked: IncomingMessage, answer: ServerResponse) => void;

async function aServer(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  reply: Reply,
): Promise<string> {
  const server = createServer(reply);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a webhook', () => {
  it('may lie in a variable, with a name and a password', async (test) => {
    const asked: (string | undefined)[] = [];
    const host = await aServer(test, ({ headers, url }, answer) => {
      asked.push(url, headers.authorization);
      answer.end('ok');
    });
    const env = { HOOK: `http://me:p%40ss@${host}/x?y=1` };
    expect(await tell({ webhook: '${HOOK}' }, { env })).toBeUndefined();
    expect(asked).toEqual(['/x?y=1', `Basic ${Buffer.from('me:p@ss').toString('base64')}`]);
  });

  it('that does not answer is not waited for', async (test) => {
    const host = await aServer(test, () => undefined);
    const wrong = await tell({ webhook: `http://${host}/secret` }, { limitMs: 200 });
    expect(wrong).toBe(`${host} did not answer within 0.2 s`);
  });

  it('whose answer never ends is told all the same', async (test) => {
    const host = await aServer(test, (_, answer) => void answer.writeHead(200).write('x'));
    expect(await tell({ webhook: `http://${host}/` }, { limitMs: 2000 })).toBeUndefined();
  });

  it('that sends elsewhere is not followed', async (test) => {
    let isFollowed = false;
    const other = await aServer(test, (_, answer) => {
      isFollowed = true;
      answer.end();
    });
    const host = await aServer(test, (_, answer) =>
      answer.writeHead(307, { location: `http://${other}/` }).end(),
    );
    const wrong = await tell({ webhook: `http://${host}/` });
    expect(wrong).toBe(`${host} answered 307, a redirect, which is not followed`);
    expect(isFollowed).toBe(false);
  });

  it.each([
    ['http://127.0.0.1:1/secret', {}, /^127\.0\.0\.1:1 cannot be reached/],
    ['$HOOK', {}, /^\$HOOK is not set$/],
    ['$HOOK', { HOOK: 'secret' }, /^\$HOOK holds no address that begins with http/],
    ['http://%zz:secret@127.0.0.1/', {}, /^URI malformed$/],
  ])('%s: what is wrong, and nothing of the address', async (webhook, env, wrong) => {
    const said = await tell({ webhook }, { env });
    expect(said).toMatch(wrong);
    expect(said).not.toContain('secret');
  });
});
