/**
 * The built-in agent's own process: settings as its argument, the prompt on standard input, JSON lines on standard output. How
 * it ended is its last line; without one, it was cut off.
 */
import { readFileSync } from 'node:fs';
import { converse } from './converse.ts';
import type { BuiltInLine } from './line.ts';
import { readSettings } from './settings.ts';
import { openTools } from './tools.ts';

const settings = readSettings(process.argv[2] ?? '{}');
// Its warnings would stand between our lines.
globalThis.AI_SDK_LOG_WARNINGS = false;
const print = (line: BuiltInLine): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
await converse({
  settings,
  key: settings.keyVariable === undefined ? undefined : process.env[settings.keyVariable],
  prompt: readFileSync(0, 'utf8'),
  tools: openTools(process.cwd(), print),
  print,
  now: Date.now,
});
