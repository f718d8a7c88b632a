// Runs `attune watch` for a number of cycles on a clock that jumps over every wait, and prints as JSON what it used.
// Arguments: the number of cycles, then the flags of `attune watch`. Start it with --expose-gc.

import { processIo } from '../build/cli/io.js';
import { run } from '../build/cli/main.js';

const [, , last, ...flags] = process.argv;
const stopping = new AbortController();
const cycleEnd = /"event":"cycle-finished","cycle":(\d+),"result":"(\w+)"/;
let now = 0;
let succeeded = 0;
let warm = 0;

const write = (line) => {
  const [, cycle, result] = cycleEnd.exec(line) ?? [];
  if (cycle === undefined) return;
  if (result === 'success') succeeded += 1;
  if (cycle === '50') warm = usedMegabytes();
  if (cycle === last) stopping.abort();
};

await run(['watch', ...flags, '--listen', '127.0.0.1:0'], {
  ...processIo(),
  stderr: { write, isTerminal: false },
  env: { ATTUNE_TOKEN: 'bench' },
  clock: {
    now: () => now,
    random: () => 0.5,
    sleep: async (milliseconds) => {
      now += milliseconds;
    },
  },
  date: () => new Date(now),
  catchInterrupts: () => ({ stop: stopping.signal, exitCode: () => undefined, release: () => {} }),
});
console.log(JSON.stringify({ succeeded, grown: usedMegabytes() - warm }));

function usedMegabytes() {
  globalThis.gc();
  return process.memoryUsage().heapUsed / 1e6;
}
