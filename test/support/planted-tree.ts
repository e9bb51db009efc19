import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** Path from the top of the tree → text of the file. */
export type Files = Readonly<Record<string, string>>;

const configuration = [
  '.dependency-cruiser.mjs',
  'eslint.config.js',
  'package.json',
  'tsconfig.json',
];

/** A small tree under this project's own tool configuration and packages, for planting what the tools must catch. */
export function plantTree(files: Files): { readonly top: string; readonly remove: () => void } {
  const top = mkdtempSync(join(tmpdir(), 'planted tree '));
  for (const name of configuration) cpSync(name, join(top, name));
  symlinkSync(resolve('node_modules'), join(top, 'node_modules'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  }
  return { top, remove: () => rmSync(top, { recursive: true }) };
}
