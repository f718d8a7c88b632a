// Builds the single-file executable of this platform with this Node, as executable/attune-<platform>-<architecture>.
// The executable contains Node, one CommonJS bundle of the program, and the files of the package that the program reads.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'postject';
import { bundle } from './bundle.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = resolve(root, process.argv[2] ?? 'executable');
const { platform, arch, execPath } = process;
const executable = join(folder, `attune-${platform}-${arch}${platform === 'win32' ? '.exe' : ''}`);
const isMac = platform === 'darwin';

mkdirSync(folder, { recursive: true });
const temporary = Object.fromEntries(
  ['cjs', 'json', 'blob'].map((end) => [end, join(folder, `attune.${end}`)]),
);
try {
  writeFileSync(temporary.cjs, await bundle(root));
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
