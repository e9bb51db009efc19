import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

/**
 * Compiles these sources and all that they import, unchecked, into a new folder that a child process can import from: Node 20 runs no
 * TypeScript, and dist/ needs every other room to compile. Each source is a file there under its own path, what they share is
 * bundled, so that a child starts quickly. Gives that folder, for the caller to remove.
 */
export async function compileSources(sources: readonly string[]): Promise<string> {
  const into = mkdtempSync(join(tmpdir(), 'compiled sources '));
  symlinkSync(resolve('node_modules'), join(into, 'node_modules'));
  writeFileSync(join(into, 'package.json'), '{ "type": "module" }');
  const input = Object.fromEntries(
    sources.map((source) => [source.replace(/\.ts$/, ''), resolve(source)]),
  );
  const bundle = await rolldown({
    input,
    platform: 'node',
    external: [/^node:/, '@photostructure/sqlite', 'pg'],
    transform: { target: 'node20.19' },
    checks: { eval: false, ineffectiveDynamicImport: false },
  });
  await bundle.write({
    dir: into,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  return into;
}
