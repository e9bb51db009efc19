import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPageAssets } from '../../cli/page-assets.ts';
import { renderPage } from '../../src/report/html/page.ts';
import {
  axeViolations,
  findBrowser,
  openBrowser,
  overflowOf,
  type TestBrowser,
  type WatchedPage,
} from '../support/browser.ts';
import { hostile, recordedDetails, recordedReport } from '../support/recorded-run.ts';
import {
  makeUserRepository,
  type Ended,
  type Started,
  type UserRepository,
} from '../support/user-repository.ts';

/** The page of a run in a real browser: as a file, and live while the run goes on in another process. */

test('a browser is one that PATH names', () => {
  expect(findBrowser(join(tmpdir(), 'no such folder'))).toBeUndefined();
});

const program = findBrowser();
if (program === undefined)
  console.log('left out: no chromium on PATH, so the pages are not tried in a browser');
else describe('the page of a run', () => tryPages(program));

function tryPages(executablePath: string): void {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await openBrowser(executablePath);
  });
  afterAll(() => browser.close());

  describe('as a file', () => {
    let folder: string;
    let address: string;
    let watched: WatchedPage;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'a report '));
      const file = join(folder, 'report.html');
      address = pathToFileURL(file).href;
      const options = { ...(await readPageAssets()), planPath: 'PLAN.md', planOption: '' };
      writeFileSync(file, renderPage(recordedReport, recordedDetails, options));
      watched = await browser.newPage();
      await watched.page.goto(address);
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    test('says how the run went, and asks for nothing but itself', async () => {
      const { page, said, asked } = watched;
      expect(await page.title()).toBe('✗ 1 of 3 tasks passed, 1 failed, 1 blocked · PLAN.md');
      expect(await page.locator('#troubles').innerText()).toBe(
        'hostile failed: rejected by tests.sh, 2 attempts\nBlocked: join',
      );
      expect(await page.locator('#next code').innerText()).toBe('skeleton show hostile#3');
      expect([asked, said]).toEqual([[address], []]);
    });

    test('hostile titles and outputs are text', async () => {
      const { page } = watched;
      const title = await page.locator('#task-hostile .title').innerText();
      expect(title).toBe(hostile.replaceAll(/\u001b\[\d+m/g, '').replace('\u0000', '␀'));
      expect(await page.locator('img, main script').count()).toBe(0);
    });

    test('a bar of the timeline leads to its attempt, and opens it', async () => {
      const { page } = watched;
      const attempt = page.locator('#attempt-split-1');
      expect(await attempt.isVisible()).toBe(false);
      await page.locator('a.bar[href="#attempt-split-1"]').click();
      await expect.poll(() => attempt.isVisible()).toBe(true);
      expect(await attempt.getAttribute('open')).toBe('');
      await attempt.locator('.diff > summary').click();
      expect(await attempt.locator('.file .add').innerText()).toContain("+  if (text === '')");
      expect(await attempt.locator('.file .del').innerText()).toContain('-  return [text];');
    });

    test('search finds tasks and attempts by what was said of them', async () => {
      const { page } = watched;
      await page.keyboard.press('/');
      await page.keyboard.type('TWO is not three');
      expect(await page.locator('#hits').innerText()).toBe('2 tasks, 3 attempts');
      expect(await page.locator('#attempt-hostile-1').isVisible()).toBe(false);
      expect(await page.locator('#task-join').isVisible()).toBe(false);
      await page.locator('#search').fill('nowhere to be found');
      expect(await page.locator('#no-hits').isVisible()).toBe(true);
      await page.keyboard.press('Escape');
      expect(await page.locator('#task-join').isVisible()).toBe(true);
      expect(await page.locator('#hits').innerText()).toBe('');
    });

    test.for([
      { width: 1280, height: 900, colorScheme: 'light' },
      { width: 1280, height: 900, colorScheme: 'dark' },
      { width: 360, height: 740, colorScheme: 'light' },
      { width: 360, height: 740, colorScheme: 'dark' },
    ] as const)(
      '$width pixels, $colorScheme: accessible, no wider than the window',
      async (look) => {
        const { page, said } = watched;
        await page.setViewportSize(look);
        await page.emulateMedia(look);
        await page.evaluate(
          'for (const one of document.querySelectorAll("details")) one.open = true',
        );
        expect(await axeViolations(page)).toEqual([]);
        expect(await overflowOf(page)).toBe(0);
        expect(said).toEqual([]);
      },
    );

    test('the check of accessibility finds what is wrong', async () => {
      const { page } = await browser.newPage();
      await page.setContent('<p>A picture without words: <img src="data:,"></p>');
      expect((await axeViolations(page)).join()).toContain('image-alt: <img');
      await page.close();
    });

    test('printed, what is folded is there', async () => {
      const { page } = await browser.newPage();
      await page.goto(address);
      const prompt = page.locator('#attempt-split-2 .prompt pre');
      expect(await prompt.isVisible()).toBe(false);
      await page.emulateMedia({ media: 'print' });
      expect(await prompt.isVisible()).toBe(true);
      expect(await page.locator('.search').isVisible()).toBe(false);
      await page.close();
    });
  });

  describe('live', () => {
    let repository: UserRepository;
    const started: Started[] = [];
    const start = (...args: Parameters<UserRepository['start']>): Started => {
      const process = repository.start(...args);
      started.push(process);
      return process;
    };
    beforeAll(() => {
      repository = makeUserRepository();
      repository.write('PLAN.md', '- [ ] Make one {#one}\n- [ ] Make two {#two}\n');
      repository.write('gates/check.sh', '#!/bin/sh\necho "judged $SKELETON_TASK_ID"\n');
    });
    afterAll(async () => {
      await Promise.all(started.map(stop));
      repository.remove();
    });

    test('shows a run that goes on in another process, and that its server is gone', async () => {
      const command = repository.agent(slowAgent);
      start(['run', '--agent-command', command], { OUT: repository.outside });
      const ui = start(['ui']);
      const { page, said } = await browser.newPage();
      await page.goto(await addressOf(ui));
      await page.locator('#task-one[data-state="open"]').waitFor();
      await page.locator('#live[data-state="live"]').waitFor();
      await stop(ui);
      await page.locator('#live[data-state="lost"]').waitFor();
      // The browser itself says that nobody answers.
      expect(said.filter((line) => !line.includes('net::ERR_'))).toEqual([]);
      await page.close();
    });

    test('follows it to its end, and leaves the reader what they did', async () => {
      const ui = start(['ui']);
      const address = await addressOf(ui);
      const { page, said, asked } = await browser.newPage();
      await page.goto(address);
      await page.locator('#attempt-one-1 .prompt > summary').click();
      await page.locator('#search').fill('make');
      await page.evaluate('document.getElementById("attempt-one-1").known = true');
      repository.write('../outside/go', '');
      await page.locator('#live[data-state="finished"]').waitFor();
      expect(await page.locator('#summary').innerText()).toBe('✔ All 2 tasks passed');
      expect(await page.evaluate('document.getElementById("attempt-one-1").known')).toBe(true);
      expect(await page.locator('#attempt-one-1 .prompt').getAttribute('open')).toBe('');
      expect(await page.locator('#search:focus').inputValue()).toBe('make');
      await page.locator('#attempt-one-1 .diff > summary').click();
      const added = page.locator('#attempt-one-1 .file', { hasText: 'one.txt' }).locator('.add');
      expect((await added.innerText()).trim()).toBe('+work on one');
      expect(await axeViolations(page)).toEqual([]);
      expect(said).toEqual([]);
      expect(asked.filter((url) => !url.startsWith(address))).toEqual([]);
      await page.close();
      expect((await stop(ui)).status).toBe(130);
      expect((await started[0]?.ended)?.status).toBe(0);
    });
  });
}

/** Works on a task only when a file says so. */
const slowAgent = `#!/bin/sh
cat > /dev/null
while [ ! -e "$OUT/go" ]; do sleep 0.05; done
echo "work on $SKELETON_TASK_ID" > "$SKELETON_TASK_ID.txt"
`;

function addressOf({ child, ended }: Started): Promise<string> {
  return new Promise((found, fail) => {
    child.stdout?.on('data', (text: string) => found(text.trim()));
    void ended.then(({ stderr }) => fail(new Error(stderr)));
  });
}

async function stop({ child, ended }: Started): Promise<Ended> {
  child.kill('SIGINT');
  return ended;
}
