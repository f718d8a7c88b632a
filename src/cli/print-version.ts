import { writeFileSync } from 'node:fs';
import { version } from '../run/manifest.ts';

/** The version alone needs no command line. If stdout cannot be written now, the program reports it. */
export function printsVersion(): boolean {
  if (process.argv.length !== 3 || process.argv[2] !== '--version') return false;
  try {
    writeFileSync(1, `${version()}\n`);
    return true;
  } catch {
    return false;
  }
}
