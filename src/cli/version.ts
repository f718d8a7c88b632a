import { readPackageFile } from '../model/package-files.ts';

export function version(): string {
  return String(JSON.parse(readPackageFile('package.json')).version);
}
