// Builds the single-file executable of this platform with this Node, as executable/attune-<platform>-<architecture>,
// and the licences of what it contains, in the file of this name that ends in -NOTICES.txt.
// The executable contains Node, one CommonJS bundle of the program, and the files of the package that the program reads.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'postject';
import { notice } from '../notices.mjs';
import { bundle } from './bundle.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = resolve(root, process.argv[2] ?? 'executable');
const { platform, arch, execPath } = process;
const name = join(folder, `attune-${platform}-${arch}`);
const executable = platform === 'win32' ? `${name}.exe` : name;
const isMac = platform === 'darwin';

mkdirSync(folder, { recursive: true });
const temporary = Object.fromEntries(
  ['cjs', 'json', 'blob'].map((end) => [end, join(folder, `attune.${end}`)]),
);
try {
  const { code, notices } = await bundle(root);
  writeFileSync(`${name}-NOTICES.txt`, [nodeNotice(), ...notices].join('\n'));
  writeFileSync(temporary.cjs, code);
  const config = { main: temporary.cjs, output: temporary.blob, disableExperimentalSEAWarning: true };
  writeFileSync(temporary.json, JSON.stringify(config));
  execFileSync(execPath, ['--experimental-sea-config', temporary.json]);

  rmSync(executable, { force: true });
  copyFileSync(execPath, executable);
  chmodSync(executable, 0o755);
  // A changed program needs a new signature on macOS.
  if (isMac) execFileSync('codesign', ['--remove-signature', executable]);
  await inject(executable, 'NODE_SEA_BLOB', readFileSync(temporary.blob), {
    sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
    ...(isMac && { machoSegmentName: 'NODE_SEA' }),
  });
  if (isMac) execFileSync('codesign', ['--sign', '-', executable]);
} finally {
  for (const file of Object.values(temporary)) rmSync(file, { force: true });
}
console.log(executable);

/** The distributions of nodejs.org contain the licence; packages of Linux distributions do not. */
function nodeNotice() {
  const file = [join(dirname(execPath), '../LICENSE'), join(dirname(execPath), 'LICENSE')].find(existsSync);
  const { version } = process;
  const address = `https://github.com/nodejs/node/blob/${version}/LICENSE`;
  return notice(`Node.js ${version}`, file ? readFileSync(file, 'utf8') : `The licence is at ${address}`);
}
