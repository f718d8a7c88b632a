// Writes the bill of materials of what users install, as CycloneDX JSON, into attune.cdx.json.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), 'attune-sbom-'));
// npm names the component after the folder.
const folder = join(temporary, 'attune');
const npm = (...args) =>
  execFileSync('npm', args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    shell: process.platform === 'win32',
  });

try {
  mkdirSync(folder);
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(join(root, file), join(folder, file));
  // `npm sbom --omit=dev` leaves out every dependency that a development dependency needs, too.
  npm('pkg', 'delete', 'devDependencies', 'peerDependencies', 'peerDependenciesMeta');
  // Offline, because the versions of the lock file must not change.
  npm('install', '--package-lock-only', '--ignore-scripts', '--offline');
  const bill = npm('sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application');
  writeFileSync(join(root, 'attune.cdx.json'), bill);
} finally {
  rmSync(temporary, { recursive: true });
}
