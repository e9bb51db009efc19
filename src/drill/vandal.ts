/** The drill's agent, a program of its own: does the damage it was ordered to do, and writes down what it left. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../exec/run-command.ts';
import { filesBelow, idOf, stampsOf } from './disk.ts';
import { controlVariable, deedFile, ordersFile, readyFile } from './orders.ts';
import type { Deed, Orders } from './orders.ts';

const damageMs = 60_000;
const heldMs = 600_000;

const top = process.cwd();
const control = process.env[controlVariable] ?? '';
const orders = JSON.parse(readFileSync(join(control, ordersFile), 'utf8')) as Orders;
const algorithm = (process.env['SKELETON_BASE'] ?? '').length === 64 ? 'sha256' : 'sha1';

const before = stampsOf(top);
const { code, stderr } = await runCommand({
  file: 'bash',
  args: ['-ec', orders.script],
  cwd: top,
  env: process.env as Record<string, string>,
  timeoutMs: damageMs,
});
const now = stampsOf(top);
const changed = [...filesBelow(top)].filter((path) => before.get(path) !== now.get(path));
const left = changed.flatMap((path) => {
  const id = idOf(top, path, algorithm);
  return id === undefined ? [] : [{ path, id }];
});
const deed: Deed = { left, code, stderr };
writeFileSync(join(control, deedFile), JSON.stringify(deed));
if (orders.holds) {
  writeFileSync(join(control, readyFile), '');
  await sleep(heldMs);
}
