import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openForWriting } from '../../src/ledger/open-for-writing.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite-ledger.ts';
import { loadSqlite } from '../../src/ledger/sqlite.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vouched for '));
  path = join(folder, 'ledger.db');
  const ledger = await openSqliteLedger(path);
  await ledger.addPlan('plan', 'PLAN.md');
  const entry = { run: 'r', plan: 'plan', task: '' } as const;
  await ledger.append({ ...entry, event: { type: 'notice', message: 'hello' } }, 0);
  await ledger.assertReadable();
  await ledger.close();
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function isKnownWhole(): Promise<boolean> {
  const file = openForWriting(await loadSqlite(), path);
  try {
    return file.isKnownWhole();
  } finally {
    file.close();
  }
}

test('what was read whole and closed need not be read again', async () => {
  expect(await isKnownWhole()).toBe(true);
  expect(await isKnownWhole()).toBe(true);
});

test('a file that somebody has touched is looked at again, and a row that cannot be read is found', async () => {
  const db = (await loadSqlite()).open(path, { readOnly: false });
  db.exec(`update event set body = '{"type":"notice"}'`);
  db.close();
  expect(await isKnownWhole()).toBe(false);
  const ledger = await openSqliteLedger(path);
  await expect(ledger.assertReadable()).rejects.toThrow(/is damaged.*message/);
  await ledger.close();
  expect(await isKnownWhole()).toBe(false);
});

test('a copy, and one whose note is gone or another, is looked at again', async () => {
  copyFileSync(path, `${path}.copy`);
  copyFileSync(`${path}.copy`, path);
  expect(await isKnownWhole()).toBe(false);
  writeFileSync(`${path}-vouched`, 'something else');
  expect(await isKnownWhole()).toBe(false);
  expect(existsSync(`${path}-vouched`)).toBe(true);
});
