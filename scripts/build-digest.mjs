import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the result of a build depends on. The lock file contains the versions of the packages. */
const inputs = /^(src|schemas)$|^(package|package-lock|tsconfig.*)\.json$/;
const scripts = /^(build|build-digest|bundle|clean|compile-schemas|library|notices|page-assets)\.mjs$/;

/**
 * The digest of the files that a build reads: it is the same if and only if a new build would read the same.
 *
 * @param {string} root The folder of the package.
 */
export function buildDigest(root) {
  const digest = createHash('sha256');
  for (const file of [...filesOf(root, '.', inputs), ...filesOf(root, 'scripts', scripts)].sort())
    digest.update(
      `${file}\0${createHash('sha256')
        .update(readFileSync(join(root, file)))
        .digest('hex')}\0`,
    );
  return digest.digest('hex');
}

function* filesOf(root, folder, names) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (!names.test(entry.name)) continue;
    if (entry.isDirectory()) yield* filesOf(root, path, /./);
    else yield path;
  }
}
