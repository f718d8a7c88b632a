import { readPackageFile } from '../model/package-files.ts';

interface Manifest {
  readonly version: string;
  readonly homepage?: string;
  readonly bugs?: { readonly url: string };
}

function manifest(): Manifest {
  return JSON.parse(readPackageFile('package.json'));
}

export function version(): string {
  return manifest().version;
}

export function issueTracker(): string {
  return manifest().bugs?.url ?? 'the repository of Attune';
}

/** A page of this version in the repository: the package contains the reference pages only. */
export function pageUrl(page: string): string {
  const { homepage } = manifest();
  return homepage === undefined ? page : `${homepage.replace(/#.*/, '')}/blob/v${version()}/${page}`;
}
