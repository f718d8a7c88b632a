// Tries what the tests sample at full length; they print what was survived: npm run endure [-- FACTOR]
// ATTUNE_SEED=N repeats a run with the inputs that it printed.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const factor = Number(process.argv[2] ?? 20);
const seed = Number(process.env.ATTUNE_SEED ?? Math.floor(Math.random() * 2 ** 31));
if (!(factor > 0) || !Number.isInteger(seed)) {
  console.error('usage: npm run endure [-- FACTOR], and ATTUNE_SEED as a whole number');
  process.exit(1);
}
console.log(`Trying ${factor} times what the tests try, with ATTUNE_SEED=${seed}.`);

const tests = [
  'test/properties',
  'test/faults',
  'test/hostile',
  'test/import/law.test.ts',
  'test/undo/law.test.ts',
];
const vitest = join('node_modules', 'vitest', 'vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', ...tests], {
  stdio: 'inherit',
  env: { ...process.env, ATTUNE_CASES: String(factor), ATTUNE_SEED: String(seed) },
});
console.log(
  status === 0
    ? 'Nothing lost, nothing doubled.'
    : `Something was not survived; ATTUNE_SEED=${seed} repeats it.`,
);
process.exitCode = status === 0 ? 0 : 1;
