// How long a start takes, as a multiple of an empty Node process in the same run.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const example = 'examples/quickstart';
const runs = {
  empty: ['-e', '0'],
  version: ['dist/cli/bin.js', '--version'],
  validate: ['dist/cli/bin.js', 'validate', example],
  plan: ['dist/cli/bin.js', 'plan', example, '--quiet'],
};

const rounds = 21;

/** Medians of wall times, taken in turn, divided by that of the empty process. Later versions than Node 20 cache what the first round compiles. */
export function startUpRatios() {
  // Node reads these certificates at every start.
  const { NODE_EXTRA_CA_CERTS: _, NODE_DISABLE_COMPILE_CACHE: __, ...rest } = process.env;
  const cache = mkdtempSync(join(tmpdir(), 'attune-cache-'));
  const env = { ...rest, TMPDIR: cache };
  rmSync(`${root}/${example}/.attune`, { recursive: true, force: true });
  const times = Object.fromEntries(Object.keys(runs).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, argv] of Object.entries(runs)) {
      const started = performance.now();
      const { status } = spawnSync(process.execPath, argv, { cwd: root, env, stdio: 'ignore' });
      times[name].push(performance.now() - started);
      if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status}`);
    }
  }
  rmSync(cache, { recursive: true });
  const medians = Object.entries(times).map(([name, all]) => [
    name,
    all.sort((a, b) => a - b)[(rounds - 1) / 2],
  ]);
  const { empty, ...others } = Object.fromEntries(medians);
  return Object.fromEntries(Object.entries(others).map(([name, time]) => [name, time / empty]));
}
