import { writeFileSync } from 'node:fs';
import { version } from '../run/manifest.ts';

/**
 * Does what needs no command line.
 *
 * @returns whether the program is needed
 */
export function start(): boolean {
  // While the program of `watch` is loaded, SIGHUP must not end it: it asks for a cycle, and the first one is yet to begin.
  if (process.argv[2] === 'watch') process.on('SIGHUP', () => {});
  return !printsVersion();
}

/** The version alone needs no command line. If stdout cannot be written now, the program reports it. */
function printsVersion(): boolean {
  if (process.argv.length !== 3 || process.argv[2] !== '--version') return false;
  try {
    writeFileSync(1, `${version()}\n`);
    return true;
  } catch {
    return false;
  }
}
