// Runs the scripts `check:*` of package.json at the same time, all or the named ones, and prints the output of each when it ends.
// Arguments after `with` are a command that runs beside them: the output of the checks follows its own.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';

const { scripts } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
const argv = process.argv.slice(2);
const separator = argv.includes('with') ? argv.indexOf('with') : argv.length;
const given = argv.slice(0, separator).map((name) => `check:${name}`);
const [command, ...commandArgv] = argv.slice(separator + 1);
const all = Object.keys(scripts).filter((name) => name.startsWith('check:'));
const unknown = given.filter((name) => !all.includes(name));
if (unknown.length > 0) throw new Error(`package.json has no script ${unknown.join(', ')}`);
const checks = given.length > 0 ? given : all;

const beside = command === undefined ? Promise.resolve(0) : runBeside();
const results = await Promise.all([...checks.map(run), beside]);
process.exitCode = results.every((code) => code === 0) ? 0 : 1;

/** `npm run` has put the programs of node_modules on the PATH. */
function run(name) {
  return new Promise((resolve) => {
    const child = spawn(scripts[name], { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
    child.on('close', async (code) => {
      await beside;
      if (code !== 0) console.error(`npm run ${name} failed:`);
      process.stdout.write(Buffer.concat(output));
      resolve(code);
    });
  });
}

function runBeside() {
  return new Promise((resolve) => {
    // The programs of packages are shell scripts on Windows.
    const child = spawn(command, commandArgv, { stdio: 'inherit', shell: process.platform === 'win32' });
    child.on('close', resolve);
  });
}
