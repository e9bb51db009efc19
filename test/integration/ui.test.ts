import { existsSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  makeUserRepository,
  type Started,
  type UserRepository,
} from '../support/user-repository.ts';

/** `skeleton ui`: the live page's server, as a browser and as others meet it. The page itself is another test's. */

const secret = 'pass&word<of>"mine"-4711';

interface Page {
  readonly started: Started;
  readonly address: URL;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function open(repository: UserRepository, ...args: readonly string[]): Promise<Page> {
  const started = repository.start(['ui', ...args], { DB_PASSWORD: secret });
  const address = await new Promise<string>((resolve, reject) => {
    let said = '';
    started.child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('\n')) resolve(said.split('\n')[0] ?? '');
    });
    void started.ended.then(({ stderr }) => reject(new Error(stderr)));
  });
  return { started, address: new URL(address) };
}

function ask(
  url: URL,
  options: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(url, { agent: false, ...options }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.on('end', () => {
        resolve({ status: response.statusCode, headers: response.headers, body });
      });
    })
      .on('error', reject)
      .end();
  });
}

/** The versions that a page hears of, as they come. */
function listen(address: URL): {
  readonly versions: readonly string[];
  readonly over: Promise<void>;
} {
  const versions: string[] = [];
  const over = new Promise<void>((resolve) => {
    request(new URL('events', address), { agent: false }, (response) => {
      response.setEncoding('utf8').on('data', (chunk: string) => {
        for (const [, version = ''] of chunk.matchAll(
          /^event: changed\nid: \d+\ndata: \{"version":"(\d+)"\}$/gm,
        ))
          versions.push(version);
      });
      response.on('error', () => undefined).on('close', resolve);
    })
      .on('error', () => resolve())
      .end();
  });
  return { versions, over };
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('it did not come to hold');
    await sleep(50);
  }
}

let repository: UserRepository;
let page: Page;
/** Once it is there, the agent ends. */
let go: string;
let run: Started | undefined;
beforeAll(async () => {
  repository = makeUserRepository();
  go = join(repository.outside, 'go');
  repository.write('PLAN.md', `- [ ] First ${secret} {#first}\n- [ ] Second {#second}\n`);
  repository.write('gates/check.sh', '#!/bin/sh\necho judged; exit 0\n');
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=project');
  page = await open(repository);
});
afterAll(async () => {
  // Where a test failed, its run still waits.
  writeFileSync(go, '');
  await run?.ended;
  page.started.child.kill('SIGKILL');
  await page.started.ended;
  repository.remove();
});

const own = (path = ''): URL => new URL(path, page.address);

describe('who is answered', () => {
  test('the address is on 127.0.0.1, with a token that is not guessed', () => {
    expect(page.address.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{48}\/$/);
  });

  test('without a run, the page says so and looks again by itself', async () => {
    const { status, body, headers } = await ask(own());
    expect([status, body]).toEqual([200, expect.stringContaining('No run of PLAN.md yet')]);
    expect(body).toContain('http-equiv="refresh"');
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    const policy = headers['content-security-policy'];
    expect(policy).toMatch(/^default-src 'none'.*frame-ancestors 'none'/);
    expect((await ask(own('main'))).status).toBe(404);
  });

  const rest: readonly [string, () => Promise<Answer>, number][] = [
    ['no token', () => ask(own('/')), 403],
    ['no token, but a name', () => ask(own('/events')), 403],
    ['a wrong token', () => ask(own(`/${'0'.repeat(48)}/`)), 403],
    ['the beginning of the token', () => ask(own(page.address.pathname.slice(0, -3))), 403],
    ['the token without its slash', () => ask(own(page.address.pathname.slice(0, -1))), 404],
    ['another path', () => ask(own('../main/../constructor')), 403],
    ['a path that is not there', () => ask(own('constructor')), 404],
    [
      'a name that leads here (DNS rebinding)',
      () => ask(own(), { headers: { host: `evil.example:${page.address.port}` } }),
      403,
    ],
    ['another port in the name', () => ask(own(), { headers: { host: '127.0.0.1:1' } }), 403],
    [
      'a page of another site',
      () => ask(own('events'), { headers: { origin: 'https://evil.example' } }),
      403,
    ],
    ['a page of no site', () => ask(own(), { headers: { origin: 'null' } }), 403],
    [
      'a page of another port here',
      () => ask(own(), { headers: { origin: 'http://127.0.0.1:1' } }),
      403,
    ],
    ['POST', () => ask(own(), { method: 'POST' }), 405],
    ['OPTIONS', () => ask(own(), { method: 'OPTIONS' }), 405],
    ['HEAD', () => ask(own(), { method: 'HEAD' }), 200],
    ['localhost', () => ask(own(), { headers: { host: `localhost:${page.address.port}` } }), 200],
    ['its own origin', () => ask(own(), { headers: { origin: page.address.origin } }), 200],
  ];
  test.each(rest)('%s', async (_, asking, status) => {
    const answer = await asking();
    expect(answer.status).toBe(status);
    if (status !== 200) expect(answer.body).toBe('');
  });
});

describe('a run in another terminal', () => {
  test('is shown as it goes on, and when it is over', async () => {
    const { versions } = listen(page.address);
    const command = repository.agent(`#!/bin/sh
cat > /dev/null; echo "$SKELETON_TASK_ID" > "$SKELETON_TASK_ID.txt"
while [ "$SKELETON_TASK_ID" = second ] && [ ! -e '${go.replaceAll("'", String.raw`'\''`)}' ]; do sleep 0.05; done
`);
    run = repository.start(['run', '--agent-command', command], { DB_PASSWORD: secret });
    await until(async () => (await ask(own('main'))).body.includes('second#1'));
    const meanwhile = await ask(own());
    expect(meanwhile.body).toContain('data-over="false"');
    expect(meanwhile.body).toContain('first.txt');
    writeFileSync(go, '');
    expect((await run.ended).status).toBe(0);
    await until(async () => (await ask(own('main'))).body.includes('data-over="true"'));
    expect(versions.length).toBeGreaterThan(3);
    expect(new Set(versions).size).toBe(versions.length);
    const { body, headers } = await ask(own());
    expect(body).toContain('[masked DB_PASSWORD]');
    expect(body).not.toContain('4711');
    expect(headers['content-security-policy']).toMatch(
      /script-src 'sha256-[^']+'; .*connect-src 'self'/,
    );
  });

  test('that shuts the repository for a while: said once, and read again after it', async () => {
    let said = '';
    page.started.child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const { versions } = listen(page.address);
    await until(() => versions.length === 1);
    const head = join(repository.top, '.git', 'HEAD');
    renameSync(head, `${head}.away`);
    utimesSync(join(repository.top, '.git', 'skeleton', 'ledger.db'), 1, 1);
    await until(() => said.includes('trying again'));
    await sleep(700);
    expect(said.match(/trying again/g)).toHaveLength(1);
    expect((await ask(own())).status).toBe(200);
    renameSync(`${head}.away`, head);
    await until(() => versions.length === 2);
  });

  test('a page that comes later hears at once where things stand', async () => {
    const { versions } = listen(page.address);
    await until(() => versions.length > 0);
  });
});

describe('how it ends', () => {
  test('a port that is taken is 3, a run that is not there is 2', async () => {
    const taken = await repository.run('ui', '--port', page.address.port);
    expect([taken.status, taken.stderr]).toEqual([3, expect.stringContaining('is taken')]);
    const none = await repository.run('ui', '--run', 'nonesuch');
    expect([none.status, none.stderr]).toEqual([2, expect.stringContaining("no run 'nonesuch'")]);
  });

  test('Ctrl-C: 130 at once, with streams open and a connection on which nothing comes', async () => {
    const { versions, over } = listen(page.address);
    const idle = connect(Number(page.address.port), '127.0.0.1').on('error', () => undefined);
    const closed = new Promise((resolve) => idle.once('close', resolve));
    await until(() => versions.length > 0);
    const from = performance.now();
    page.started.child.kill('SIGINT');
    expect((await page.started.ended).status).toBe(130);
    expect(performance.now() - from).toBeLessThan(20_000);
    await Promise.all([over, closed]);
  });

  test('it leaves nothing behind, and took no lock', () => {
    expect(existsSync(join(repository.top, '.git', 'skeleton', 'ledger.db-journal'))).toBe(false);
    expect(repository.git('status', '--porcelain')).toBe('');
  });
});
