import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { defineConfig } from 'vitest/config';
import { buildDigest } from './scripts/build-digest.mjs';

const root = import.meta.dirname.replaceAll(sep, '/');

/**
 * Serves the modules that only the build writes: the stylesheet and the script of the HTML report from source, and no
 * compiled schemas, which are then compiled by the tests.
 */
const builtModules = {
  name: 'built-modules',
  enforce: 'pre',
  resolveId: (id: string) => {
    if (id.endsWith('/page-assets.js')) return '\0page-assets';
    return /\/compiled-[a-z-]*schema\.js$/.test(id) ? '\0no-compiled-schema' : undefined;
  },
  load: async (id: string) => {
    if (id === '\0no-compiled-schema') return 'throw new Error("the sources have no compiled schema")';
    return id === '\0page-assets' ? (await import('./scripts/page-assets.mjs')).pageAssetsCode() : undefined;
  },
} as const;

/** The modules that the build has compiled. */
const compiled = new RegExp(`^${root.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}/build/`);

/**
 * Resolves imports of sources to the modules compiled from them, which Vitest loads without transforming them.
 *
 * @throws {Error} if the sources have changed since the build.
 */
function compiledSources() {
  if (readFileSync(`${root}/build/.digest`, 'utf8') !== buildDigest(root))
    throw new Error('the build is older than the sources: run `npm run build`');
  return {
    name: 'compiled-sources',
    enforce: 'pre',
    resolveId: (id: string, importer: string | undefined) => {
      const file = importer === undefined ? id : resolve(importer, '..', id).replaceAll(sep, '/');
      const isSource = file.startsWith(`${root}/src/`) && file.endsWith('.ts');
      return isSource ? `${root}/build/${file.slice(root.length + 5, -2)}js` : undefined;
    },
  } as const;
}

/**
 * No test depends on how fast the machine is. These limits only end a test that hangs, so they are far above what a
 * test takes on a busy machine. No test file sets its own.
 */
const minute = 60_000;
const timeouts = { testTimeout: 5 * minute, hookTimeout: 5 * minute, expect: { poll: { timeout: minute } } };

/** The titles of table rows are printed whole. */
const chaiConfig = { truncateThreshold: 0 };

/** Generated cases are the same in every run of the first two tiers. */
const fixedSeed = '42';

export default defineConfig(({ mode }) => {
  // The scripts of package.json have just built the sources. Other runs, such as those that measure coverage, need no build.
  const plugins = [mode === 'built' ? compiledSources() : builtModules];
  const shared = { server: { deps: { external: [compiled] } }, chaiConfig, ...timeouts };
  return {
    test: {
      maxWorkers: '100%',
      projects: [
        {
          plugins,
          test: {
            ...shared,
            name: 'fast',
            include: ['test/**/*.test.ts'],
            exclude: ['test/integration/**', 'test/soak/**'],
            // Loading the sources once per worker instead of once per file halves the time of this tier.
            isolate: false,
            // Most code runs a few times only: to optimize it takes a tenth of the time of all tests.
            execArgv: ['--no-opt'],
            globalSetup: ['test/support/temporary-folder.ts'],
            env: { ATTUNE_SEED: fixedSeed },
          },
        },
        {
          plugins,
          test: {
            ...shared,
            name: 'integration',
            include: ['test/integration/**/*.test.ts'],
            globalSetup: ['test/support/install-tools.ts'],
            env: { ATTUNE_SEED: fixedSeed },
          },
        },
        {
          plugins,
          test: {
            ...shared,
            name: 'soak',
            include: ['test/soak/**/*.test.ts'],
            env: {
              ATTUNE_SEED: process.env.ATTUNE_SEED ?? String(randomInt(2 ** 31)),
              ATTUNE_CASES: process.env.ATTUNE_CASES ?? '1',
            },
            globalSetup: ['test/support/print-figures.ts'],
            testTimeout: 120 * minute,
          },
        },
      ],
      coverage: {
        include: ['src/{desired,resolve,diff,hold,plan,access,check}/**'],
        reporter: ['text'],
      },
    },
  };
});
