import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

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
      // The suite starts processes of its own, and a machine of CI has two cores.
      maxWorkers: 2,
      // One after the other: what is cheap and close to a fault speaks first.
      sequence: { groupOrder: order },
      ...options,
    },
  };
}

/** Longest first: one that begins last would run alone. A fresh clone has no times of an earlier run, which vitest sorts by. */
const long = [
  ...['many-machines-meet', 'many-machines', 'many-machines-cut-off'],
  ...['damage-is-undone', 'random-kills', 'crash-matrix', 'random-misdeeds', 'take', 'autostash'],
  ...['before-it-begins', 'drill', 'closed-to-us', 'crash-is-mended', 'stopped-in-every-phase'],
  ...['isolate', 'locks', 'ledger-is-rebuilt', 'replay', 'agents', 'gc'],
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification): number => {
      const at = long.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at === -1 ? long.length : at;
    };
    return sorted.toSorted((a, b) => place(a) - place(b));
  }
}

const timeouts = (seconds: number): TestOptions => ({
  testTimeout: seconds * second * patience,
  hookTimeout: seconds * second * patience,
});

/** A third worker: they wait a lot, for limits, signals and processes, and another has something to do then. */
const onBuild: TestOptions = { maxWorkers: 3, globalSetup: 'test/support/fresh-build.ts' };

export default defineConfig({
  test: {
    globalSetup: 'test/support/own-ground.ts',
    teardownTimeout: 20 * second,
    sequence: { sequencer: LongestFirst },
    coverage: { include: ['src/core/**'], exclude: ['**/*.d.ts'], thresholds: { branches: 90 } },
    projects: [
      project('unit', 1, { ...timeouts(10), isolate: false }),
      project('contract', 2, timeouts(30)),
      project('integration', 3, { ...timeouts(60), ...onBuild }),
      project('e2e', 3, { ...timeouts(120), ...onBuild }),
      project('browser', 3, { ...timeouts(60), ...onBuild }),
    ],
  },
});
