import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const second = 1000;
// `npm run test:nightly`: the same tests, in their long forms.
const patience = process.env['NIGHTLY'] === undefined ? 1 : 20;

type TestOptions = NonNullable<TestProjectInlineConfiguration['test']>;

function project(
  name: string,
  order: number,
  options: TestOptions,
): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      pool: 'forks',
      // 2 workers: the suite starts processes of its own, and a machine of CI has two cores.
      maxWorkers: 2,
      // One project after the other: what is cheap and close to a fault speaks first.
      sequence: { groupOrder: order },
      ...options,
    },
  };
}

const timeouts = (seconds: number): TestOptions => ({
  testTimeout: seconds * second * patience,
  hookTimeout: seconds * second * patience,
});

export default defineConfig({
  test: {
    globalSetup: 'test/support/own-ground.ts',
    teardownTimeout: 20 * second,
    coverage: { include: ['src/core/**'], exclude: ['**/*.d.ts'], thresholds: { branches: 90 } },
    projects: [
      project('unit', 1, { ...timeouts(10), isolate: false }),
      project('contract', 2, timeouts(30)),
      project('integration', 3, { ...timeouts(60), globalSetup: 'test/support/fresh-build.ts' }),
      project('e2e', 4, { ...timeouts(120), globalSetup: 'test/support/fresh-build.ts' }),
    ],
  },
});
