import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';

const top = join(import.meta.dirname, '..', '..', '..');

/** The exec room as JavaScript, for programs that a test starts: Node 20 runs no TypeScript. */
export interface CompiledRoom {
  readonly folder: string;
  readonly remove: () => void;
}

/** Compiles each file by itself, so that the other rooms need not be in order. */
export function compileRoom(): CompiledRoom {
  const root = mkdtempSync(join(tmpdir(), 'compiled room '));
  const folder = join(root, 'exec');
  const source = join(top, 'src', 'exec');
  mkdirSync(folder);
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  symlinkSync(join(top, 'node_modules'), join(root, 'node_modules'));
  for (const name of readdirSync(source)) {
    const text = readFileSync(join(source, name), 'utf8');
    const { outputText } = ts.transpileModule(text, { compilerOptions });
    writeFileSync(join(folder, name.replace(/\.ts$/, '.js')), outputText);
  }
  return { folder, remove: () => rmSync(root, { recursive: true, force: true }) };
}

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  rewriteRelativeImportExtensions: true,
};
