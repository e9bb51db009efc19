/**
 * Makes of the compiled command the few files that Node reads quickest: hundreds of small modules to be found, opened and
 * compiled each took longer than what most commands do. The library stays as it was compiled.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** `compiled` holds `cli/` and `src/`. Writes the command into `dir`, with the licences of what is taken in. */
export async function bundleCommand({ compiled, dir }) {
  const main = join(compiled, 'cli', 'main.js');
  const start = new Set();
  const bundle = await rolldown({
    // Its comments name files from here, and what is built twice is the same twice.
    cwd: compiled,
    // The built-in agent is a process of its own; src/agent/api-caller.ts looks for it beside the files of the command.
    input: { main, 'built-in/main': join(compiled, 'src', 'agent', 'built-in', 'main.js') },
    platform: 'node',
    // It finds its binary by where it lies.
    external: [/^node:/, '@photostructure/sqlite'],
    plugins: [{ name: 'start', buildEnd: noteStart(main, start) }],
    // An engine of gray-matter that no plan of ours reaches, and modules that another importer wants at once.
    checks: { eval: false, ineffectiveDynamicImport: false },
  });
  const { output } = await bundle.write({
    dir,
    entryFileNames: '[name].js',
    // With the hash: a command that runs while this builds does not get half of the next one.
    chunkFileNames: '[name]-[hash].js',
    comments: { legal: true, annotation: false, jsdoc: false },
    codeSplitting: {
      groups: [
        { name: 'start', debugName: 'start', test: (id) => start.has(id), priority: 2 },
        { name: 'shared', debugName: 'shared', minShareCount: 2, priority: 1 },
      ],
    },
  });
  writeFileSync(join(dir, 'LICENSES.txt'), licencesOf(output.flatMap((file) => file.moduleIds)));
}

/** What is imported before it is known which command this is: `--version` and `--help` read no more. */
function noteStart(main, start) {
  return function () {
    // A set also gives what is added to it while it is gone through.
    const found = new Set([main]);
    for (const id of found)
      for (const imported of this.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
    found.delete(main);
    for (const id of found) start.add(id);
  };
}

function licencesOf(modules) {
  const inPackage = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
  const folders = new Set(modules.flatMap((id) => inPackage.exec(id) ?? []));
  return [...folders].sort().map(licenceOf).join('\n');
}

/** In its own words. Throws for a package that says nothing. */
function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[sc]e/i.test(entry));
  if (file === undefined && license === undefined) throw new Error(`${name} has no licence`);
  const words = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
  return `${name} ${version} (${license ?? 'see below'})\n\n${words}\n`;
}
