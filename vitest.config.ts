import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    globalSetup: ['test/support/print-figures.ts'],
    // Two cores: more workers than that only make timings noisier.
    maxWorkers: 2,
  },
});
