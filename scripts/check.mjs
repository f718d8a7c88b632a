// Runs the scripts `check:*` of package.json at the same time, all or the named ones, and prints the output of each when it ends.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';

const { scripts } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
const given = process.argv.slice(2).map((name) => `check:${name}`);
const all = Object.keys(scripts).filter((name) => name.startsWith('check:'));
const unknown = given.filter((name) => !all.includes(name));
if (unknown.length > 0) throw new Error(`package.json has no script ${unknown.join(', ')}`);
const checks = given.length > 0 ? given : all;

const results = await Promise.all(checks.map(run));
process.exitCode = results.every((code) => code === 0) ? 0 : 1;

/** `npm run` has put the programs of node_modules on the PATH. */
function run(name) {
  return new Promise((resolve) => {
    const child = spawn(scripts[name], { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
    child.on('close', (code) => {
      if (code !== 0) console.error(`npm run ${name} failed:`);
      process.stdout.write(Buffer.concat(output));
      resolve(code);
    });
  });
}
