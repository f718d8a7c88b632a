import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    // Two cores: more workers than that only make timings noisier.
    maxWorkers: 2,
  },
});
