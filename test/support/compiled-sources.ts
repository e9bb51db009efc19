import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';

/**
 * Compiles these sources and all that they import, unchecked, into a new folder that a child process can import from: Node 20 runs no
 * TypeScript, and dist/ needs every other room to compile. Gives that folder, for the caller to remove.
 */
export function compileSources(sources: readonly string[]): string {
  const into = mkdtempSync(join(tmpdir(), 'compiled sources '));
  symlinkSync(resolve('node_modules'), join(into, 'node_modules'));
  writeFileSync(join(into, 'package.json'), '{ "type": "module" }');
  // A set also gives what is added to it while it is gone through.
  const wanted = new Set(sources);
  for (const source of wanted) {
    const text = readFileSync(source, 'utf8');
    for (const imported of importsOf(text)) wanted.add(join(dirname(source), imported));
    const target = join(into, source.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, compile(text));
  }
  return into;
}

function importsOf(text: string): string[] {
  const { importedFiles } = ts.preProcessFile(text, true, true);
  return importedFiles.map(({ fileName }) => fileName).filter((name) => name.startsWith('.'));
}

function compile(text: string): string {
  const { ModuleKind, ScriptTarget } = ts;
  const compilerOptions = {
    module: ModuleKind.ESNext,
    target: ScriptTarget.ES2023,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
  };
  return ts.transpileModule(text, { compilerOptions }).outputText;
}
