import { readPackageFile } from '../model/package-files.ts';

/** The parts of package.json that messages show. */
interface Manifest {
  readonly version: string;
  readonly homepage: string;
  readonly bugs: { readonly url: string };
}

function manifest(): Manifest {
  return JSON.parse(readPackageFile('package.json'));
}

export function version(): string {
  return manifest().version;
}

/** Where users report defects. */
export function issueTracker(): string {
  return manifest().bugs.url;
}

/** The address of the repository. */
export function repository(): string {
  return manifest().homepage.replace(/#.*/, '');
}
