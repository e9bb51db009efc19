import type { KnipConfig } from 'knip';

const config: KnipConfig = {
  // cli/main.ts and src/index.ts are known from package.json, the tests from vitest's configuration; the vandal is a program.
  entry: ['src/drill/vandal.ts!', 'scripts/*.mjs', 'bench/*.mjs'],
  project: ['cli/**/*.ts!', 'src/**/*.ts!', 'test/**/*.ts', 'scripts/*.mjs', 'bench/*.mjs'],
  ignoreExportsUsedInFile: { interface: true, type: true },
  // git, sh, mkfifo and their like come with the system, not with a package.
  exclude: ['binaries'],
};

export default config;
