import { randomInt } from 'node:crypto';
import { defineConfig } from 'vitest/config';

/**
 * No test depends on how fast the machine is. These limits only end a test that hangs, so they are far above what a
 * test takes on a busy machine. No test file sets its own.
 */
const minute = 60_000;
const timeouts = { testTimeout: 5 * minute, hookTimeout: 5 * minute, expect: { poll: { timeout: minute } } };

/** Generated cases are the same in every run of the first two tiers. */
const fixedSeed = '42';

export default defineConfig({
  test: {
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: ['test/integration/**', 'test/soak/**'],
          env: { ATTUNE_SEED: fixedSeed },
          ...timeouts,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          env: { ATTUNE_SEED: fixedSeed },
          ...timeouts,
        },
      },
      {
        test: {
          name: 'soak',
          include: ['test/soak/**/*.test.ts'],
          env: {
            ATTUNE_SEED: process.env.ATTUNE_SEED ?? String(randomInt(2 ** 31)),
            ATTUNE_CASES: process.env.ATTUNE_CASES ?? '1',
          },
          globalSetup: ['test/support/print-figures.ts'],
          ...timeouts,
          testTimeout: 120 * minute,
        },
      },
    ],
    coverage: {
      include: ['src/diff/**', 'src/plan/**', 'src/desired/**'],
      reporter: ['text'],
    },
  },
});
