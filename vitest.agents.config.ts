import { defineConfig } from 'vitest/config';

/** `npm run test:agents`: the real clients, installed for the run; minutes, and the network for their packages. */
export default defineConfig({
  test: {
    name: 'agents',
    include: ['test/agents/**/*.test.ts'],
    globalSetup: 'test/support/own-ground.ts',
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 320_000,
    teardownTimeout: 20_000,
  },
});
