import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import axe from 'axe-core';
import { chromium, type BrowserContext, type Page } from 'playwright-core';

/** A real browser for tests of pages, in a folder of its own, asking the network for nothing of its own accord. */

const flags = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-dev-shm-usage'],
];

/** Path of a browser in these folders, under a name that distributions use; undefined where there is none. */
export function findBrowser(path: string = process.env['PATH'] ?? ''): string | undefined {
  const folders = path.split(delimiter);
  return ['chromium', 'chromium-browser', 'google-chrome']
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface TestBrowser {
  readonly newPage: () => Promise<WatchedPage>;
  /** Ends its processes and removes its folder. */
  readonly close: () => Promise<void>;
}

/** A page with all that went wrong on it, and all that it asked for. */
export interface WatchedPage {
  readonly page: Page;
  /** Messages of the console, errors of scripts, dialogs. */
  readonly said: readonly string[];
  /** Addresses, but that of the empty icon. */
  readonly asked: readonly string[];
}

export async function openBrowser(executablePath: string): Promise<TestBrowser> {
  const folder = mkdtempSync(join(tmpdir(), 'a browser '));
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath,
    args: flags,
    env: { ...process.env, HOME: folder, TMPDIR: temporary },
  });
  return {
    newPage: () => watchedPage(context),
    close: async () => {
      await context.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

async function watchedPage(context: BrowserContext): Promise<WatchedPage> {
  const page = await context.newPage();
  const said: string[] = [];
  const asked: string[] = [];
  page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => said.push(String(error)));
  page.on('dialog', (dialog) => {
    said.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => asked.push(request.url()));
  return { page, said, asked };
}

/** What axe finds wrong with a page as it stands: `rule: element`. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  if (await page.evaluate('!("axe" in window)')) await page.evaluate(axe.source);
  const result = await page.evaluate<unknown>(
    'axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`)))',
  );
  if (!Array.isArray(result)) throw new Error('axe gave no result');
  return result.map(String);
}

/** Pixels by which a page is wider than its window. */
export async function overflowOf(page: Page): Promise<number> {
  return Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
}
