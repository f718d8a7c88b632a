// How long a start takes, as a multiple of an empty Node process in the same run.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const example = 'examples/quickstart';
const runs = {
  empty: ['-e', '0'],
  version: ['dist/cli/bin.js', '--version'],
  validate: ['dist/cli/bin.js', 'validate', example],
  plan: ['dist/cli/bin.js', 'plan', example, '--quiet'],
};

/** Medians of 11 wall times each, taken in turn, divided by that of the empty process. */
export function startUpRatios() {
  // Node reads these certificates at every start.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  rmSync(`${root}/${example}/.attune`, { recursive: true, force: true });
  const times = Object.fromEntries(Object.keys(runs).map((name) => [name, []]));
  for (let round = 0; round < 11; round++) {
    for (const [name, argv] of Object.entries(runs)) {
      const started = performance.now();
      const { status } = spawnSync(process.execPath, argv, { cwd: root, env, stdio: 'ignore' });
      times[name].push(performance.now() - started);
      if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status}`);
    }
  }
  const medians = Object.entries(times).map(([name, all]) => [name, all.sort((a, b) => a - b)[5]]);
  const { empty, ...others } = Object.fromEntries(medians);
  return Object.fromEntries(Object.entries(others).map(([name, time]) => [name, time / empty]));
}
