import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../src/compose.ts';
import type { Asset } from '../src/report/html/options.ts';

/** What the page of a run looks and behaves like: files of templates/report/. */
export async function readPageAssets(): Promise<{
  readonly style: Asset;
  readonly script: Asset;
}> {
  return { style: await assetOf('page.css'), script: await assetOf('page.js') };
}

async function assetOf(name: string): Promise<Asset> {
  const text = await readFile(join(packageRoot, 'templates', 'report', name), 'utf8');
  return { text, sha256: createHash('sha256').update(text).digest('base64') };
}
