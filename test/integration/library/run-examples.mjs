// Runs the compiled examples of this folder one after the other, each against a separate service and in a folder of
// its own, and writes what each printed to results.json.
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'node:util';
import { startEmulator } from 'attune/emulator';

const folder = import.meta.dirname;
const results = {};
for (const file of readdirSync(folder).filter((name) => /^example-\d+\.js$/.test(name))) {
  const work = join(folder, file.replace('.js', ''));
  mkdirSync(work);
  copyFileSync(join(folder, 'attune.yaml'), join(work, 'attune.yaml'));
  process.chdir(work);
  const emulator = await startEmulator({ seed: join(folder, 'seed.yaml') });
  process.env.ATTUNE_ADDRESS = emulator.url;
  const printed = [];
  try {
    const { default: example } = await import(join(folder, file));
    await example({ log: (...values) => printed.push(format(...values)) });
  } catch (error) {
    printed.push(error instanceof Error ? error.stack : String(error));
  }
  await emulator.stop();
  results[file] = printed.join('\n');
}
writeFileSync(join(folder, 'results.json'), JSON.stringify(results));
// Clients of the examples may still hold connections.
process.exit(0);
